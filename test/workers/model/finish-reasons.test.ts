import { describe, expect, it } from "vitest";
import { wireNames } from "../../../orchestrator/model-exchange/wire-names.ts";
import { ChatStreamAssembler } from "../../../workers/model/chat-stream.ts";
import { ResponsesStreamAssembler } from "../../../workers/model/responses-stream.ts";

/** How streams end, as the assemblers see it. */

const names = wireNames([]);
const none = new Set<string>();

function chatEnd(reason: string): unknown {
  const assembler = new ChatStreamAssembler("p", names, none);
  assembler.push({ choices: [{ index: 0, delta: { content: "Hello" } }] });
  assembler.push({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
  return attempt(() => assembler.finish());
}

function responsesEnd(type: string, response: object, events: readonly object[] = []): unknown {
  const assembler = new ResponsesStreamAssembler("p", names, none);
  return attempt(() => {
    for (const event of [...events, { type, response }]) assembler.push(event);
    return assembler.finish();
  });
}

function attempt(finish: () => unknown): unknown {
  try {
    finish();
    return "whole";
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

describe("a finish reason of Chat Completions", () => {
  it.each([
    ["stop", "whole"],
    ["tool_calls", "whole"],
    ["function_call", "whole"],
    ["end_turn", "whole"],
    ["toString", "whole"],
    ["length", "token-exhausted"],
    ["max_tokens", "token-exhausted"],
    ["content_filter", "content-filtered"],
    ["error", "server"],
    ["insufficient_system_resource", "overloaded"],
    ["abort", "cut-stream"],
    ["", "cut-stream"],
  ])("%j means %s", (reason, expected) => {
    expect(chatEnd(reason)).toBe(expected);
  });
});

describe("the end of a Responses stream", () => {
  const done = { type: "response.output_item.done", output_index: 0 };
  const call = { type: "function_call", call_id: "c", name: "t", arguments: "{}" };
  it.each<[string, string, object, object[], string]>([
    ["completed", "response.completed", { output: [] }, [], "whole"],
    ["completed without a list", "response.completed", {}, [], "malformed"],
    ["completed without a response", "response.completed", undefined as never, [], "malformed"],
    [
      "cut by tokens",
      "response.incomplete",
      { incomplete_details: { reason: "max_output_tokens" } },
      [],
      "token-exhausted",
    ],
    [
      "filtered",
      "response.incomplete",
      { incomplete_details: { reason: "content_filter" } },
      [],
      "content-filtered",
    ],
    ["incomplete for no reason", "response.incomplete", {}, [], "cut-stream"],
    [
      "failed",
      "response.failed",
      { error: { code: "rate_limit_exceeded", message: "" } },
      [],
      "rate-limited",
    ],
    ["failed for no reason", "response.failed", {}, [], "server"],
    [
      "with a call marked incomplete",
      "response.completed",
      { output: [] },
      [{ ...done, item: { ...call, status: "incomplete" } }],
      "cut-stream",
    ],
    [
      "with a call without a name",
      "response.completed",
      { output: [] },
      [{ ...done, item: { ...call, name: "" } }],
      "malformed",
    ],
    ["with a whole call", "response.completed", { output: [] }, [{ ...done, item: call }], "whole"],
    ["without an end", "response.in_progress", {}, [], "cut-stream"],
    ["as an error event", "error", {}, [], "server"],
  ])("%s", (_what, type, response, events, expected) => {
    expect(responsesEnd(type, response, events)).toBe(expected);
  });

  it("takes the items from the final response where no item events came", () => {
    const assembler = new ResponsesStreamAssembler("p", names, none);
    const message = {
      type: "message",
      content: [
        { type: "output_text", text: "Hi." },
        { type: "refusal", refusal: "" },
      ],
    };
    const refusal = { type: "message", content: [{ type: "refusal", refusal: "No." }] };
    const empty = { type: "message", content: [{ type: "output_text", text: "" }] };
    assembler.push({ type: "response.completed", response: { output: [message, empty, refusal, call] } });
    expect(assembler.finish().items).toMatchObject([
      { type: "assistant-message", text: "Hi." },
      { type: "assistant-message", text: "No.", refusal: true },
      { type: "tool-call", callId: "c", tool: "t", arguments: "{}" },
    ]);
  });

  it("puts items in the order of their places, not of their arrival", () => {
    const assembler = new ResponsesStreamAssembler("p", names, none);
    assembler.push({ ...done, output_index: 1, item: { ...call, call_id: "second" } });
    assembler.push({ ...done, output_index: 0, item: { ...call, call_id: "first" } });
    assembler.push({ type: "response.completed", response: {} });
    expect(assembler.finish().items).toMatchObject([{ callId: "first" }, { callId: "second" }]);
  });
});
