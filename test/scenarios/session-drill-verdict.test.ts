import { describe, expect, it } from "vitest";
import type { SessionUpdate } from "../../orchestrator/contract/session.ts";
import { type SessionEvidence, sessionViolations } from "../../script/drill/sessions/session-verdict.ts";
import type { RecordedRequest } from "../support/model-server/script.ts";

const message = (text: string, origin: "prompt" | "automatic", messageId = `m:${text}`): SessionUpdate => ({
  type: "user-message",
  messageId,
  text,
  origin,
  at: 0,
});
const request = (...input: readonly object[]): RecordedRequest =>
  ({ number: 1, body: { input }, text: JSON.stringify(input) }) as unknown as RecordedRequest;
const call = { type: "function_call", call_id: "c" };
const result = { type: "function_call_output", call_id: "c" };

const formEnd: SessionUpdate = {
  type: "form-result",
  formId: "form:1",
  status: "values",
  values: [],
  omittedValues: 0,
  output: "",
  omittedOutput: 0,
  durationMs: 1,
  at: 0,
};

const whole: SessionEvidence = {
  accepted: ["one"],
  acceptedForms: ["(+ 1 2)"],
  sent: ["one", "two"],
  shown: [
    { type: "form", formId: "form:1", source: "(+ 1 2)", job: "exec:1", at: 0 },
    formEnd,
    message("one", "prompt"),
    message('(:completion :EXECUTION-ID "x")', "automatic"),
  ],
  requests: [request(call, result, { role: "user", content: "(+ 1 2)" })],
  effects: ["a", "b"],
  endedJobs: ["x"],
  anomalies: [],
  sequences: [1, 2, 3],
};

const effectForm: SessionUpdate = {
  type: "form",
  formId: "form:2",
  source: '(open "/w/lisp-effect-form-7")',
  job: "exec:2",
  at: 0,
};

describe("the session drill's verdict", () => {
  it("finds nothing wrong with a whole session", () => {
    expect(sessionViolations(whole)).toEqual([]);
  });

  it.each([
    ["an input that is lost", { accepted: ["one", "two"] }],
    ["an input that came twice", { shown: [...whole.shown, message("one", "prompt", "m:9")] }],
    ["an input that nobody typed", { shown: [...whole.shown, message("three", "prompt")] }],
    [
      "a message shown twice",
      { shown: [...whole.shown, message("two", "prompt"), message("more", "automatic", "m:two")] },
    ],
    [
      "a form that never began and did something",
      {
        acceptedForms: [],
        shown: [effectForm, { ...formEnd, formId: "form:2", status: "never-begun" }, ...whole.shown],
        effects: ["lisp-effect-form-7"],
      },
    ],
    [
      "a form that returned and did nothing",
      { acceptedForms: [], shown: [effectForm, { ...formEnd, formId: "form:2" }, ...whole.shown] },
    ],
    ["a completion that was never told", { endedJobs: ["x", "y"] }],
    ["a completion told twice", { shown: [...whole.shown, message(':EXECUTION-ID "x"', "automatic")] }],
    ["a command that ran twice", { effects: ["a", "a"] }],
    ["a call without a result", { requests: [request(call)] }],
    ["a call with two results", { requests: [request(call, result, result)] }],
    ["a result before its call", { requests: [request(result, call)] }],
    ["a form that is lost", { acceptedForms: ["(+ 1 2)", "(list)"] }],
    ["a form without an end", { shown: whole.shown.filter(({ type }) => type !== "form-result") }],
    ["a form that ended twice", { shown: [formEnd, ...whole.shown] }],
    ["a form that the model was never told of", { requests: [request(call, result)] }],
    [
      "a form that the model was told of twice",
      { requests: [request(call, result, { content: "(+ 1 2) and (+ 1 2)" })] },
    ],
    ["a damaged record", { anomalies: ["cut"] }],
    ["a gap in the numbers", { sequences: [1, 3] }],
  ] satisfies readonly [string, Partial<SessionEvidence>][])("reports %s", (_, change) => {
    expect(sessionViolations({ ...whole, ...change })).not.toEqual([]);
  });
});
