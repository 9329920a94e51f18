import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messageByteLimit, messageCharacterLimit } from "../../../cli/acp/wire/message-limits.ts";
import { jsonDepthLimit } from "../../../orchestrator/contract/json-nesting.ts";
import { type RawLines, rawLines } from "../../support/acp/raw-lines.ts";
import { type ServedHost, serveHost } from "../../support/acp/served-host.ts";
import { ScriptedService } from "../../support/sessions/scripted-service.ts";

const parseError = -32_700;
const invalidRequest = -32_600;
const methodNotFound = -32_601;
const notFound = -32_002;

async function initialized(served: ServedHost): Promise<RawLines> {
  const { write, read } = served.pipes();
  const raw = rawLines(write, read);
  raw.request("init", "initialize", { protocolVersion: 1 });
  await raw.answerTo("init");
  return raw;
}

/** A request that proves that the connection goes on. */
async function goesOn(raw: RawLines): Promise<void> {
  raw.request("still-here", "session/list", {});
  expect(await raw.answerTo("still-here")).toMatchObject({ result: { sessions: expect.any(Array) } });
}

const deep = (depth: number, middle: string): string => "[".repeat(depth) + middle + "]".repeat(depth);
const call = (params: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"session/list","params":${params}}`;

describe("bytes that are no messages are answered, and the connection goes on", () => {
  test.each<[string, string | Uint8Array, number]>([
    ["garbage", "garbage", parseError],
    ["half of a message", '{"jsonrpc":"2.0","id":1', parseError],
    ["no UTF-8", Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d), parseError],
    ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"session/list"}]', invalidRequest],
    ["an empty batch", "[]", invalidRequest],
    ["a number", "42", invalidRequest],
    ["null", "null", invalidRequest],
    ["an empty object", "{}", invalidRequest],
    ["another version", '{"jsonrpc":"1.0","id":1,"method":"session/list"}', invalidRequest],
    ["a method that is no text", '{"jsonrpc":"2.0","id":1,"method":7}', invalidRequest],
    ["a method of 300 characters", `{"jsonrpc":"2.0","id":1,"method":"${"m".repeat(300)}"}`, invalidRequest],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"session/list"}', invalidRequest],
    [
      "an id of 2,000 characters",
      `{"jsonrpc":"2.0","id":"${"i".repeat(2_000)}","method":"session/list"}`,
      invalidRequest,
    ],
    [
      "a response with result and error",
      '{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"m"}}',
      invalidRequest,
    ],
    ["JSON one level too deep", call(`{"_meta":{"a":${deep(jsonDepthLimit, "1")}}}`), invalidRequest],
    ["100,000 levels with a syntax error inside", call(`{"_meta":${deep(100_000, "1,,")}}`), invalidRequest],
    ["100,000 objects that do not end", '{"a":'.repeat(100_000), invalidRequest],
  ])("%s", async (_name, bytes, code) => {
    await using served = serveHost(new ScriptedService());
    const raw = await initialized(served);
    raw.write(bytes);
    raw.write("\n");
    const answer = await raw.answer(1);
    expect(answer).toMatchObject({ jsonrpc: "2.0", error: { code } });
    expect(answer.error?.data ?? null).not.toEqual(expect.stringContaining("session/list"));
    await goesOn(raw);
  });

  test("a line of 100 MB costs no more memory than a message may have", async () => {
    await using served = serveHost(new ScriptedService());
    const { write, read } = served.pipes();
    const raw = rawLines(write, read);
    raw.request("init", "initialize", { protocolVersion: 1 });
    await raw.answerTo("init");
    const megabyte = Buffer.alloc(1_000_000, "x");
    let highest = 0;
    for (let written = 0; written < 100; written += 1) {
      if (!write.write(megabyte)) await new Promise((resolve) => write.once("drain", resolve));
      highest = Math.max(highest, process.memoryUsage().arrayBuffers);
    }
    raw.write("\n");
    expect(await raw.answer(1)).toMatchObject({
      id: null,
      error: { code: invalidRequest, data: { limit: messageCharacterLimit } },
    });
    expect(highest).toBeLessThan(messageByteLimit + 16_000_000);
    await goesOn(raw);
  });
});

describe("anything at all", () => {
  const valid = fc.constantFrom(
    '{"jsonrpc":"2.0","id":5,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}',
    '{"jsonrpc":"2.0","id":"x","method":"session/prompt","params":{"sessionId":"sessioa","prompt":[{"type":"text","text":"é漢"}]}}',
    '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"sessioa"}}',
    '{"jsonrpc":"2.0","id":6,"method":"_autolith/attach","params":{"sessionId":"sessioa","tail":3}}',
    '{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"deny"}}}',
  );
  /** A message with some of its bytes changed, left out or doubled. */
  const mutated = fc
    .tuple(valid, fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(2)), { maxLength: 4 }))
    .map(([text, changes]) => {
      const bytes = [...Buffer.from(text)];
      for (const [place, byte, kind] of changes) bytes.splice(place % bytes.length, kind, byte);
      return Uint8Array.from(bytes);
    });
  const line = fc.oneof(
    mutated,
    fc.json().map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 60 }),
  );

  test("leaves a connection that answers", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), async (lines) => {
        await using served = serveHost(new ScriptedService());
        const raw = await initialized(served);
        for (const bytes of lines) raw.write(Buffer.concat([bytes, Buffer.from("\n")]));
        await goesOn(raw);
        expect(served.reports.filter((each) => !each.includes("permission request"))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("bytes of messages", () => {
  test("come in pieces of one byte, with characters of four", async () => {
    await using served = serveHost(new ScriptedService());
    const raw = await initialized(served);
    raw.request("new", "session/new", { cwd: "/", mcpServers: [] });
    const { sessionId } = (await raw.answerTo("new")).result as { sessionId: string };
    const prompt = [{ type: "text", text: "naïve 漢字 👩‍👧 \u0000" }];
    const line = Buffer.from(
      `${JSON.stringify({ jsonrpc: "2.0", id: "p", method: "session/prompt", params: { sessionId, prompt } })}\n`,
    );
    for (const byte of line) raw.write(Uint8Array.of(byte));
    expect(await raw.answerTo("p")).toMatchObject({ result: { stopReason: "end_turn" } });
    const texts = raw.lines.flatMap(
      ({ params }) => JSON.stringify(params ?? "").match(/naïve 漢字 👩‍👧/g) ?? [],
    );
    expect(texts.length).toBeGreaterThanOrEqual(2);
  });

  test("end with CR LF, have blank lines between them, and the last one needs no end", async () => {
    await using served = serveHost(new ScriptedService());
    const { write, read } = served.pipes();
    const raw = rawLines(write, read);
    raw.write('\n \r\n{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\r\n\n');
    expect(await raw.answerTo(1)).toMatchObject({ result: { protocolVersion: 1 } });
    write.end('{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}');
    expect(await raw.answerTo(2)).toMatchObject({ result: {} });
  });

  test("of another version are refused by their id", async () => {
    await using served = serveHost(new ScriptedService());
    const raw = await initialized(served);
    raw.write('{"jsonrpc":"1.0","id":"old","method":"session/list","params":{}}\n');
    expect(await raw.answerTo("old")).toMatchObject({ error: { code: invalidRequest } });
    await goesOn(raw);
  });

  test("with the same id are both answered", async () => {
    await using served = serveHost(new ScriptedService());
    const raw = await initialized(served);
    raw.request(7, "session/list", {});
    raw.request(7, "no/such", {});
    const codes = [await raw.answer(1), await raw.answer(2)].map(({ id, error }) => [id, error?.code]);
    expect(codes).toEqual(
      expect.arrayContaining([
        [7, undefined],
        [7, methodNotFound],
      ]),
    );
    await goesOn(raw);
  });

  test("that ask for nothing known: methods are refused, notifications and answers are passed over", async () => {
    await using served = serveHost(new ScriptedService());
    const raw = await initialized(served);
    raw.write('{"jsonrpc":"2.0","method":"no/such","params":{}}\n');
    raw.write('{"jsonrpc":"2.0","id":"nobody-asked","result":{}}\n');
    raw.write('{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"zzzzzzz"}}\n');
    raw.write('{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":17}}\n');
    raw.write('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"none"}}\n');
    raw.request(null, "no/such", {});
    expect(await raw.answer(1)).toMatchObject({ id: null, error: { code: methodNotFound } });
    await goesOn(raw);
    expect(raw.lines).toHaveLength(3);
    expect(served.reports).toEqual([]);
  });

  test("before initialize are refused", async () => {
    await using served = serveHost(new ScriptedService());
    const { write, read } = served.pipes();
    const raw = rawLines(write, read);
    raw.request(1, "session/new", { cwd: "/", mcpServers: [] });
    expect(await raw.answerTo(1)).toMatchObject({ error: { code: invalidRequest } });
  });

  test("for a closed session find none", async () => {
    await using served = serveHost(new ScriptedService());
    const raw = await initialized(served);
    raw.request("new", "session/new", { cwd: "/", mcpServers: [] });
    const { sessionId } = (await raw.answerTo("new")).result as { sessionId: string };
    raw.request("close", "session/close", { sessionId });
    expect(await raw.answerTo("close")).toMatchObject({ result: {} });
    raw.request("p", "session/prompt", { sessionId, prompt: [{ type: "text", text: "hello" }] });
    expect(await raw.answerTo("p")).toMatchObject({ error: { code: notFound } });
    raw.request("s", "_autolith/state", { sessionId });
    expect(await raw.answerTo("s")).toMatchObject({
      result: { outcome: "condition", code: "unknown-session" },
    });
    await goesOn(raw);
  });

  test("cancel their own request", async () => {
    const script = (_text: string, turn: { signal: AbortSignal }): Promise<void> =>
      new Promise((resolve) => turn.signal.addEventListener("abort", () => resolve()));
    await using served = serveHost(new ScriptedService({ script }));
    const raw = await initialized(served);
    raw.request("new", "session/new", { cwd: "/", mcpServers: [] });
    const { sessionId } = (await raw.answerTo("new")).result as { sessionId: string };
    raw.request("p", "session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] });
    raw.write('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p"}}\n');
    expect(await raw.answerTo("p")).toMatchObject({ result: { stopReason: "cancelled" } });
  });

  test("of a newer version of the protocol get ours", async () => {
    await using served = serveHost(new ScriptedService());
    const { write, read } = served.pipes();
    const raw = rawLines(write, read);
    raw.request(1, "initialize", { protocolVersion: 99 });
    expect(await raw.answerTo(1)).toMatchObject({ result: { protocolVersion: 1 } });
  });

  test("of every method that is advertised are served", async () => {
    await using served = serveHost(new ScriptedService());
    const raw = await initialized(served);
    raw.request("c", "_autolith/capabilities");
    const { value } = (await raw.answerTo("c")).result as { value: { methods: string[] } };
    expect(value.methods.length).toBeGreaterThan(30);
    for (const method of value.methods) {
      raw.request(method, method, { sessionId: "no id" });
      const { error, result } = await raw.answerTo(method);
      expect([method, error?.code ?? (result as { outcome: string }).outcome]).toEqual([
        method,
        expect.toSatisfy((answer: unknown) => answer === -32_602 || answer === "ok"),
      ]);
    }
  });

  test("a cancel that comes together with its prompt stops it", async () => {
    const script = (_text: string, turn: { signal: AbortSignal }): Promise<void> =>
      new Promise((resolve) => turn.signal.addEventListener("abort", () => resolve()));
    await using served = serveHost(new ScriptedService({ script }));
    const raw = await initialized(served);
    raw.request("new", "session/new", { cwd: "/", mcpServers: [] });
    const { sessionId } = (await raw.answerTo("new")).result as { sessionId: string };
    const prompt = {
      jsonrpc: "2.0",
      id: "p",
      method: "session/prompt",
      params: { sessionId, prompt: [{ type: "text", text: "go" }] },
    };
    const cancel = { jsonrpc: "2.0", method: "session/cancel", params: { sessionId } };
    raw.write(`${JSON.stringify(prompt)}\n${JSON.stringify(cancel)}\n`);
    expect(await raw.answerTo("p")).toMatchObject({ result: { stopReason: "cancelled" } });
  });
});
