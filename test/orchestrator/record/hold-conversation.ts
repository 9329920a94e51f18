import { openConversation } from "../../../orchestrator/record/conversation.ts";
import { parseConversationId } from "../../../orchestrator/record/conversation-id.ts";

/** Run by tests as a process of its own: opens a conversation, says so, and stays until it is killed. */
async function main(directory: string, text: string): Promise<void> {
  const id = parseConversationId(text);
  if (id === undefined) throw new TypeError(`no conversation id: ${text}`);
  const { conversation } = await openConversation({ directory, now: () => 1_800_000_000_000 }, id);
  await conversation.append({ kind: "message", content: `from process ${process.pid}` });
  process.stdout.write("holding\n");
  setInterval(() => undefined, 60_000);
}

await main(process.argv[2] ?? "", process.argv[3] ?? "");
