import { once } from "node:events";
import { type Socket, connect } from "node:net";
import { describe, expect, test } from "vitest";
import type { NetworkServer } from "../../../../cli/acp/transports/network-server.ts";
import { messageByteLimit } from "../../../../cli/acp/wire/message-limits.ts";
import { endpointUrl } from "../../../../cli/acp/transports/listen-address.ts";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { httpClientLimit } from "../../../../cli/acp/transports/network-limits.ts";
import { eventually } from "../../../support/eventually.ts";
import { testClient } from "../../../support/acp/test-client.ts";
import { serveHost } from "../../../support/acp/served-host.ts";
import { clientFrame } from "../../../support/acp/websocket-client-frame.ts";
import { ScriptedService } from "../../../support/sessions/scripted-service.ts";

const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };

type Post = {
  readonly body?: string | Uint8Array;
  readonly headers?: Record<string, string>;
  readonly path?: string;
};

async function post(server: NetworkServer, { body, headers, path }: Post = {}): Promise<Response> {
  const url = new URL(path ?? "", endpointUrl("http", server.address));
  const sent = body ?? JSON.stringify(initialize);
  return fetch(url, {
    method: "POST",
    body: typeof sent === "string" ? sent : Uint8Array.from(sent),
    headers: { "content-type": "application/json", ...headers },
  });
}

/** A connection on which bytes are written as they are. */
async function raw(
  server: NetworkServer,
): Promise<{ socket: Socket; received: () => Buffer; closed: Promise<unknown> }> {
  const { host, port } = server.address;
  const socket = connect({ host, port });
  const parts: Buffer[] = [];
  socket.on("data", (part: Buffer) => parts.push(part)).on("error", () => undefined);
  await once(socket, "connect");
  return { socket, received: () => Buffer.concat(parts), closed: once(socket, "close") };
}

const upgrade = (headers: readonly string[] = [], path = "/acp"): string =>
  [
    `GET ${path} HTTP/1.1`,
    "Host: localhost",
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...headers,
    "\r\n",
  ].join("\r\n");

describe("who may use the port", () => {
  test("a token by header or by URL lets in, anything else does not", async () => {
    await using served = serveHost(new ScriptedService());
    const server = await served.network("http", "s3cret");
    expect((await post(server)).status).toBe(401);
    expect((await post(server, { headers: { authorization: "Bearer other" } })).status).toBe(401);
    expect((await post(server, { path: "?token=s3cre" })).status).toBe(401);
    expect((await post(server)).headers.get("www-authenticate")).toBe("Bearer");
    expect((await post(server, { headers: { authorization: "bearer s3cret" } })).status).toBe(200);
    expect((await post(server, { path: "?token=s3cret" })).status).toBe(200);
  });

  test("web pages and other paths are refused, by HTTP and by WebSocket", async () => {
    await using served = serveHost(new ScriptedService());
    const server = await served.network("http");
    expect((await post(server, { headers: { origin: "http://localhost" } })).status).toBe(403);
    expect((await post(server, { path: "/" })).status).toBe(404);
    for (const [request, status] of [
      [upgrade(["Origin: http://localhost"]), "403"],
      [upgrade([], "/other"), "404"],
      [upgrade().replace("13", "12"), "400"],
    ] as const) {
      const { socket, received, closed } = await raw(server);
      socket.write(request);
      await closed;
      expect(received().toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    }
  });

  test("a WebSocket needs the token too", async () => {
    await using served = serveHost(new ScriptedService());
    const server = await served.network("websocket", "s3cret");
    const { socket, received, closed } = await raw(server);
    socket.write(upgrade());
    await closed;
    expect(received().toString()).toMatch(/^HTTP\/1.1 401 /);
    const client = await testClient(
      createWebSocketStream(`${endpointUrl("ws", server.address)}?token=s3cret`),
    );
    expect(await client.request("session/list", {})).toMatchObject({ sessions: [] });
    client.close();
  });

  test("--websocket serves no HTTP", async () => {
    await using served = serveHost(new ScriptedService());
    expect((await post(await served.network("websocket"))).status).toBe(426);
  });
});

describe("HTTP clients", () => {
  test("that have no request open are gone after a while, and their sessions with them", async () => {
    const service = new ScriptedService();
    await using served = serveHost(service);
    const server = await served.network("http", undefined, 3_000);
    const stream = createHttpStream(endpointUrl("http", server.address));
    const client = await testClient(stream);
    const { sessionId } = await client.request("session/new", { cwd: "/", mcpServers: [] });
    // Its event streams are open requests: it stays as long as they do.
    for (let asked = 0; asked < 20; asked += 1) await client.request("session/list", {});
    const [session] = service.sessions();
    expect(session?.id).toBe(sessionId);
    // A client that only says hello and never comes back.
    await (await post(server)).text();
    await eventually(() => served.host.connections).toBe(1);
    expect(service.sessions()).toEqual([session]);
    client.close();
    await eventually(() => served.host.connections).toBe(0);
    expect(service.sessions()).toEqual([]);
  });

  test("are taken up to a bound", async () => {
    await using served = serveHost(new ScriptedService());
    const server = await served.network("http");
    const statuses: number[] = [];
    for (let asked = 0; asked <= httpClientLimit; asked += 1) statuses.push((await post(server)).status);
    expect(statuses).toEqual([...Array.from({ length: httpClientLimit }, () => 200), 503]);
  });
});

describe("HTTP bodies", () => {
  test.each<[string, string | Uint8Array, number, number]>([
    ["garbage", "garbage", 400, -32_700],
    ["a batch", "[]", 400, -32_600],
    ["JSON that nests too deep", '{"a":'.repeat(100_000), 400, -32_600],
    ["no UTF-8", Uint8Array.of(0xff), 400, -32_700],
    ["too many bytes", Buffer.alloc(messageByteLimit + 1, " "), 413, -32_600],
  ])("%s are answered", async (_name, body, status, code) => {
    await using served = serveHost(new ScriptedService());
    const server = await served.network("http");
    const response = await post(server, { body });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ id: null, error: { code } });
    expect((await post(server)).status).toBe(200);
  });

  test("come byte by byte, as do the beginnings of both protocols", async () => {
    await using served = serveHost(new ScriptedService());
    const server = await served.network("http");
    const body = JSON.stringify(initialize);
    const { socket, received } = await raw(server);
    socket.setNoDelay(true);
    const request = `POST /acp HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
    for (const byte of Buffer.from(request)) socket.write(Buffer.of(byte));
    await once(socket, "close");
    expect(received().toString()).toMatch(/^HTTP\/1.1 200 [^]*"protocolVersion":1/);
  });
});

describe("a WebSocket of bytes", () => {
  test("accepts the handshake of RFC 6455, answers pings, and says goodbye", async () => {
    await using served = serveHost(new ScriptedService());
    const { socket, received, closed } = await raw(await served.network("http"));
    const message = clientFrame(0x1, JSON.stringify(initialize));
    // The first frame comes with the handshake, the others in pieces.
    socket.write(Buffer.concat([Buffer.from(upgrade()), message.subarray(0, 10)]));
    for (const byte of message.subarray(10)) socket.write(Buffer.of(byte));
    socket.write(clientFrame(0x9, "are you there"));
    socket.write(clientFrame(0x8, Buffer.of(0x03, 0xe8)));
    await closed;
    const text = received().toString("latin1");
    expect(text).toContain("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    expect(text).toContain("are you there");
    expect(received().subarray(-4)).toEqual(Buffer.of(0x88, 2, 0x03, 0xe8));
  });

  test("that breaks the protocol is closed with its code", async () => {
    await using served = serveHost(new ScriptedService());
    const { socket, received, closed } = await raw(await served.network("websocket"));
    socket.write(upgrade());
    socket.write(clientFrame(0x2, "binary"));
    await closed;
    expect(received().includes(Buffer.of(0x03, 0xeb))).toBe(true);
  });

  test("carries garbage as messages, which are answered", async () => {
    await using served = serveHost(new ScriptedService());
    const { socket, received } = await raw(await served.network("websocket"));
    socket.write(upgrade());
    socket.write(clientFrame(0x1, "garbage"));
    socket.write(clientFrame(0x1, Uint8Array.of(0xff)));
    socket.write(clientFrame(0x8, ""));
    await once(socket, "close");
    expect(
      received()
        .toString()
        .match(/-32700/g),
    ).toHaveLength(2);
  });
});
