/**
 * `tasks/<root>/completion-<conversation>.sexp`: the detached jobs of each conversation and what was told of them (facts C.10). A projection
 * of the job journal for whoever looks at the files: written a moment after a change, never waited for, rebuilt when the conversation is
 * opened. What was delivered is decided by the receipts in the conversation itself.
 */
import { join } from "node:path";
import { type DataForm, keyword, printDataForm } from "../../lisp/data-forms/index.ts";
import { completionReceipt } from "../agents/conversation-transcript.ts";
import { type ConversationId, type ExecutionId, conversationIdSchema } from "../contract/identifiers.ts";
import { isFormJob } from "../jobs/form-job.ts";
import type { AdmittedRecord, JobJournal, JobRecord } from "../jobs/journal-records.ts";
import { universalTime } from "../record/conversation-record.ts";
import { publishFile } from "../record/publication.ts";
import { properties, word } from "./report-form.ts";

/** Delivered or decided completions of one conversation that its file remembers, the newest. */
export const completionHistoryLimit = 1_024;
/** Time between two writes of the files, in milliseconds. */
const writeIntervalMs = 1_000;

type Entry = {
  /** Without the work itself, which can be long. */
  readonly admission: Pick<
    AdmittedRecord,
    "executionId" | "name" | "completionPolicy" | "completionOwner" | "at"
  >;
  readonly detached: boolean;
  readonly state: "queued" | "running" | "completed" | "failed" | "aborted";
  /** Epoch milliseconds. */
  readonly endedAt?: number;
  readonly deliveredAt?: number;
  readonly decision?: "abandoned" | "revived";
};

/** The subscriptions of all conversations of one job journal: a fold over its records. */
export class CompletionSubscriptions {
  readonly #open = new Map<ExecutionId, Entry>();
  /** Printed entries by owner, oldest first. */
  readonly #history = new Map<ConversationId, string[]>();

  /** Folds one record; answers the conversation whose subscriptions it changed, if any. */
  apply(record: JobRecord): ConversationId | undefined {
    if (record.kind === "intent" || record.kind === "steered") return undefined;
    const { executionId } = record;
    if (record.kind === "admitted") {
      if (isFormJob({ kind: record.jobKind, payload: record.payload })) return undefined;
      const { name, completionPolicy, completionOwner, at, detached } = record;
      const admission = { executionId, name, completionPolicy, completionOwner, at };
      this.#open.set(executionId, { admission, detached, state: "queued" });
      return detached ? completionOwner : undefined;
    }
    const before = this.#open.get(executionId);
    if (before === undefined) return undefined;
    const entry = changed(before, record);
    const owner = entry.admission.completionOwner;
    if (!entry.detached && entry.endedAt !== undefined) this.#open.delete(executionId);
    else if (entry.deliveredAt !== undefined || entry.decision !== undefined) {
      this.#open.delete(executionId);
      const history = this.#history.get(owner) ?? [];
      this.#history.set(owner, [...history, printDataForm(entryForm(entry))].slice(-completionHistoryLimit));
    } else this.#open.set(executionId, entry);
    return entry.detached ? owner : undefined;
  }

  /** Conversations that have any. */
  owners(): ReadonlySet<ConversationId> {
    const open = [...this.#open.values()].filter(({ detached }) => detached);
    return new Set([...open.map(({ admission }) => admission.completionOwner), ...this.#history.keys()]);
  }

  /** The file of one conversation, as text: one data form, a line for each job. */
  text(owner: ConversationId): string {
    const open = [...this.#open.values()].filter(
      ({ detached, admission }) => detached && admission.completionOwner === owner,
    );
    const list = (entries: readonly string[]): string => `(${entries.join("\n  ")})`;
    return [
      `(:completions :version 1 :conversation ${printDataForm(owner)}`,
      ` :unresolved\n ${list(open.map((entry) => printDataForm(entryForm(entry))))}`,
      ` :history\n ${list(this.#history.get(owner) ?? [])})\n`,
    ].join("\n");
  }
}

function changed(
  entry: Entry,
  record: Exclude<JobRecord, { kind: "admitted" | "intent" | "steered" }>,
): Entry {
  switch (record.kind) {
    case "claimed":
      return { ...entry, state: "running" };
    case "handed-off":
      return { ...entry, detached: true };
    case "settled":
      return { ...entry, state: record.state, endedAt: record.at };
    case "delivered":
      return { ...entry, deliveredAt: record.at };
    case "decided":
      return { ...entry, decision: record.decision };
    case "cancel-requested":
      return entry;
  }
}

function entryForm({ admission, state, endedAt, deliveredAt, decision }: Entry): DataForm {
  const instant = (at: number | undefined): DataForm | undefined =>
    at === undefined ? undefined : universalTime(at);
  return properties({
    receipt: completionReceipt(admission.executionId),
    "job-id": admission.name,
    "execution-id": admission.executionId,
    "completion-policy": word(admission.completionPolicy),
    state: word(state),
    "admitted-at": instant(admission.at),
    "ended-at": instant(endedAt),
    "delivered-at": instant(deliveredAt),
    decision: decision === undefined ? undefined : keyword(decision),
  });
}

export class CompletionFiles {
  readonly #directory: string;
  readonly #report: (error: unknown) => void;
  readonly #subscriptions = new CompletionSubscriptions();
  readonly #changed = new Set<ConversationId>();
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** `directory` is that of the root conversation's tasks; `report` is told once of each write that failed. */
  constructor(directory: string, report: (error: unknown) => void) {
    this.#directory = directory;
    this.#report = report;
  }

  /** The journal, whose records are followed from now on; `records` are those it holds. Closing it writes what is to be written. */
  follow(
    journal: JobJournal & { close(): Promise<void> },
    records: readonly JobRecord[],
  ): JobJournal & { close(): Promise<void> } {
    for (const record of records) this.#subscriptions.apply(record);
    for (const owner of this.#subscriptions.owners()) this.#note(owner);
    return {
      append: async (added, options) => {
        await journal.append(added, options);
        for (const record of added) this.#note(this.#subscriptions.apply(record));
      },
      close: async () => {
        clearTimeout(this.#timer);
        this.#write();
        await this.#writing;
        await journal.close();
      },
    };
  }

  #note(owner: ConversationId | undefined): void {
    if (owner === undefined) return;
    this.#changed.add(owner);
    this.#timer ??= setTimeout(() => this.#write(), writeIntervalMs).unref();
  }

  #write(): void {
    this.#timer = undefined;
    const owners = [...this.#changed];
    this.#changed.clear();
    for (const owner of owners)
      this.#writing = this.#writing.then(() => this.#writeOne(owner)).catch(this.#report);
  }

  async #writeOne(owner: ConversationId): Promise<void> {
    const path = join(this.#directory, completionFileName(owner));
    await publishFile(path, this.#subscriptions.text(owner), { durable: false });
  }
}

export function completionFileName(owner: ConversationId): string {
  return `completion-${conversationIdSchema.parse(owner)}.sexp`;
}
