import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { limitTable } from "../../../cli/limits/limit-table.ts";
import { limitSexp, limitText } from "../../../cli/limits/limit-text.ts";
import { readDataForm, recordLimits } from "../../../lisp/data-forms/index.ts";
import { defaultAgentLimits } from "../../../orchestrator/contract/agent-limits.ts";
import { eventLimits } from "../../../orchestrator/run-job/events/event-vocabulary.ts";
import { jobInputLimits } from "../../../orchestrator/run-job/job-input.ts";
import { defaultCaptureLimits } from "../../../workers/shell/capture-record.ts";

const root = resolve(import.meta.dirname, "../../..");
const rooms = ["cli", "lisp/data-forms", "orchestrator", "redis", "roles", "workers"];
const tables =
  /(^|\/)((document|evaluation|work|advice|management|session|machine|redis|acp|terminal)-limits|limit-table)\.ts$/;

/** Constants that look like bounds of the program and are the inner measure of one algorithm, a part of a format or a second view of a listed bound. */
const inner: ReadonlySet<string> = new Set([
  // Pieces of work: how much is read, written or waited for at once. They bound nothing that anybody could hit.
  ...[
    "blockBytes",
    "chunkBytes",
    "windowBytes",
    "drainByteLimit",
    "blockingWaitSeconds",
    "outputLineBytes",
    "headerBytes",
    "overheadBytes",
  ],
  // The terminal's copies of the bounds of the contract, which a test compares; a frame of the WebSocket standard; effort of one search.
  ...["inputCharacters", "inputImageBytes", "controlLimit", "distanceLimit"],
  ...["longestTimerMs", "longestPauseMs", "anchorPrefixBytes", "stallCharacters", "logTailBytes"],
  // Where small writes go a shorter way; what a replayed record shows of a text, which says so itself and has a raw form.
  ...["immediateBytes", "shownCharacters"],
  // The terminal's copy of the bound of the contract, which a test compares; keys of one start; a word, and a draft, that Tab and colours look at.
  ...["inputImageBytes", "earlyBytes", "wordCharacters", "colouredCharacters", "typedAheadCharacters"],
  // Parts of a question to a model, which say that they are cut; names in a report.
  ...["partLimit", "untrackedNameLimit", "leftCommitLimit", "runningNameLimit"],
  // Directories that are remembered as quick; others are asked anew.
  "answeredLimit",
  // Longer argument texts name no files to the notes of a request.
  "argumentCharacterLimit",
  // Excerpts inside messages.
  ...[
    "errorTextLimit",
    "previewCharacters",
    "retainedCharacters",
    "excerptCharacters",
    "excerptLimit",
    "excerptBytes",
  ],
  ...[
    "recentOutputLimit",
    "progressCharacters",
    "descriptionCharacters",
    "recentToolLimit",
    "diagnosticLimit",
    "listedPartLimit",
    "structuredCharacters",
    "jobReferenceLimit",
    "usageCharacters",
    "summaryCharacters",
  ],
  // Attempts inside one step.
  ...[
    "unwrapLimit",
    "nestingLimit",
    "maxSuccessions",
    "maxAttempts",
    "yieldReminderLimit",
    "ancestorLimit",
    "stepLimit",
  ],
]);

function sources(directory: string): string[] {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return sources(path);
    return entry.name.endsWith(".ts") ? [path] : [];
  });
}

const texts = rooms.flatMap(sources).map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
const tableText = texts
  .filter(({ path }) => tables.test(path))
  .map(({ text }) => text)
  .join("\n");

/** Names of numeric constants that bound something. */
function bounds(text: string): string[] {
  const pattern =
    /^(?:export )?const ((?:max|most)[A-Z]\w*|\w*(?:Limit|Bytes|Characters|Seconds|Depth|BudgetMs)) = [0-9(]/gm;
  return Array.from(text.matchAll(pattern), (match) => match[1] ?? "");
}

describe("the table of limits", () => {
  it("has every bound that a module declares", () => {
    const missing = texts.flatMap(({ path, text }) =>
      bounds(text)
        .filter((name) => !inner.has(name) && !new RegExp(`\\b${name}\\b`).test(tableText))
        .map((name) => `${path}: ${name} is in no table; list it, or name it in this test with the reason`),
    );
    expect(missing).toEqual([]);
    expect(texts.flatMap(({ text }) => bounds(text)).length).toBeGreaterThan(60);
  });

  it("takes every value from the constant that the code uses", () => {
    for (const { path, text } of texts.filter(({ path: each }) => tables.test(each))) {
      const code = text.replaceAll(/"[^"\n]*"|`[^`]*`|\/\*\*[\s\S]*?\*\/|\/\/.*/g, "");
      expect([path, /\b[1-9]\d*\b/.exec(code)?.[0]]).toEqual([path, undefined]);
    }
    const value = (topic: string, name: string): number | undefined =>
      limitTable({}).find((limit) => limit.topic === topic && limit.name === name)?.value;
    expect(value("job files", "size")).toBe(jobInputLimits.maxBytes);
    expect(value("events", "size")).toBe(eventLimits.maxRecordBytes);
    expect(value("commands", "capture of one stream")).toBe(defaultCaptureLimits.streamBytes);
    expect(value("models", "responses of one run")).toBe(defaultAgentLimits.maxTurns);
  });

  it("names each bound once, topic by topic, with a value that is a number", () => {
    const limits = limitTable({});
    const names = limits.map(({ topic, name }) => `${topic}: ${name}`);
    expect(new Set(names).size).toBe(names.length);
    const topics = limits.map(({ topic }) => topic).filter((topic, index, all) => topic !== all[index - 1]);
    expect(new Set(topics).size).toBe(topics.length);
    for (const { value } of limits) expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
  });

  it("shows what the environment has set, cut to the range, and the default otherwise", () => {
    const depth = (text: string): unknown => {
      const found = limitTable({ AUTOLITH_TASK_MAX_DEPTH: text }).find(
        ({ name }) => name === "depth of children",
      );
      return [found?.value, found?.source, found?.change];
    };
    const range = "AUTOLITH_TASK_MAX_DEPTH, 1 to 16";
    expect(depth("3")).toEqual([3, "AUTOLITH_TASK_MAX_DEPTH", range]);
    expect(depth("2")).toEqual([2, "AUTOLITH_TASK_MAX_DEPTH", range]);
    expect(depth("99")).toEqual([16, "AUTOLITH_TASK_MAX_DEPTH", range]);
    for (const wrong of ["", "0", "many", "-1"]) expect(depth(wrong)).toEqual([2, "default", range]);
  });

  it("is printed in columns, or as one form within the limits of records", () => {
    const limits = limitTable({});
    const lines = limitText(limits).trimEnd().split("\n");
    expect(lines.every((line) => line === line.trimEnd())).toBe(true);
    const columns = new Set(
      lines.filter((line) => line.startsWith(" ")).map((line) => line.indexOf("default  ")),
    );
    expect(columns.size).toBe(1);
    const form = readDataForm(limitSexp(limits), { limits: recordLimits });
    expect(Array.isArray(form) && form.length).toBe(5);
  });
});
