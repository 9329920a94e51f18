import { createConversation, openConversation } from "../../../orchestrator/record/conversation.ts";
import type { ConversationRecord } from "../../../orchestrator/record/conversation-record.ts";
import { providerHistory } from "../../../orchestrator/record/provider-history.ts";

/**
 * Run by `conversation.test.ts` as a process of its own, so that what is timed is the code as it ships. Prints the number
 * of items and the least processor time in ms that resuming 100,000 records took in three tries.
 */
async function main(directory: string): Promise<void> {
  const options = { directory, now: () => 1_800_000_000_000 };
  const fresh = { directory, model: "openai-api/some-model", reasoningEffort: "medium" };
  const conversation = await createConversation(options, fresh);
  for (let batch = 0; batch < 20; batch += 1) {
    await Promise.all(
      Array.from({ length: 5000 }, (_, index) => conversation.append(record(batch * 5000 + index))),
    );
  }
  await conversation.close();
  const tries: number[] = [];
  let items = 0;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const start = process.cpuUsage();
    const opened = await openConversation(options, conversation.id);
    items = providerHistory(opened.loaded.records).items.length;
    const { user, system } = process.cpuUsage(start);
    tries.push((user + system) / 1000);
    await opened.conversation.close();
  }
  process.stdout.write(JSON.stringify({ items, processorMs: Math.min(...tries) }));
}

function record(index: number): ConversationRecord {
  const callId = `call_${index >> 1}`;
  const [tool, output] = ["shell.run", "some output of a command\n".repeat(6)];
  return index % 2 === 0
    ? {
        kind: "provider-item",
        item: { type: "tool-call", callId, tool, arguments: '{"command":"ls -la some/where"}' },
      }
    : { kind: "tool-result", callId, tool, status: "ok", output };
}

await main(process.argv[2] ?? "");
