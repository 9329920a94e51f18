import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { chatPlan } from "./chat-frames.ts";
import { frameText, type Frame, type FramePlan } from "./frames.ts";
import { responsesPlan } from "./responses-frames.ts";
import type { RecordedRequest, Script, ScriptedAnswer, ScriptedStatus, ScriptedTurn } from "./script.ts";

/** A scripted OpenAI-compatible server on a loopback port. */
export interface ModelServer {
  /** Base URL up to and including `/v1`. */
  readonly baseUrl: string;
  /** Every request so far, in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Resolves with request `number` (from 1) as soon as it has arrived. */
  arrived(number: number): Promise<RecordedRequest>;
  /** Resolves when the connection of request `number` was closed by its client before the answer ended. */
  abandoned(number: number): Promise<void>;
  /** Ends all connections and the server. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a server that answers `POST /v1/responses` and `POST /v1/chat/completions` from the script. */
export async function startModelServer(script: Script): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  const arrivals = new Milestones<RecordedRequest>();
  const abandonments = new Milestones<void>();
  const sockets = new Set<Socket>();
  const server = createServer((incoming, response) => {
    void receive(incoming, requests.length + 1).then(async (request) => {
      if (request === undefined) {
        await sendStatus(response, {
          kind: "status",
          status: 404,
          body: { error: { message: "no such path" } },
        });
        return;
      }
      const numbered = { ...request, number: requests.length + 1 };
      requests.push(numbered);
      response.once("close", () => {
        if (!response.writableFinished) abandonments.reach(numbered.number, undefined);
      });
      arrivals.reach(numbered.number, numbered);
      await answerTurn(response, numbered, await nextTurn(script, numbered));
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const port = await listen(server);
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  };
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    arrived: (number) => arrivals.wait(number),
    abandoned: (number) => abandonments.wait(number),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A base URL on which every connection is refused: a port that was free a moment ago. */
export async function refusedBaseUrl(): Promise<string> {
  const server = createServer();
  const port = await listen(server);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  return `http://127.0.0.1:${port}/v1`;
}

/** Numbered one-time events that may be awaited before or after they happen. */
class Milestones<Value> {
  readonly #reached = new Map<number, Value>();
  readonly #waiting = new Map<number, Array<(value: Value) => void>>();

  reach(number: number, value: Value): void {
    this.#reached.set(number, value);
    for (const resolve of this.#waiting.get(number) ?? []) resolve(value);
    this.#waiting.delete(number);
  }

  wait(number: number): Promise<Value> {
    if (this.#reached.has(number)) return Promise.resolve(this.#reached.get(number) as Value);
    return new Promise((resolve) => {
      this.#waiting.set(number, [...(this.#waiting.get(number) ?? []), resolve]);
    });
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function receive(incoming: IncomingMessage, number: number): Promise<RecordedRequest | undefined> {
  const receivedAt = performance.timeOrigin + performance.now();
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const wire = incoming.url?.endsWith("/responses") === true ? "responses" : "chat";
  if (incoming.method !== "POST" || !/\/(responses|chat\/completions)$/.test(incoming.url ?? ""))
    return undefined;
  const text = Buffer.concat(chunks).toString("utf8");
  const body: unknown = JSON.parse(text);
  const clientPort = incoming.socket.remotePort ?? 0;
  return { number, wire, headers: incoming.headers, body, text, clientPort, receivedAt };
}

function nextTurn(script: Script, request: RecordedRequest): ScriptedTurn | Promise<ScriptedTurn> {
  if (typeof script === "function") return scriptedTurn(script, request);
  const turn = script[request.number - 1];
  if (turn !== undefined) return turn;
  const message = `The script has ${script.length} turns; request ${request.number} came.`;
  return { kind: "status", status: 500, body: { error: { code: "script_exhausted", message } } };
}

/** A script that fails is told to the client as a refusal of its request, which is not tried again. */
async function scriptedTurn(
  script: Exclude<Script, readonly ScriptedTurn[]>,
  request: RecordedRequest,
): Promise<ScriptedTurn> {
  try {
    return await script(request);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "status", status: 400, body: { error: { code: "script_failed", message } } };
  }
}

async function answerTurn(
  response: ServerResponse,
  request: RecordedRequest,
  turn: ScriptedTurn,
): Promise<void> {
  switch (turn.kind) {
    case "status":
      return sendStatus(response, turn);
    case "frames": {
      const end = turn.done === false ? "close" : "done";
      return sendPlan(response, { frames: turn.frames.map((data) => ({ data })), end });
    }
    case "answer":
      return sendAnswer(response, request, turn);
  }
}

async function sendStatus(response: ServerResponse, turn: ScriptedStatus): Promise<void> {
  const isText = typeof turn.body === "string";
  const contentType = isText ? "text/html; charset=utf-8" : "application/json";
  response.writeHead(turn.status, { "content-type": contentType, ...turn.headers });
  response.end(isText ? turn.body : JSON.stringify(turn.body ?? {}));
}

async function sendAnswer(
  response: ServerResponse,
  request: RecordedRequest,
  turn: ScriptedAnswer,
): Promise<void> {
  if (turn.latencyMs !== undefined && turn.latencyMs > 0) await delay(turn.latencyMs);
  const fault = turn.fault;
  if (fault?.kind === "stall" && fault.after === "request") return;
  if (fault?.kind === "html") {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<html><body>Sign in to the proxy</body></html>");
    return;
  }
  const plan = request.wire === "chat" ? chatPlan(turn, request.number) : responsesPlan(turn, request.number);
  return sendPlan(response, disturb(plan, turn, request.wire), turn.paceMs);
}

/** Applies the faults that do not depend on the form of the answer. */
function disturb(plan: FramePlan, turn: ScriptedAnswer, wire: "responses" | "chat"): FramePlan {
  const fault = turn.fault;
  if (fault?.kind === "stall" && fault.after !== "request") {
    return { frames: plan.frames.slice(0, fault.after), end: "stall" };
  }
  if (fault?.kind === "broken-json") {
    return { frames: [...plan.frames.slice(0, 1), { data: '{"choices": [{"delta": ' }], end: "done" };
  }
  if (fault?.kind === "error-event") {
    const error = { code: fault.code, message: "scripted stream failure" };
    const frame: Frame =
      wire === "chat" ? { data: { error } } : { event: "error", data: { type: "error", ...error } };
    return { frames: [...plan.frames.slice(0, fault.frames), frame], end: "close" };
  }
  return plan;
}

async function sendPlan(response: ServerResponse, plan: FramePlan, paceMs?: number): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  if (paceMs === undefined) response.write(plan.frames.map(frameText).join(""));
  else
    for (const frame of plan.frames) {
      if (response.destroyed) return;
      response.write(frameText(frame));
      await delay(paceMs);
    }
  switch (plan.end) {
    case "done":
      response.end(frameText({ data: "[DONE]" }));
      return;
    case "close":
      response.end();
      return;
    case "reset":
      // The frames must be on their way before the reset, or the client sees no output at all.
      response.write(": reset follows\n\n", () => response.socket?.resetAndDestroy());
      return;
    case "stall":
      return;
  }
}
