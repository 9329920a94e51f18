import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelItem } from "../../../orchestrator/contract/model.ts";
import { pairCalls } from "../../../orchestrator/model-exchange/call-pairing.ts";
import { parseToolArguments } from "../../../orchestrator/model-exchange/tool-arguments.ts";
import { totalUsage } from "../../../orchestrator/model-exchange/usage-total.ts";
import { wireNameLimit, wireNames } from "../../../orchestrator/model-exchange/wire-names.ts";

describe("wire names", () => {
  it("are readable for ordinary tools", () => {
    expect(wireNames(["resource.read"]).toWire("resource.read")).toBe("resource__read");
  });

  it("differ for tools whose plain forms agree, in any order", () => {
    const tools = ["a.b", "a__b", "a.b_", "mcp__x.y", "mcp.x.y"];
    const names = wireNames(tools);
    const reversed = wireNames(tools.toReversed());
    expect(new Set(tools.map(names.toWire)).size).toBe(tools.length);
    expect(tools.map(reversed.toWire)).toEqual(tools.map(names.toWire));
  });

  it("are valid, unique and invertible for any tools", () => {
    const part = fc.stringMatching(/^[a-z_.][a-z0-9_.-]{0,90}$/);
    fc.assert(
      fc.property(fc.uniqueArray(part, { maxLength: 30 }), (tools) => {
        const names = wireNames(tools);
        for (const tool of tools) {
          const wireName = names.toWire(tool);
          expect(wireName).toMatch(/^[A-Za-z0-9_-]+$/);
          expect(wireName.length).toBeLessThanOrEqual(wireNameLimit);
          expect(names.fromWire(wireName)).toBe(tool);
        }
      }),
    );
  });

  it("give tools that are no longer offered their plain form, and keep names nobody offered", () => {
    const names = wireNames(["resource.read"]);
    expect(names.toWire("shell.run")).toBe("shell__run");
    expect(names.toWire(`x.${"y".repeat(100)}`)).toHaveLength(wireNameLimit);
    expect(names.fromWire("delete_everything")).toBe("delete_everything");
  });
});

describe("tool arguments", () => {
  it.each(["", "  \n", "{}"])("read %j as none", (text) => {
    expect(parseToolArguments(text)).toEqual({ ok: true, value: {} });
  });

  it.each(['{"path":"a.txt","content":"half', "{", "[1]", "null", '"text"', "3"])("refuse %s", (text) => {
    expect(parseToolArguments(text)).toMatchObject({ ok: false });
  });

  it.each(['{"__proto__":1}', '{"data":[{"a":{"__proto__":{"x":1}}}]}', '{"\\u005f_proto__":null}'])(
    "refuse %s, which the checks behind would drop",
    (text) => {
      expect(parseToolArguments(text)).toMatchObject({
        ok: false,
        problem: expect.stringContaining("__proto__") as string,
      });
    },
  );

  it("keep other names that objects have by birth", () => {
    const text = '{"constructor":2,"":3,"toString":null}';
    expect(parseToolArguments(text)).toEqual({ ok: true, value: JSON.parse(text) as object });
  });

  it("read back what was written", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes('"__proto__":'));
        expect(parseToolArguments(text)).toEqual({ ok: true, value: JSON.parse(text) as object });
      }),
    );
  });
});

describe("usage totals", () => {
  it("add what is known and count what is not", () => {
    const total = totalUsage([{ inputTokens: 5, outputTokens: 1 }, { inputTokens: 2 }, {}]);
    expect(total).toEqual({ inputTokens: 7, outputTokens: 1, requestsWithUnknownUsage: 2 });
  });

  it("know nothing of nothing", () => {
    expect(totalUsage([{}])).toEqual({ requestsWithUnknownUsage: 1 });
  });
});

describe("call pairing", () => {
  const callOf = (callId: string): ModelItem => ({ type: "tool-call", callId, tool: "t.t", arguments: "{}" });
  const resultOf = (callId: string): ModelItem => ({
    type: "tool-result",
    callId,
    status: "ok",
    output: callId,
  });
  const said: ModelItem = { type: "user-message", text: "next" };

  it("adds an unknown result behind those of the turn", () => {
    const { items, added } = pairCalls([said, callOf("a"), callOf("b"), resultOf("b"), said]);
    expect(items.map((item) => ("callId" in item ? `${item.type} ${item.callId}` : item.type))).toEqual([
      "user-message",
      "tool-call a",
      "tool-call b",
      "tool-result b",
      "tool-result a",
      "user-message",
    ]);
    expect(added).toMatchObject([{ callId: "a", status: "unknown" }]);
  });

  it("takes a result that came behind a later message, and adds none again", () => {
    const { items, added } = pairCalls([said, callOf("a"), said, resultOf("a"), callOf("b"), resultOf("b")]);
    expect(items).toEqual([said, callOf("a"), resultOf("a"), said, callOf("b"), resultOf("b")]);
    expect(added).toEqual([]);
    expect(pairCalls([resultOf("a"), callOf("a"), said]).added).toMatchObject([
      { callId: "a", status: "unknown" },
    ]);
  });

  it("leaves out results that answer nothing, and second ones", () => {
    const { items } = pairCalls([resultOf("x"), callOf("a"), resultOf("a"), resultOf("a")]);
    expect(items).toEqual([callOf("a"), resultOf("a")]);
  });

  it("gives every call exactly one result before the next turn, for any history", () => {
    const identifier = fc.constantFrom("a", "b", "c", "d");
    const item = fc.oneof(
      identifier.map(callOf),
      identifier.map(resultOf),
      fc.constant(said),
      fc.constant<ModelItem>({ type: "assistant-message", text: "hm" }),
    );
    const history = fc.array(item, { maxLength: 20 }).map((items) => {
      let next = 0;
      const renamed = new Map<string, string>();
      return items.map((entry) => {
        if (entry.type === "tool-call") {
          next += 1;
          renamed.set(entry.callId, `${entry.callId}${next}`);
        }
        return "callId" in entry ? { ...entry, callId: renamed.get(entry.callId) ?? entry.callId } : entry;
      });
    });
    fc.assert(
      fc.property(history, (items) => {
        const paired = pairCalls(items).items;
        const open = new Set<string>();
        for (const [index, entry] of paired.entries()) {
          const startsTurn =
            entry.type === "user-message" ||
            (entry.type !== "tool-result" && paired[index - 1]?.type === "tool-result");
          if (startsTurn) expect(open).toEqual(new Set());
          if (entry.type === "tool-call") open.add(entry.callId);
          if (entry.type === "tool-result") expect(open.delete(entry.callId)).toBe(true);
        }
        expect(open).toEqual(new Set());
        expect(pairCalls(paired)).toEqual({ items: paired, added: [] });
      }),
    );
  });
});
