import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { printDataForm, readDataForm, recordLimits } from "../../../lisp/data-forms/index.ts";
import { conversationIdSchema } from "../../../orchestrator/contract/identifiers.ts";
import type { JobRecord } from "../../../orchestrator/jobs/journal-records.ts";
import {
  CompletionFiles,
  CompletionSubscriptions,
  completionFileName,
  completionHistoryLimit,
} from "../../../orchestrator/tasks/completion-files.ts";
import { admitted, claimed, conversationId, settled } from "../recovery/job-history.ts";

const delivered = (executionId: JobRecord & { kind: "admitted" }): JobRecord => ({
  kind: "delivered",
  at: 4_000,
  executionId: executionId.executionId,
  conversationId,
});

/** What a file says, in the printed form of data. */
function seen(subscriptions: CompletionSubscriptions): { unresolved: string; history: string } {
  const form = readDataForm(subscriptions.text(conversationId), {
    limits: recordLimits,
  }) as readonly unknown[];
  const at = (name: string): string => {
    const index = form.findIndex((each) => String((each as { name?: string }).name).toLowerCase() === name);
    return printDataForm(form[index + 1] as Parameters<typeof printDataForm>[0]);
  };
  return { unresolved: at("unresolved"), history: at("history") };
}

describe("the subscriptions of a conversation", () => {
  test("hold detached jobs until their owner has been told, and then remember that", () => {
    const subscriptions = new CompletionSubscriptions();
    const job = admitted({ detached: true, completionPolicy: "notify" });
    const synchronous = admitted();
    const handedOff = admitted();
    for (const record of [job, synchronous, handedOff, claimed(handedOff.executionId)])
      subscriptions.apply(record);
    subscriptions.apply({ kind: "handed-off", at: 2_500, executionId: handedOff.executionId });
    subscriptions.apply(settled(synchronous.executionId));
    expect(subscriptions.apply(settled(job.executionId, { state: "failed" }))).toBe(conversationId);
    expect(seen(subscriptions).unresolved).toContain(`"completion:${job.executionId}"`);
    expect(seen(subscriptions).unresolved).toMatch(/:COMPLETION-POLICY :NOTIFY :STATE :FAILED/);
    expect(seen(subscriptions).unresolved).toContain(handedOff.name);
    expect(subscriptions.text(conversationId)).not.toContain(synchronous.executionId);
    subscriptions.apply(delivered(job));
    subscriptions.apply({
      kind: "decided",
      at: 5_000,
      executionId: handedOff.executionId,
      decision: "abandoned",
    });
    expect(seen(subscriptions).unresolved).toBe("NIL");
    expect(seen(subscriptions).history).toContain(`"completion:${job.executionId}"`);
    expect(seen(subscriptions).history).toContain(":DECISION :ABANDONED");
  });

  test("forget the oldest of what was told, and stay within 16 MiB", () => {
    const subscriptions = new CompletionSubscriptions();
    const jobs = Array.from({ length: completionHistoryLimit + 1 }, () => admitted({ detached: true }));
    for (const job of jobs)
      for (const record of [job, settled(job.executionId), delivered(job)]) subscriptions.apply(record);
    const text = subscriptions.text(conversationId);
    expect(text).not.toContain(jobs[0]?.executionId);
    expect(text.match(/:DELIVERED-AT/g)).toHaveLength(completionHistoryLimit);
    expect(text.length).toBeLessThan(16 * 1024 * 1024);
  });
});

describe("their files", () => {
  test("are written when the journal is closed, one for each owner, and the same when they are made anew", async () => {
    const directory = mkdtempSync(join(tmpdir(), "al-completions-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const child = conversationIdSchema.parse("00000000-0000-4000-8000-000000000001");
    const records: JobRecord[] = [];
    const inner = {
      append: (added: readonly JobRecord[]) => {
        records.push(...added);
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    };
    const failures: unknown[] = [];
    const journal = new CompletionFiles(directory, (error) => failures.push(error)).follow(inner, []);
    const [own, below] = [admitted({ detached: true }), admitted({ detached: true, completionOwner: child })];
    await journal.append([own, below, admitted()]);
    await journal.append([settled(own.executionId), delivered(own)]);
    await journal.close();
    const names = [completionFileName(child), completionFileName(conversationId)].sort();
    expect(readdirSync(directory).sort()).toEqual(names);
    const read = (): readonly string[] => names.map((name) => readFileSync(join(directory, name), "utf8"));
    const first = read();
    for (const name of names) rmSync(join(directory, name));
    await new CompletionFiles(directory, (error) => failures.push(error)).follow(inner, records).close();
    expect(read()).toEqual(first);
    expect(failures).toEqual([]);
  });
});
