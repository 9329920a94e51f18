import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { exchange } from "../../../workers/model/http-exchange.ts";
import type { BodyWatch } from "../../../workers/model/response-body.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

const unwatched = (): BodyWatch => ({
  onBytes: (bytes: Uint8Array) => bytes.length,
  refusal: () => new Error("refused"),
  isComplete: () => true,
});

const init = {
  method: "POST",
  headers: { authorization: "Bearer key", "x-own": "1" },
  body: '{"text":"ü"}',
};

test("body and headers go out, status, headers and body come back, connections are kept", async () => {
  const ports = new Set<number>();
  const base = await serve((request, response) => {
    ports.add(request.socket.remotePort ?? 0);
    void bodyOf(request).then((body) => {
      response.writeHead(418, { "x-request-id": "r1" });
      response.end([request.method, request.headers["x-own"], body].join(" "));
    });
  });
  for (let turn = 0; turn < 3; turn += 1) {
    const response = await exchange(`${base}/v1`, init, unwatched);
    expect({ status: response.status, ok: response.ok }).toEqual({ status: 418, ok: false });
    expect(response.headers.get("x-request-id")).toBe("r1");
    expect(await response.body.text()).toBe('POST 1 {"text":"ü"}');
  }
  expect(ports.size).toBe(1);
});

test("a redirection that keeps the method is followed, and other servers get no credentials", async () => {
  const seen: (string | undefined)[] = [];
  const answer: RequestListener = (request, response) => {
    seen.push(request.headers.authorization);
    void bodyOf(request).then((body) => response.end(body));
  };
  const elsewhere = await serve(answer);
  const base = await serve((request, response) => {
    if (request.url === "/same") answer(request, response);
    else response.writeHead(307, { location: request.url === "/a" ? "/same" : `${elsewhere}/` }).end();
  });
  expect(await (await exchange(`${base}/a`, init, unwatched)).body.text()).toBe(init.body);
  expect(await (await exchange(`${base}/b`, init, unwatched)).body.text()).toBe(init.body);
  expect(seen).toEqual(["Bearer key", undefined]);
});

test("redirections in a circle end", async () => {
  let asked = 0;
  const base = await serve((_request, response) => {
    asked += 1;
    response.writeHead(308, { location: "/again" }).end();
  });
  expect((await exchange(base, init, unwatched)).status).toBe(308);
  expect(asked).toBe(6);
});

test("a server that is not there, and an abort, reject", async () => {
  const base = await serve(() => undefined);
  const abort = new AbortController();
  const waiting = exchange(base, { ...init, signal: abort.signal }, unwatched);
  abort.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
  await expect(exchange("http://127.0.0.1:1/", init, unwatched)).rejects.toMatchObject({
    code: "ECONNREFUSED",
  });
});

test("a kept connection that the server closed is replaced, and the request goes out once", async () => {
  let bodies = 0;
  const base = await serve((request, response) => {
    void bodyOf(request).then(() => {
      bodies += 1;
      response.end("ok");
    });
  });
  await (await exchange(base, init, unwatched)).body.text();
  // The client has not heard of this yet when it sends the next request.
  servers.at(-1)?.closeAllConnections();
  expect(await (await exchange(base, init, unwatched)).body.text()).toBe("ok");
  expect(bodies).toBe(2);
});
