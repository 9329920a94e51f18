import { openJobJournal } from "../../../orchestrator/record/job-journal.ts";
import { conversationIdSchema } from "../../../orchestrator/contract/identifiers.ts";

/**
 * Run by `journal-crash.test.ts` as a process of its own: appends to the journal as fast as it can until it is killed
 * and prints the number of each call whose record was acknowledged.
 */
async function main(path: string): Promise<void> {
  const conversationId = conversationIdSchema.parse("pQ3nT7x");
  const { journal, records } = await openJobJournal(path);
  let next = records.length + 1;
  for (;;) {
    const burst = Array.from({ length: 20 }, async () => {
      const callId = String(next++);
      const record = {
        kind: "intent",
        at: 1,
        conversationId,
        callId,
        tool: "shell.run",
        effects: "external",
      } as const;
      await journal.append([record], { sync: Number(callId) % 7 === 0 });
      process.stdout.write(`${callId}\n`);
    });
    await Promise.all(burst);
  }
}

await main(process.argv[2] ?? "");
