import { setImmediate as nextTurn } from "node:timers/promises";
import { once } from "node:events";
import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { eventLogCharacters } from "../../../orchestrator/sessions/event-log.ts";
import { outstandingRequestLimit } from "../../../cli/acp/wire/message-limits.ts";
import { serveHost } from "../../support/acp/served-host.ts";
import { type SocketClient, socketClient } from "../../support/acp/socket-client.ts";
import { clientFrame } from "../../support/acp/websocket-client-frame.ts";
import { ScriptedService } from "../../support/sessions/scripted-service.ts";
import type { TurnScript } from "../../support/sessions/scripted-session.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function usedHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const chunkCharacters = 8_192;
const chunks = 3_000;
/** The reader that keeps up is never further behind than this. */
const window = 300;

type Params = { readonly sequence: number; readonly kind: string; readonly data: Record<string, unknown> };

function event({ params }: { readonly params?: unknown }): Params | undefined {
  return typeof params === "object" && params !== null && "sequence" in params
    ? (params as Params)
    : undefined;
}

/** Streams 24 MB as fast as the one client reads that reads; history is not kept. */
function streaming(read: () => number): TurnScript {
  return async (_text, turn) => {
    for (let sent = 0; sent < chunks; sent += 1) {
      while (sent - read() > window) await nextTurn();
      turn.emit({ type: "message-chunk", messageId: "r:1:m", text: "x".repeat(chunkCharacters), at: 0 });
    }
  };
}

async function attached(client: SocketClient, sessionId: string): Promise<void> {
  client.request("attach", "_autolith/attach", { sessionId, tail: 0 });
  await client.next(({ id }) => id === "attach");
}

describe("a client that does not read", () => {
  test("holds up nobody, costs no more than the bounds, and is told what it lost", async () => {
    let read = 0;
    const service = new ScriptedService({ script: streaming(() => read), keepHistory: false });
    await using served = serveHost(service);
    const endpoint = await served.endpoint();
    const [quick, slow] = [await socketClient(endpoint), await socketClient(endpoint)];
    quick.request("open", "_autolith/open", { how: "new", cwd: "/" });
    const opened = await quick.next(({ id }) => id === "open");
    const { sessionId } = (opened.result as { value: { sessionId: string } }).value;
    await attached(quick, sessionId);
    await attached(slow, sessionId);

    const before = usedHeap();
    quick.request("go", "_autolith/submit", {
      sessionId,
      as: "prompt",
      input: { parts: [{ type: "text", text: "go" }] },
    });
    const end = await quick.next((line) => {
      const told = event(line);
      if (told?.kind === "update") read += 1;
      expect(told?.kind).not.toBe("gap");
      return told?.kind === "turn" && told.data["state"] === "idle";
    });
    expect(read).toBeGreaterThanOrEqual(chunks);
    // The log, one batch in hand, and what sockets hold.
    expect(usedHeap() - before).toBeLessThan(3 * eventLogCharacters);

    let last = 0;
    let lost = 0;
    await slow.next((line) => {
      const told = event(line);
      if (told === undefined) return false;
      if (told.kind === "gap") {
        expect(told.data["deliveredThrough"]).toBe(last);
        lost = told.data["lost"] as number;
        expect(told.sequence).toBe(last + lost);
      } else if (last > 0) expect(told.sequence).toBe(last + 1);
      last = told.sequence;
      return last === event(end)?.sequence;
    });
    expect(lost).toBeGreaterThan(chunks / 2);
    for (const client of [quick, slow]) client.socket.destroy();
  });

  test.each(["http", "websocket"] as const)("over %s holds up no turn", async (kind) => {
    const script: TurnScript = async (_text, turn) => {
      for (let sent = 0; sent < 2_000; sent += 1) {
        turn.emit({
          type: "message-chunk",
          messageId: `r:1:${sent}`,
          text: "x".repeat(chunkCharacters),
          at: 0,
        });
        if (sent % 20 === 0) await nextTurn();
      }
    };
    const service = new ScriptedService({ script, keepHistory: false });
    await using served = serveHost(service);
    const { address } = await served.network("http");
    const socket = connect({ host: address.host, port: address.port });
    await once(socket, "connect");
    const sessionId =
      kind === "http" ? await openByHttp(socket, address.port) : await openByWebSocket(socket);
    socket.pause();
    const session = service.sessions()[0];
    expect(session?.id).toBe(sessionId);
    const submission = await session?.prompt({ parts: [{ type: "text", text: "go" }] });
    if (submission?.kind !== "turn") throw new Error("a turn was expected");
    expect(await submission.finished).toMatchObject({ outcome: "end-turn" });
    socket.destroy();
  });

  test("and one that takes everything at once leave turns of the event loop to others", async () => {
    const script: TurnScript = (_text, turn) => {
      for (let sent = 0; sent < 3_000; sent += 1) turn.emit({ type: "plan", entries: [], at: 0 });
      return Promise.resolve();
    };
    await using served = serveHost(new ScriptedService({ script }));
    const client = await served.client("stdio");
    const { sessionId } = await client.request("session/new", { cwd: "/", mcpServers: [] });
    await client.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] });
    let turns = 0;
    let counting = true;
    const count = (): void => {
      turns += 1;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    const before = client.told.length;
    await client.request("session/load", { sessionId, cwd: "/", mcpServers: [] });
    counting = false;
    expect(client.told.length - before).toBeGreaterThanOrEqual(3_000);
    expect(turns).toBeGreaterThan(3_000 / 64);
    client.close();
  });

  test("and asks on and on is not read any further, and answered when it reads", async () => {
    await using served = serveHost(new ScriptedService());
    const client = await socketClient(await served.endpoint());
    const count = 12_000;
    const line = (id: number): string =>
      `${JSON.stringify({ jsonrpc: "2.0", id, method: "_autolith/capabilities", params: {} })}\n`;
    const before = usedHeap();
    client.socket.write(Array.from({ length: count }, (_each, id) => line(id)).join(""));
    const other = await served.client("local");
    for (let asked = 0; asked < 50; asked += 1) await other.request("session/list", {});
    // What waits is in the client's own buffers.
    expect(client.socket.writableLength).toBeGreaterThan(0);
    expect(usedHeap() - before).toBeLessThan(outstandingRequestLimit * 65_536);
    let answers = 0;
    await client.next(({ error }) => {
      expect(error).toBeUndefined();
      answers += 1;
      return answers === count;
    });
    other.close();
    client.socket.destroy();
  });
});

async function openByWebSocket(socket: ReturnType<typeof connect>): Promise<string> {
  socket.write(
    "GET /acp HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  const send = (id: number, method: string, params: object): void =>
    void socket.write(clientFrame(0x1, JSON.stringify({ jsonrpc: "2.0", id, method, params })));
  send(1, "initialize", { protocolVersion: 1 });
  send(2, "session/new", { cwd: "/", mcpServers: [] });
  let text = "";
  for (;;) {
    const [part] = (await once(socket, "data")) as [Buffer];
    text += part.toString("latin1");
    const found = /"sessionId":"(\w{7})","modes"/.exec(text)?.[1];
    if (found !== undefined) return found;
  }
}

/** Opens a session by requests of its own; the socket becomes its stream. */
async function openByHttp(socket: ReturnType<typeof connect>, port: number): Promise<string> {
  const url = `http://127.0.0.1:${port}/acp`;
  const post = (
    headers: Record<string, string>,
    id: number,
    method: string,
    params: object,
  ): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
    });
  const initialized = await post({}, 1, "initialize", { protocolVersion: 1 });
  const connection = { "acp-connection-id": initialized.headers.get("acp-connection-id") ?? "" };
  await initialized.text();
  await (await post(connection, 2, "session/new", { cwd: "/", mcpServers: [] })).text();
  const stream = await fetch(url, { headers: { accept: "text/event-stream", ...connection } });
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let sessionId: string | undefined;
  while (sessionId === undefined) {
    text += (await reader?.read())?.value ?? "";
    sessionId = /"sessionId":"(\w{7})","modes"/.exec(text)?.[1];
  }
  socket.write(
    `GET /acp HTTP/1.1\r\nHost: h\r\nAccept: text/event-stream\r\nAcp-Connection-Id: ${connection["acp-connection-id"]}\r\nAcp-Session-Id: ${sessionId}\r\n\r\n`,
  );
  await once(socket, "data");
  return sessionId;
}
