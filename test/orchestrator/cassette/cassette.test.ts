import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openCassette, recordCassette } from "../../../orchestrator/cassette/cassette-file.ts";
import { parseCassette, type FullExchange } from "../../../orchestrator/cassette/cassette-format.ts";
import { CassettePlayer, reportedDifferenceLimit } from "../../../orchestrator/cassette/cassette-player.ts";
import { CassetteRecorder } from "../../../orchestrator/cassette/cassette-recorder.ts";
import type { ModelItem, ModelRequest } from "../../../orchestrator/contract/model.ts";
import { removedSecret } from "../../../orchestrator/secrets/secret-removal.ts";

const firstRequest: ModelRequest = {
  model: "gpt-5",
  instructions: "Fix the test in /tmp/a.",
  tools: [{ name: "resource.read", description: "Read.", parameters: { type: "object" } }],
  items: [{ type: "user-message", text: "Fix it." }],
};

const call: ModelItem = { type: "tool-call", callId: "c1", tool: "resource.read", arguments: '{"uri":"a"}' };
const result: ModelItem = { type: "tool-result", callId: "c1", status: "ok", output: "at 10:00" };

/** Two turns of one agent: a call with its result, then text. */
function conversation(): FullExchange[] {
  return [
    {
      key: { lineage: "0", purpose: "agent", ordinal: 1 },
      request: firstRequest,
      response: { items: [{ type: "reasoning", text: "Look." }, call as never], usage: { inputTokens: 3 } },
    },
    {
      key: { lineage: "0", purpose: "agent", ordinal: 2 },
      request: {
        ...firstRequest,
        items: [...firstRequest.items, { type: "reasoning", text: "Look." }, call, result],
      },
      response: { items: [{ type: "assistant-message", text: "Done." }], usage: {} },
    },
  ];
}

function recorded(exchanges: readonly FullExchange[], secrets: readonly string[] = []): string {
  const recorder = new CassetteRecorder(secrets);
  for (const exchange of exchanges) recorder.record(exchange);
  return recorder.text();
}

/** Asks for turn 2 with one item of the conversation replaced. */
function askChanged(change: (items: ModelItem[]) => ModelItem[], more: Partial<ModelRequest> = {}) {
  const player = new CassettePlayer(parseCassette(recorded(conversation())));
  const [, second] = conversation();
  if (second === undefined) throw new Error("the conversation has two turns");
  const request = { ...second.request, ...more, items: change([...second.request.items]) };
  return { player, reply: player.answer({ key: second.key, request }) };
}

describe("recording and reading back", () => {
  it("gives the exchanges as they were", () => {
    expect(parseCassette(recorded(conversation()))).toEqual(conversation());
  });

  it("writes only what is new in each turn", () => {
    const lines = recorded(conversation()).trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[2] ?? "")).toMatchObject({ request: { keptItems: 3, newItems: [result] } });
    expect(lines[2]).not.toContain("Fix the test");
  });

  it("keeps a turn once when it was asked again after a lost thread", () => {
    const [first, second] = conversation();
    if (first === undefined || second === undefined) throw new Error("two turns");
    const again = { ...second, response: { items: [], usage: { outputTokens: 9 } } };
    expect(parseCassette(recorded([first, second, again]))).toEqual([first, again]);
  });

  it("survives any conversation, with several agents interleaved", () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });
    const turn = fc.record({
      lineage: fc.constantFrom("0", "0.c1:0", "0.c1:1"),
      said: text,
      heard: text,
      instructions: fc.constantFrom("one", "two"),
    });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 12 }), (turns) => {
        const exchanges: FullExchange[] = [];
        for (const { lineage, said, heard, instructions } of turns) {
          const earlier = exchanges.filter(({ key }) => key.lineage === lineage);
          const before = earlier.at(-1);
          const items: ModelItem[] = before ? [...before.request.items, ...before.response.items] : [];
          exchanges.push({
            key: { lineage, purpose: "agent", ordinal: earlier.length + 1 },
            request: {
              ...firstRequest,
              instructions,
              items: [...items, { type: "user-message", text: heard }],
            },
            response: { items: [{ type: "assistant-message", text: said }], usage: {} },
          });
        }
        const read = parseCassette(recorded(exchanges));
        const player = new CassettePlayer(read);
        for (const { key, request, response } of exchanges) {
          expect(player.answer({ key, request })).toEqual({ outcome: "response", response });
        }
        expect(player.differenceCount).toBe(0);
        expect(player.unused).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("replay", () => {
  it("answers turn after turn and knows what was not asked for", () => {
    const player = new CassettePlayer(conversation());
    const [first] = conversation();
    if (first === undefined) throw new Error("two turns");
    expect(player.answer(first)).toEqual({ outcome: "response", response: first.response });
    expect(player.unused).toEqual([{ lineage: "0", purpose: "agent", ordinal: 2 }]);
  });

  it.each([
    [
      "an earlier text",
      (items: ModelItem[]) => [...items, { type: "assistant-message", text: "x" } as const],
      /item 4/,
    ],
    [
      "arguments of a call",
      (items: ModelItem[]) =>
        items.map((item) => (item === items[2] ? { ...item, arguments: '{"uri":"b"}' } : item)),
      /item 2: tool-call is now .*b.* was recorded as .*a/,
    ],
    [
      "the success of a call",
      (items: ModelItem[]) => items.map((item) => (item === items[3] ? { ...item, status: "error" } : item)),
      /item 3: result-status is now "failure", was recorded as "success"/,
    ],
    ["a missing result", (items: ModelItem[]) => items.slice(0, 3), /item 3: item-order is now "nothing"/],
    [
      "reasoning",
      (items: ModelItem[]) => items.map((item) => (item === items[1] ? { ...item, text: "Think." } : item)),
      /item 1: reasoning/,
    ],
  ])("stops when %s differs, and names turn and difference", (_what, change, difference) => {
    const { reply } = askChanged(change as (items: ModelItem[]) => ModelItem[]);
    expect(reply).toMatchObject({ outcome: "failure", failure: { code: "replay-divergence" } });
    const message = reply.outcome === "failure" ? reply.failure.message : "";
    expect(message).toContain("turn 2 of agent 0 (purpose agent)");
    expect(message).toMatch(difference);
  });

  it("only reports outputs, instructions, schemas, model and user messages", () => {
    const { player, reply } = askChanged(
      (items) =>
        items.map((item) => {
          if (item.type === "tool-result") return { ...item, output: "at 11:30" };
          return item.type === "user-message" ? { ...item, text: "Fix this." } : item;
        }),
      { instructions: "Fix the test in /tmp/b.", model: "gpt-6", tools: [] },
    );
    expect(reply.outcome).toBe("response");
    expect(player.reported.map(({ part }) => part).toSorted()).toEqual([
      "instructions",
      "model",
      "tool-output",
      "tool-schemas",
      "user-message",
    ]);
  });

  it("says how many turns there are when a further one is asked for", () => {
    const player = new CassettePlayer(conversation());
    const key = { lineage: "0", purpose: "agent", ordinal: 3 } as const;
    const reply = player.answer({ key, request: firstRequest });
    expect(reply.outcome === "failure" && reply.failure.message).toContain("the cassette holds 2 turns");
    const other = player.answer({ key: { ...key, lineage: "9" }, request: firstRequest });
    expect(other.outcome === "failure" && other.failure.message).toContain("nothing for this agent");
  });

  it("counts differences beyond those it keeps", () => {
    const [first] = conversation();
    if (first === undefined) throw new Error("two turns");
    const player = new CassettePlayer([first]);
    const request = { ...firstRequest, model: "other" };
    for (let round = 0; round < reportedDifferenceLimit + 5; round += 1) player.answer({ ...first, request });
    expect(player.reported).toHaveLength(reportedDifferenceLimit);
    expect(player.differenceCount).toBe(reportedDifferenceLimit + 5);
  });
});

describe("secrets", () => {
  it("are removed from every part of a cassette, and from differences", () => {
    const secret = "correct-horse-battery";
    const shaped = "sk-proj-abcdefghijklmnop1234";
    const [first, second] = conversation();
    if (first === undefined || second === undefined) throw new Error("two turns");
    const withSecrets: FullExchange = {
      ...first,
      request: {
        ...firstRequest,
        instructions: `key ${shaped}`,
        items: [{ type: "user-message", text: secret }],
      },
      response: { items: [{ type: "assistant-message", text: `it is ${secret}` }], usage: {} },
    };
    const text = recorded([withSecrets], [secret]);
    expect(text).not.toContain(secret);
    expect(text).not.toContain(shaped);
    expect(text).toContain(removedSecret);
    const player = new CassettePlayer(parseCassette(text), [secret]);
    expect(player.answer(withSecrets).outcome).toBe("response");
    expect(JSON.stringify(player.reported)).not.toContain(secret);
    expect(JSON.stringify(player.reported)).not.toContain(shaped);
  });
});

describe("a cassette that is no cassette", () => {
  const valid = recorded(conversation());
  it.each([
    ["", /Line 1/],
    ["{}\n", /Line 1/],
    [valid.replace('"version":1', '"version":2'), /Line 1.*version/],
    [`${valid}{"kind":"exch`, /Line 4.*not JSON/],
    [valid.replace('"ordinal":2', '"ordinal":"two"'), /Line 3.*key\.ordinal/],
    [valid.replace('"keptItems":3', '"keptItems":30'), /Line 3.*earlier exchange/],
    [valid.split("\n").toSpliced(1, 1).join("\n"), /Line 2.*earlier exchange/],
  ])("is refused with the line: %#", (text, problem) => {
    expect(() => parseCassette(text)).toThrow(problem);
  });

  it("never makes the reader fail in another way, whatever is changed in it", () => {
    fc.assert(
      fc.property(fc.nat(valid.length - 1), fc.string({ maxLength: 3 }), fc.nat(5), (at, put, cut) => {
        const mutated = valid.slice(0, at) + put + valid.slice(at + cut);
        try {
          parseCassette(mutated);
        } catch (error) {
          expect(error).toMatchObject({ code: "cassette-malformed" });
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("files", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "cassette-"));
  });
  afterEach(async () => {
    await chmod(directory, 0o700);
    await rm(directory, { recursive: true });
  });

  it("are recorded, private, and opened again", async () => {
    const path = join(directory, "run.jsonl");
    const recording = await recordCassette(path, []);
    for (const exchange of conversation()) recording.record(exchange);
    await recording.publish();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const player = await openCassette(path, []);
    expect(player.unused).toHaveLength(2);
    expect(await readFile(path, "utf8")).toBe(recorded(conversation()));
  });

  it("that cannot be written are refused before any work", async () => {
    await writeFile(join(directory, "file"), "");
    await expect(recordCassette(join(directory, "file", "run.jsonl"), [])).rejects.toMatchObject({
      code: "cassette-unwritable",
    });
  });

  it("that are not there are named", async () => {
    await expect(openCassette(join(directory, "none.jsonl"), [])).rejects.toMatchObject({
      code: "cassette-unreadable",
    });
  });
});
