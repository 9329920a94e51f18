import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelEndpoint, ModelItem, ModelRequest } from "../../../orchestrator/contract/model.ts";
import { wireNames } from "../../../orchestrator/model-exchange/wire-names.ts";
import { cleanJson } from "../../../workers/model/clean-text.ts";
import { wireRequest } from "../../../workers/model/request-body.ts";

const endpoint: ModelEndpoint = { provider: "p", wire: "responses", reasoning: true };
const names = wireNames(["resource.read"]);

function bodyOf(
  items: readonly ModelItem[],
  at: Partial<ModelEndpoint> = {},
  more: Partial<ModelRequest> = {},
) {
  const request: ModelRequest = { model: "m", instructions: "", items: [...items], tools: [], ...more };
  return JSON.parse(wireRequest({ ...endpoint, ...at }, request, names).body) as Record<string, unknown>;
}

const source = (json: string, provider = "p", wire: "responses" | "chat" = "responses") => ({
  provider,
  wire,
  json,
});
const sealed = JSON.stringify({ type: "reasoning", id: "rs", encrypted_content: "e" });

describe("Responses", () => {
  it.each([
    [
      "reasoning of this provider",
      { type: "reasoning", text: "t", source: source(sealed) },
      [JSON.parse(sealed)],
    ],
    ["reasoning of another", { type: "reasoning", text: "t", source: source(sealed, "q") }, []],
    [
      "reasoning of the other wire form",
      { type: "reasoning", text: "t", source: source("{}", "p", "chat") },
      [],
    ],
    [
      "reasoning without its sealed content",
      { type: "reasoning", text: "t", source: source('{"type":"reasoning"}') },
      [],
    ],
    [
      "another item of this provider",
      { type: "reasoning", text: "", source: source('{"type":"web_search_call"}') },
      [{ type: "web_search_call" }],
    ],
    [
      "a text of another provider",
      { type: "assistant-message", text: "t", source: source("{}", "q") },
      [{ type: "message", role: "assistant", content: "t" }],
    ],
    [
      "a text whose record is damaged",
      { type: "assistant-message", text: "t", source: source('{"type":') },
      [{ type: "message", role: "assistant", content: "t" }],
    ],
    [
      "a call without a source",
      { type: "tool-call", callId: "c", tool: "resource.read", arguments: "{}" },
      [{ type: "function_call", call_id: "c", name: "resource__read", arguments: "{}" }],
    ],
  ] as const)("sends %s", (_what, item, expected) => {
    expect(bodyOf([item])["input"]).toEqual(expected);
  });

  it("asks for what reasoning models have, and of others for none of it", () => {
    const more = { reasoningEffort: "ultra", maxOutputTokens: 9, promptCacheKey: "k" } as const;
    expect(bodyOf([], {}, more)).toEqual({
      model: "m",
      input: [],
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "max" },
      max_output_tokens: 9,
      prompt_cache_key: "k",
    });
    expect(bodyOf([], { reasoning: false }, more)).not.toHaveProperty("reasoning");
    expect(bodyOf([], { reasoning: false }, more)).not.toHaveProperty("include");
  });
});

describe("Chat Completions", () => {
  const chat = { wire: "chat", reasoning: false, baseUrl: "http://127.0.0.1:1/v1" } as const;

  it("joins a turn into one message and leaves out what has no form there", () => {
    const items: ModelItem[] = [
      { type: "user-message", text: "u" },
      { type: "reasoning", text: "r", source: source('{"reasoning":"r"}', "p", "chat") },
      { type: "assistant-message", text: "one" },
      { type: "assistant-message", text: "two" },
      { type: "tool-call", callId: "c", tool: "resource.read", arguments: '{"half' },
      { type: "tool-result", callId: "c", status: "error", output: "" },
      { type: "reasoning", text: "alone" },
    ];
    expect(bodyOf(items, chat)["messages"]).toEqual([
      { role: "user", content: "u" },
      {
        role: "assistant",
        content: "one\n\ntwo",
        reasoning: "r",
        tool_calls: [
          {
            id: "c",
            type: "function",
            function: { name: "resource__read", arguments: '{"unparsable_arguments":"{\\"half"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "c", content: "(no output)" },
    ]);
  });

  it("names the token limit as the server knows it", () => {
    const more = { maxOutputTokens: 9, promptCacheKey: "k" };
    expect(bodyOf([], chat, more)).toMatchObject({ max_tokens: 9 });
    expect(bodyOf([], chat, more)).not.toHaveProperty("prompt_cache_key");
    expect(bodyOf([], { wire: "chat" }, more)).toMatchObject({
      max_completion_tokens: 9,
      prompt_cache_key: "k",
    });
  });
});

describe("texts that no server takes", () => {
  /** Lone surrogates, pairs, NULs, escapes of them as text, and harmless text. */
  const dirty = fc
    .array(
      fc.constantFrom("a", '"', "\\", "\0", "\ud83d", "\ude00", "\u{1f600}", "\\u0000", "\\ud83d", "\\ude00"),
      {
        maxLength: 6,
      },
    )
    .map((parts) => parts.join(""));

  it("are repaired wherever they stand, and nothing else is changed", () => {
    fc.assert(
      fc.property(dirty, dirty, fc.option(dirty), (text, output, value) => {
        const items: readonly ModelItem[] = [
          { type: "user-message", text },
          {
            type: "tool-call",
            callId: "c",
            tool: "resource.read",
            arguments: JSON.stringify({ key: value }),
          },
          { type: "tool-result", callId: "c", status: "ok", output },
        ];
        const [message, call, result] = bodyOf(items)["input"] as readonly Record<string, unknown>[];
        expect(message?.["content"]).toEqual([{ type: "input_text", text: cleanJson(text) }]);
        expect(JSON.parse(String(call?.["arguments"]))).toEqual(cleanJson({ key: value }));
        expect(result?.["output"]).toBe(cleanJson(output));
      }),
    );
  });
});
