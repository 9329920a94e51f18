import { appendFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RecordError } from "../../../orchestrator/record/failure.ts";
import { openJournal } from "../../../orchestrator/record/journal.ts";
import { publishFile } from "../../../orchestrator/record/publication.ts";

/**
 * Run by `disk-full.test.ts` inside a sandbox where the directory named as argument is a file system of 256 KiB. Prints
 * one JSON object of what happened.
 */
async function main(disk: string): Promise<void> {
  await mkdir(join(disk, "records"));
  const path = join(disk, "records", "journal");
  const codec = {
    encode: (record: string, seq: number) => JSON.stringify({ seq, record }),
    decode: (line: Uint8Array) => JSON.parse(Buffer.from(line).toString()) as { seq: number; record: string },
  };
  const journal = await openJournal({ path, codec });
  const failures: string[] = [];
  const attempt = async (doing: () => Promise<unknown>): Promise<boolean> => {
    try {
      await doing();
      return true;
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      failures.push(error.code);
      return false;
    }
  };
  const published = join(disk, "records", "result");
  await publishFile(published, "old");
  const ballast = join(disk, "ballast");
  await writeFile(ballast, Buffer.alloc(64 * 1024));
  let written = 0;
  while (await attempt(() => journal.append("x".repeat(5000), { sync: true }))) written += 1;
  await appendFile(ballast, Buffer.alloc(64 * 1024)).catch(() => undefined);
  await attempt(() => publishFile(published, "y".repeat(300 * 1024)));
  const afterFailure = {
    content: await readFile(published, "utf8"),
    names: await readdir(join(disk, "records")),
  };
  await rm(ballast);
  const next = await journal.append("there is room again", { sync: true });
  await publishFile(published, "new");
  await journal.close();
  const lines: number[] = [];
  await (await openJournal({ path, codec, onLine: ({ seq }) => lines.push(seq ?? 0) })).close();
  const outcome = {
    written,
    failures,
    afterFailure,
    next,
    lines,
    content: await readFile(published, "utf8"),
  };
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}

await main(process.argv[2] ?? "");
