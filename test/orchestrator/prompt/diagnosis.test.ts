import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RestartRequest } from "../../../orchestrator/contract/session.ts";
import { diagnosisOf, diagnosisQuestion } from "../../../orchestrator/prompt/diagnosis.ts";

const request: RestartRequest = {
  requestId: "restarts-x-1",
  formId: "form:1",
  source: "(car 5)",
  condition: { type: "TYPE-ERROR", text: "5 is no list", details: [{ name: "DATUM", value: "5" }] },
  restarts: [
    { index: 0, name: "USE-VALUE", text: "Use another value.", parameters: "value" },
    { index: 1, name: "", text: "" },
  ],
  askedAt: 0,
};

const abort = { title: "Stop", reason: "x", action: { kind: "abort" } };

describe("a diagnosis", () => {
  it("is asked with form, condition and restarts", () => {
    const question = diagnosisQuestion(request);
    for (const part of [
      "(car 5)",
      "TYPE-ERROR: 5 is no list",
      "DATUM: 5",
      "0: USE-VALUE (value) Use another value.",
    ])
      expect(question).toContain(part);
    expect(diagnosisQuestion({ ...request, source: "x".repeat(100_000) }).length).toBeLessThan(20_000);
  });

  it("is read from bare, fenced and surrounded answers", () => {
    const answer = JSON.stringify({ explanation: "why", recoveries: [abort] });
    for (const text of [answer, `\`\`\`json\n${answer}\n\`\`\``, `Here it is:\n${answer}\nGood luck.`])
      expect(diagnosisOf(request, text)).toEqual({
        requestId: "restarts-x-1",
        explanation: "why",
        recoveries: [abort],
      });
    for (const text of ["", "no idea", '{"recoveries": []}', "{", '{"explanation": 5}'])
      expect(() => diagnosisOf(request, text), text).toThrow(
        expect.objectContaining({ code: "diagnosis-unreadable" }),
      );
  });

  it("keeps at most three recoveries, and those alone that can be done", () => {
    const restart = (index: number) => ({ ...abort, action: { kind: "restart", index, argument: "'(1)" } });
    const offered = [
      restart(5),
      { title: "" },
      "text",
      null,
      restart(0),
      { ...abort, extra: 1 },
      abort,
      abort,
      abort,
    ];
    const { recoveries } = diagnosisOf(request, JSON.stringify({ explanation: "x", recoveries: offered }));
    expect(recoveries).toEqual([restart(0), abort, abort]);
  });

  it("of any answer is a diagnosis or refused", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((value) => JSON.stringify({ explanation: "x", recoveries: value })),
        ),
        (answer) => {
          try {
            expect(diagnosisOf(request, answer).recoveries.length).toBeLessThanOrEqual(3);
          } catch (error) {
            expect(error).toMatchObject({ code: "diagnosis-unreadable" });
          }
        },
      ),
    );
  });
});
