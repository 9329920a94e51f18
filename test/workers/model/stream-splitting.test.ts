import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ModelRequest } from "../../../orchestrator/contract/model.ts";
import { attemptRequest } from "../../../workers/model/openai-attempt.ts";
import { quickLimits, sampleTools } from "../../support/agents/specification.ts";
import { chatPlan } from "../../support/model-server/chat-frames.ts";
import { frameText } from "../../support/model-server/frames.ts";
import { responsesPlan } from "../../support/model-server/responses-frames.ts";
import { calls } from "../../support/model-server/script.ts";

/** Streams that arrive split at any byte, cut at any byte, or with a byte changed. */

const turn = calls([{ name: "resource__read", arguments: { uri: "workspace:é😀.txt" } }], {
  text: "Größe 😀",
  reasoning: "Überlegen.",
  usage: { input: 4, output: 2 },
  pieces: 3,
});

const bodies = {
  chat: Buffer.from([...chatPlan(turn, 1).frames, { data: "[DONE]" }].map(frameText).join("")),
  responses: Buffer.from([...responsesPlan(turn, 1).frames, { data: "[DONE]" }].map(frameText).join("")),
};

let server: Server;
let baseUrl = "";
let next: readonly Uint8Array[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const send = (at: number): void => {
        const piece = next[at];
        if (piece === undefined) response.end();
        else response.write(piece, () => setImmediate(send, at + 1));
      };
      send(0);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const request: ModelRequest = {
  model: "scripted",
  instructions: "",
  items: [{ type: "user-message", text: "Go." }],
  tools: [...sampleTools],
};

async function attempt(wire: "chat" | "responses", pieces: readonly Uint8Array[]) {
  next = pieces;
  return attemptRequest({
    endpoint: { provider: "p", wire, baseUrl, reasoning: false },
    request,
    limits: quickLimits,
    signal: new AbortController().signal,
    onOutput: () => undefined,
  });
}

function split(bytes: Buffer, places: readonly number[]): Uint8Array[] {
  const cuts = [...new Set(places.map((place) => place % bytes.length))].toSorted((a, b) => a - b);
  return [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length));
}

it.each(["chat", "responses"] as const)("%s: splits change nothing", async (wire) => {
  const whole = await attempt(wire, [bodies[wire]]);
  expect(whole.items.map(({ type }) => type)).toEqual(["reasoning", "assistant-message", "tool-call"]);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { maxLength: 12 }), async (places) => {
      expect(await attempt(wire, split(bodies[wire], places))).toEqual(whole);
    }),
    { numRuns: 40 },
  );
});

it.each(["chat", "responses"] as const)(
  "%s: a stream cut at any byte gives the whole answer or a failure",
  async (wire) => {
    const whole = await attempt(wire, [bodies[wire]]);
    await fc.assert(
      fc.asyncProperty(fc.nat(bodies[wire].length), async (length) => {
        try {
          const response = await attempt(wire, [bodies[wire].subarray(0, length)]);
          expect(response.items).toEqual(whole.items);
        } catch (error) {
          expect(error).toMatchObject({ name: "ModelRequestError" });
        }
      }),
      { numRuns: 150 },
    );
  },
);

it.each(["chat", "responses"] as const)(
  "%s: changed bytes never give another kind of error",
  async (wire) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(bodies[wire].length - 1), fc.nat(255), async (at, byte) => {
        const changed = Buffer.from(bodies[wire]);
        changed[at] = byte;
        await attempt(wire, [changed]).catch((error: unknown) => {
          expect(error).toMatchObject({ name: "ModelRequestError" });
        });
      }),
      { numRuns: 150 },
    );
  },
);

it.each(["chat", "responses"] as const)(
  "%s: an event that nests without end is refused before it is parsed",
  async (wire) => {
    const event = Buffer.from(`data: ${'{"x":0,"d":'.repeat(20_000)}{"q"x\n\n`);
    await expect(attempt(wire, split(event, [7, 1_000]))).rejects.toMatchObject({
      failure: { code: "malformed", message: "The response holds JSON that nests deeper than 512." },
    });
  },
);
