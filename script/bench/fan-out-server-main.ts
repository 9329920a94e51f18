/**
 * The scripted model of a fan-out, as a process of its own: the root starts waves of children, each child reads a file some times and
 * submits. What to answer is read from the request alone, so any number of agents may ask at once.
 */
import { type ScriptedTurn, calls } from "../../test/support/model-server/script.ts";
import { startModelServer } from "../../test/support/model-server/server.ts";

/** What the parent asks for. */
export type FanOut = {
  /** Children of one wave; the root waits for all of them before it starts the next. */
  readonly children: number;
  readonly waves: number;
  /** Times each child reads a file before it submits. */
  readonly toolTurns: number;
  /** Wait before each answer, in ms. */
  readonly latencyMs: number;
};

export type FanOutOrder = { readonly order: "start"; readonly fanOut: FanOut } | { readonly order: "report" };

/** Arrivals are epoch milliseconds, in order. */
export type FanOutReport = {
  readonly rootArrivals: readonly number[];
  readonly childRequests: number;
  /** Submissions of all children, and the children that made one. */
  readonly submissions: number;
  readonly submitters: number;
};

export type FanOutReply = { readonly baseUrl: string } | FanOutReport;

/** In the first message of the root, and of nobody else. */
export const rootMark = "fan-out-root";

/** Items that `task.run` takes in one call. */
const batch = 16;

type Item = { readonly type?: string; readonly name?: string; readonly content?: unknown };

const rootArrivals: number[] = [];
const submitters = new Map<string, number>();
let childRequests = 0;

/** The answer to a request of the root that has started `waves` of its children. */
function rootTurn(fanOut: FanOut, callsMade: number): ScriptedTurn {
  const { children, latencyMs } = fanOut;
  const callsPerWave = Math.ceil(children / batch);
  if (callsMade >= callsPerWave * fanOut.waves) return submission(latencyMs);
  const sizes = Array.from({ length: callsPerWave }, (_, call) => Math.min(batch, children - call * batch));
  const tasks = (size: number): unknown[] =>
    Array.from({ length: size }, () => ({ agent: "task", task: "Read the file.", blocking: true }));
  return calls(
    sizes.map((size) => ({ name: "task__run", arguments: { context: "A bench.", tasks: tasks(size) } })),
    { latencyMs },
  );
}

function submission(latencyMs: number): ScriptedTurn {
  return calls([{ name: "yield__submit", arguments: { status: "success", text: "Read.", data: {} } }], {
    latencyMs,
  });
}

function answerTo(fanOut: FanOut, body: unknown, receivedAt: number): ScriptedTurn {
  const { input, prompt_cache_key: who } = body as {
    readonly input: readonly Item[];
    readonly prompt_cache_key?: string;
  };
  const made = input.filter((item) => item.type === "function_call").length;
  if (JSON.stringify(input[0]).includes(rootMark)) {
    rootArrivals.push(receivedAt);
    return rootTurn(fanOut, made);
  }
  childRequests += 1;
  if (made >= fanOut.toolTurns) {
    const child = who ?? String(submitters.size);
    submitters.set(child, (submitters.get(child) ?? 0) + 1);
    return submission(fanOut.latencyMs);
  }
  return calls([{ name: "resource__read", arguments: { uri: "workspace:a.txt" } }], {
    latencyMs: fanOut.latencyMs,
  });
}

async function obey(order: FanOutOrder): Promise<FanOutReply> {
  if (order.order === "start") {
    const server = await startModelServer((request) =>
      answerTo(order.fanOut, request.body, request.receivedAt),
    );
    return { baseUrl: server.baseUrl };
  }
  const submissions = [...submitters.values()].reduce((sum, count) => sum + count, 0);
  return { rootArrivals, childRequests, submissions, submitters: submitters.size };
}

if (import.meta.main) {
  process.on("message", (order: FanOutOrder) => {
    void obey(order).then((reply) => process.send?.(reply));
  });
  process.once("disconnect", () => process.exit(0));
}
