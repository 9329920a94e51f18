/** The real agent thread, which ends itself when the drill says so: by exit, or by using up its heap. */
import { BroadcastChannel } from "node:worker_threads";
import { drillChannel, threadFaultSchema } from "./host-protocol.ts";

export { runAgentTask } from "../../workers/agent/agent-thread.ts";

const retained: unknown[] = [];

const channel = new BroadcastChannel(drillChannel);
channel.addEventListener("message", (event) => {
  const { fault } = threadFaultSchema.parse((event as MessageEvent).data);
  if (fault === "exit") process.exit(3);
  for (;;) retained.push(Array.from({ length: 100_000 }, (_, index) => ({ index })));
});
channel.unref();
