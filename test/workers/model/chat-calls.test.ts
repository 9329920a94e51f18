import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wireNames } from "../../../orchestrator/model-exchange/wire-names.ts";
import { ChatStreamAssembler } from "../../../workers/model/chat-stream.ts";

/** Tool calls of servers with habits of their own (cases C073 and C081). */

interface Piece {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: unknown };
}

/** The calls that come of these pieces, one to a chunk. */
function assembled(pieces: readonly Piece[], used: readonly string[] = []) {
  const assembler = new ChatStreamAssembler("p", wireNames([]), new Set(used));
  for (const piece of pieces) assembler.push({ choices: [{ index: 0, delta: { tool_calls: [piece] } }] });
  assembler.push({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
  const items = assembler.finish().items.flatMap((item) => (item.type === "tool-call" ? item : []));
  expect(new Set(items.map(({ callId }) => callId)).size).toBe(items.length);
  return items.map((item) => ({ id: item.callId, call: `${item.tool} ${item.arguments}` }));
}

const calls = (pieces: readonly Piece[]): string[] => assembled(pieces).map(({ call }) => call);
const started = (name: string, argumentText: string, more: Omit<Piece, "function"> = {}): Piece => ({
  ...more,
  function: { name, arguments: argumentText },
});
const more = (argumentText: string, label: Omit<Piece, "function"> = {}): Piece => ({
  ...label,
  function: { arguments: argumentText },
});

describe("two parallel calls stay two", () => {
  it.each<[string, Piece[]]>([
    [
      "with an index each",
      [
        started("a", '{"x"', { index: 0, id: "1" }),
        started("b", '{"y"', { index: 1, id: "2" }),
        more(":1}", { index: 0 }),
        more(":2}", { index: 1 }),
      ],
    ],
    [
      "with index 0 both and different ids",
      [started("a", '{"x":1}', { index: 0, id: "1" }), started("b", '{"y":2}', { index: 0, id: "2" })],
    ],
    [
      "with index 0 both, in pieces",
      [
        started("a", '{"x"', { index: 0, id: "1" }),
        more(":1}", { index: 0 }),
        started("b", '{"y"', { index: 0, id: "2" }),
        more(":2}", { index: 0 }),
      ],
    ],
    [
      "with index 0 both and the id in every interleaved piece",
      [
        started("a", '{"x"', { index: 0, id: "1" }),
        started("b", '{"y"', { index: 0, id: "2" }),
        more(":1}", { index: 0, id: "1" }),
        more(":2}", { index: 0, id: "2" }),
      ],
    ],
    ["without an index", [started("a", '{"x":1}', { id: "1" }), started("b", '{"y":2}', { id: "2" })]],
    [
      "without an index, in pieces",
      [started("a", "", { id: "1" }), more('{"x":1}'), started("b", "", { id: "2" }), more('{"y":2}')],
    ],
    ["without an id", [started("a", '{"x":1}', { index: 0 }), started("b", '{"y":2}', { index: 1 })]],
    ["without any label", [started("a", '{"x":1}'), started("b", '{"y":2}')]],
    [
      "with one id twice, whole",
      [started("a", '{"x":1}', { index: 0, id: "1" }), started("b", '{"y":2}', { index: 1, id: "1" })],
    ],
    [
      "with one id twice and no index",
      [started("a", '{"x":1}', { id: "1" }), started("b", '{"y":2}', { id: "1" })],
    ],
    [
      "with one id and one index twice",
      [started("a", '{"x":1}', { index: 0, id: "1" }), started("b", '{"y":2}', { index: 0, id: "1" })],
    ],
    [
      "with the name in every piece",
      [
        started("a", '{"x"', { index: 0, id: "1" }),
        started("a", ":1}", { index: 0, id: "1" }),
        started("b", '{"y"', { index: 1, id: "2" }),
        started("b", ":2}", { index: 1, id: "2" }),
      ],
    ],
    [
      "with arguments as objects",
      [
        { id: "1", function: { name: "a", arguments: { x: 1 } } },
        { id: "2", function: { name: "b", arguments: { y: 2 } } },
      ],
    ],
  ])("%s", (_habit, pieces) => {
    expect(calls(pieces)).toEqual(['a {"x":1}', 'b {"y":2}']);
  });
});

describe("one call stays one", () => {
  it.each<[string, Piece[]]>([
    [
      "with its id and name in every piece",
      [
        started("a", "", { index: 0, id: "1" }),
        started("a", '{"x"', { index: 0, id: "1" }),
        started("a", ":1}", { index: 0, id: "1" }),
      ],
    ],
    [
      "with its id in a later piece",
      [started("a", "", { index: 0 }), { index: 0, id: "1" }, more('{"x":1}', { index: 0 })],
    ],
    [
      "with its name in a later piece",
      [{ index: 0, id: "1" }, { index: 0, function: { name: "a" } }, more('{"x":1}', { index: 0 })],
    ],
    [
      "with empty strings for what is missing",
      [started("a", "", { index: 0, id: "1" }), started("", '{"x":1}', { index: 0, id: "" })],
    ],
  ])("%s", (_habit, pieces) => {
    expect(calls(pieces)).toEqual(['a {"x":1}']);
  });
});

it("twice the same call is two calls", () => {
  expect(calls([started("a", '{"x":1}'), started("a", '{"x":1}')])).toEqual(['a {"x":1}', 'a {"x":1}']);
});

it.each(["", " ", undefined])("arguments %j are none", (argumentText) => {
  expect(calls([{ index: 0, id: "1", function: { name: "a", arguments: argumentText } }])).toEqual(["a {}"]);
});

it("an id that the conversation has used is replaced", () => {
  const [first, second] = assembled(
    [started("a", "{}", { id: "old" }), started("b", "{}", { id: "new" })],
    ["old"],
  );
  expect(first?.id).toMatch(/^call_/);
  expect(second?.id).toBe("new");
});

it("a call without a name is no call", () => {
  expect(() => assembled([more('{"x":1}', { index: 0, id: "1" })])).toThrow(/without a function name/);
});

it("well-labelled calls come out as they were, however they are cut and interleaved", () => {
  const call = fc.record({
    name: fc.stringMatching(/^[a-z]{1,6}$/),
    argumentText: fc
      .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue())
      .map((value) => JSON.stringify(value)),
  });
  const plan = fc.record({
    list: fc.array(call, { minLength: 1, maxLength: 4 }),
    cuts: fc.array(fc.nat(40), { maxLength: 8 }),
    order: fc.array(fc.nat(3), { maxLength: 40 }),
  });
  fc.assert(
    fc.property(plan, ({ list, cuts, order }) => {
      const queues = list.map(({ name, argumentText }, index) => {
        const places = [...new Set(cuts.map((cut) => cut % (argumentText.length + 1)))].toSorted(
          (a, b) => a - b,
        );
        const parts = [0, ...places].map((from, at) => argumentText.slice(from, places[at] ?? undefined));
        return [
          started(name, "", { index, id: `id${index}` }),
          ...parts.map((part) => more(part, { index })),
        ];
      });
      const pieces: Piece[] = [];
      // Calls begin in order, and then grow in any.
      for (const queue of queues) pieces.push(...queue.splice(0, 1));
      for (const turn of order) pieces.push(...(queues[turn % queues.length]?.splice(0, 1) ?? []));
      pieces.push(...queues.flat());
      expect(calls(pieces)).toEqual(list.map(({ name, argumentText }) => `${name} ${argumentText}`));
    }),
  );
});
