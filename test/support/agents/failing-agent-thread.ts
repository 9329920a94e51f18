/** An agent thread that ends in a way the instructions of a run ask for, at its second request or at once. */
import { MessageChannel, receiveMessageOnPort, threadId } from "node:worker_threads";
import { runAgentTask as runAgent, type AgentTask } from "../../../workers/agent/agent-thread.ts";

const retained: unknown[] = [];

function endless(depth: number): number {
  return endless(depth + 1) + 1;
}

const endings: Readonly<Record<string, () => void>> = {
  exit: () => process.exit(3),
  throw: () => {
    setImmediate(() => {
      throw new Error("uncaught in the thread");
    });
  },
  "throw-nothing": () => {
    setImmediate(() => {
      // oxlint-disable-next-line no-throw-literal -- what programs throw need not be an error
      throw undefined;
    });
  },
  overflow: () => {
    setImmediate(() => endless(0));
  },
  "out-of-memory": () => {
    for (;;) retained.push(Array.from({ length: 100_000 }, (_, index) => ({ index })));
  },
  "busy-loop": () => {
    for (;;) receiveMessageOnPort(new MessageChannel().port1);
  },
};

/** As the real task, with an ending in place of the run where one is named. */
export async function runAgentTask(task: AgentTask): Promise<void> {
  if (task.spec.instructions === "broken-protocol") {
    task.port.postMessage([{ kind: "event", event: { event: "run-started", threadId } }]);
    task.port.postMessage([{ kind: "boundary", id: "one" }]);
    await new Promise((resolve) => {
      task.port.once("message", resolve);
    });
    task.port.postMessage([{ kind: "outcome", outcome: { status: "finished", requests: 0 } }]);
    task.port.close();
    return;
  }
  const ending = endings[task.spec.instructions];
  if (ending === undefined) return runAgent(task);
  task.port.postMessage([{ kind: "event", event: { event: "run-started", threadId } }]);
  // The host answers nothing here; a turn of the loop lets the message leave.
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  ending();
  await new Promise(() => undefined);
}
