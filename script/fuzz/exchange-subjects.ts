/** What comes over a port or a connection: messages of agent threads, and the streams of models on both wires. */
import { agentSpecSchema, threadMessageSchema } from "../../orchestrator/contract/agent-thread.ts";
import {
  type ModelRequest,
  modelFailureSchema,
  modelResponseSchema,
} from "../../orchestrator/contract/model.ts";
import { ModelRequestError } from "../../orchestrator/contract/model-failure.ts";
import { attemptRequest } from "../../workers/model/openai-attempt.ts";
import { quickLimits, sampleTools, liveSpec } from "../../test/support/agents/specification.ts";
import { chatPlan } from "../../test/support/model-server/chat-frames.ts";
import { frameText } from "../../test/support/model-server/frames.ts";
import { responsesPlan } from "../../test/support/model-server/responses-frames.ts";
import { answer, calls } from "../../test/support/model-server/script.ts";
import { type Damage, damagedDocument, damagedValue, splitBytes } from "./mutation.ts";
import type { Random } from "./random.ts";
import { type FuzzSubject, errorOf, expectThat } from "./subject.ts";

const request: ModelRequest = {
  model: "scripted",
  instructions: "",
  items: [{ type: "user-message", text: "Go." }],
  tools: [...sampleTools],
};
const call = { type: "tool-call", callId: "c", tool: "shell.run", arguments: "{}" } as const;
const response = { items: [{ type: "assistant-message", text: "Done." }, call], usage: { inputTokens: 1 } };
const key = { lineage: "0", purpose: "agent", ordinal: 1 };
const failure = { code: "timeout", message: "late", outputReceived: false };

/** One message of each kind. */
const messages: readonly unknown[] = [
  {
    kind: "boundary",
    id: 1,
    boundary: { requestNumber: 1, items: response.items, usage: {}, responseId: "r" },
  },
  { kind: "replay", id: 2, replay: { key, request } },
  { kind: "event", event: { event: "run-started", threadId: 1 } },
  { kind: "event", event: { event: "attempt-failed", requestNumber: 1, attempt: 1, failure, elapsedMs: 1 } },
  {
    kind: "event",
    event: { event: "request-completed", requestNumber: 1, attempts: 1, usage: {}, elapsedMs: 1 },
  },
  {
    kind: "event",
    event: { event: "output", requestNumber: 1, channel: "text", text: "a", omittedCharacters: 0 },
  },
  // Twice, because it holds the most.
  { kind: "event", event: { event: "exchange", key, request, response } },
  { kind: "event", event: { event: "exchange", key, request, response } },
  {
    kind: "outcome",
    outcome: { status: "failed", requests: 1, failure: { code: "turn-limit", message: "m" } },
  },
];

const threadMessages: FuzzSubject = {
  name: "thread-messages",
  run: (random) => {
    const isSpec = random.oneIn(8);
    const value = damagedValue(
      random,
      isSpec ? liveSpec("http://127.0.0.1:9/v1", "chat") : random.pick(messages),
    );
    const parsed = (isSpec ? agentSpecSchema : threadMessageSchema).safeParse(value);
    if (parsed.success) return;
    const [issue] = parsed.error.issues;
    expectThat(issue !== undefined && issue.message !== "", "a refused message says what is wrong", value);
    expectThat(errorOf(() => parsed.error.message) === undefined, "the refusal has a text", value);
  },
};

/** Answers of every shape the adapters know, as bytes on the wire. */
function bodies(wire: "chat" | "responses"): Buffer[] {
  const shell = { name: "shell__run", arguments: { command: "echo é😀" } };
  const turns = [
    answer("Größe 😀", {
      reasoning: "Überlegen.",
      usage: { input: 4, output: 2, cached: 1, reasoning: 1 },
      pieces: 3,
    }),
    calls([shell, { name: "resource__read", arguments: { uri: "workspace:a" } }], { text: "So.", pieces: 4 }),
    calls([shell], { usage: "none" }),
    answer("x", { fault: { kind: "error-event", code: "server_error", frames: 1 } }),
    calls([shell], { fault: { kind: "cut-arguments", how: "length" } }),
  ];
  const plan = wire === "chat" ? chatPlan : responsesPlan;
  return turns.map((turn) =>
    Buffer.from([...plan(turn, 1).frames, { data: "[DONE]" }].map(frameText).join("")),
  );
}

const streamPieces = [
  ...'{}[]",:\n\r\\ '.split(""),
  ...[
    "data: ",
    "event: ",
    "\n\n",
    "\r\n\r\n",
    ": comment\n",
    "data: [DONE]\n\n",
    "data: null\n\n",
    "data: []\n\n",
    "data: 1\n\n",
  ],
  ...[
    '"index":-1',
    '"index":4294967296',
    '"index":1e9',
    '"tool_calls":[{"index":999999999}]',
    '"choices":null',
    '"choices":[{}]',
  ],
  ...[
    '"finish_reason":"length"',
    '"finish_reason":7',
    '"arguments":{"a":1}',
    '"output_index":1e300',
    '"type":"error"',
    "null",
  ],
  ...[
    'data: {"type":"response.completed","response":{"output":[null,1,{}]}}\n\n',
    "retry: 999999999\n",
    "id: x\n",
    "\ufeff",
  ],
  ...[
    'data: {"error":{"message":"secret sk-0123456789abcdef01234567","code":7}}\n\n',
    '"usage":{"prompt_tokens":-1.5}',
    "\\ud800",
  ],
];

type Told = { readonly response?: unknown; readonly failure?: unknown };

async function exchange(
  wire: "chat" | "responses",
  contentType: string,
  pieces: readonly Buffer[],
): Promise<Told> {
  const own = globalThis.fetch;
  globalThis.fetch = async () => {
    const queue = [...pieces];
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const piece = queue.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    });
    return await Promise.resolve(
      new Response(body, { status: 200, headers: { "content-type": contentType } }),
    );
  };
  try {
    return {
      response: await attemptRequest({
        endpoint: { provider: "p", wire, baseUrl: "http://127.0.0.1:9/v1", reasoning: false },
        request,
        limits: quickLimits,
        signal: new AbortController().signal,
        onOutput: () => undefined,
      }),
    };
  } catch (error) {
    if (error instanceof ModelRequestError) return { failure: error.failure };
    throw error;
  } finally {
    globalThis.fetch = own;
  }
}

async function checkStream(random: Random, wire: "chat" | "responses", damage: Damage): Promise<void> {
  const { bytes } = damagedDocument(random, damage);
  const type = random.oneIn(16) ? random.pick(["text/html", "application/json", ""]) : "text/event-stream";
  const whole = await exchange(wire, type, [bytes]);
  const split = await exchange(wire, type, splitBytes(random, bytes));
  const text = (told: Told): string => JSON.stringify(told).replaceAll(/"callId":"[^"]*"/g, '"callId"');
  expectThat(
    text(whole) === text(split),
    `a split changes nothing (${text(whole)} and ${text(split)})`,
    bytes,
  );
  const valid =
    whole.response === undefined
      ? modelFailureSchema.safeParse(whole.failure).success
      : modelResponseSchema.safeParse(whole.response).success;
  expectThat(valid, `the host accepts what the adapter makes of it (${text(whole)})`, bytes);
}

function streamSubject(wire: "chat" | "responses"): FuzzSubject {
  const damage: Damage = { documents: bodies(wire), pieces: streamPieces };
  return { name: `${wire}-streams`, run: (random) => checkStream(random, wire, damage) };
}

/** Thread messages, and model streams of both wires. */
export const exchangeSubjects: readonly FuzzSubject[] = [
  threadMessages,
  streamSubject("chat"),
  streamSubject("responses"),
];
