/** `autolith replay`: looks at a stored conversation without resuming, locking, repairing or changing it. */
import { createInterface } from "node:readline/promises";
import { parseConversationId } from "../../orchestrator/record/conversation-id.ts";
import type { StoredRecord } from "../../orchestrator/record/conversation-record.ts";
import { type LoadedConversation, loadConversation } from "../../orchestrator/record/conversation.ts";
import { RecordError } from "../../orchestrator/record/failure.ts";
import { resolveRoots } from "../../orchestrator/record/roots.ts";
import { UsageError, parseArguments } from "../arguments.ts";
import { exitStatus } from "../exit-status.ts";
import { rawRecord, recordText } from "./record-text.ts";
import { type SelectorKind, locate, selectorExamples, selectorKinds } from "./replay-cursor.ts";
import { ReplaySession } from "./replay-session.ts";

const usage = `Usage: autolith replay ID [turn N | date YYYY-MM-DD | time YYYY-MM-DDTHH:MM:SS | sequence N] [--raw]
Looks at a stored conversation, which may be in use meanwhile; nothing is changed.

On a terminal: next, previous, turn, date, time, sequence, raw, quit. Elsewhere the record that was asked for is
printed, or all of them.

  --raw   print records as they are stored
`;

/** Resolves to the exit status. Throws UsageError for arguments that are refused and conversations that are not there. */
export async function replayCommand(argv: readonly string[]): Promise<number> {
  const parsed = parseArguments(argv, { raw: { value: false } });
  if (parsed.help) {
    process.stdout.write(usage);
    return exitStatus.ok;
  }
  const { id, selector } = readArguments(parsed.positionals);
  const { records, anomalies } = await load(id);
  if (anomalies.length > 0)
    process.stderr.write(`autolith: ${anomalies.length} damaged place(s) of the record were left out.\n`);
  const place = selector === undefined ? undefined : locate(records, selector.kind, selector.value);
  if (place?.kind === "none") throw new UsageError(place.reason);
  if (process.stdin.isTTY && process.stdout.isTTY && !parsed.options.has("raw"))
    await converse(new ReplaySession(records, place?.index ?? 0));
  else
    await print(
      place === undefined ? records : records.slice(place.index, place.index + 1),
      parsed.options.has("raw"),
    );
  return exitStatus.ok;
}

type Selector = { readonly kind: SelectorKind; readonly value: string };

function readArguments([id, word, value, ...more]: readonly string[]): {
  readonly id: string;
  readonly selector: Selector | undefined;
} {
  if (id === undefined)
    throw new UsageError("autolith replay needs the id of a conversation. autolith replay --help says more.");
  if (word === undefined) return { id, selector: undefined };
  const kind = selectorKinds.find((each) => each === word);
  if (kind === undefined)
    throw new UsageError(
      `Behind the id comes one of ${selectorKinds.join(", ")} with its value, not ${JSON.stringify(word)}.`,
    );
  if (value === undefined)
    throw new UsageError(`${kind} needs a value: autolith replay ${id} ${kind} ${selectorExamples[kind]}.`);
  if (more.length > 0)
    throw new UsageError(
      `${kind} takes one value; ${JSON.stringify(more.join(" "))} is one too many. autolith replay --help says more.`,
    );
  return { id, selector: { kind, value } };
}

async function load(text: string): Promise<LoadedConversation> {
  const id = parseConversationId(text);
  if (id === undefined)
    throw new UsageError(`${JSON.stringify(text)} is no conversation id; it looks like b-6uouHJ.`);
  try {
    return await loadConversation({ directory: `${resolveRoots(process.env).data}/conversations` }, id);
  } catch (error) {
    if (error instanceof RecordError)
      throw new UsageError(`The conversation ${text} cannot be read: ${error.message}`);
    throw error;
  }
}

async function converse(session: ReplaySession): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: "replay> " });
  process.stdout.write(`${session.here()}\n`);
  terminal.prompt();
  for await (const line of terminal) {
    const { text, isOver } = session.execute(line);
    if (isOver) break;
    process.stdout.write(`${text}\n`);
    terminal.prompt();
  }
  terminal.close();
}

/** Writes one record after the other, no faster than they are taken. A reader that leaves ends it quietly. */
async function print(records: readonly StoredRecord[], raw: boolean): Promise<void> {
  let left = false;
  process.stdout.once("error", () => (left = true));
  for (const stored of records) {
    if (left) return;
    const text = raw ? rawRecord(stored) : recordText(stored);
    if (!process.stdout.write(`${text}\n${raw ? "" : "\n"}`))
      await new Promise<void>((resolve) => {
        process.stdout.once("drain", resolve);
        process.stdout.once("error", () => resolve());
      });
  }
}
