import { randomUUID } from "node:crypto";
import { conversationIdSchema, executionIdSchema } from "../../../orchestrator/contract/identifiers.ts";
import { RedisRuntime } from "../../../redis/runtime.ts";

/**
 * Run by tests as a process of its own: a host that joins the private Redis below the given state root, passes one job
 * through it and says so. With `stay` it then waits to be killed; otherwise it closes and ends by itself.
 */
async function main(stateRoot: string, ending: string): Promise<void> {
  const runtime = await RedisRuntime.open({
    environment: process.env,
    stateRoot,
    onError: (error) => process.stderr.write(`${String(error)}\n`),
  });
  const limits = { children: 1, executions: 1, evaluations: 1, gates: 1, wakeups: 1 };
  const claimed = new Promise<void>((resolve, reject) => {
    runtime.queue.consume(limits, async () => resolve()).catch(reject);
  });
  await runtime.queue.enqueue([
    {
      executionId: executionIdSchema.parse(randomUUID()),
      conversationId: conversationIdSchema.parse("pQ3nT7x"),
      kind: "agent",
      concurrencyClass: "children",
    },
  ]);
  await claimed;
  process.stdout.write("claimed\n");
  if (ending === "stay") setInterval(() => undefined, 60_000);
  else await runtime.close(2000);
}

await main(process.argv[2] ?? "", process.argv[3] ?? "");
