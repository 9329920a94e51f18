import { describe, expect, it } from "vitest";
import { optionValue, parseArguments, splitCommand } from "../../cli/arguments.ts";
import {
  PlistReader,
  formToJson,
  keyword,
  readDataForm,
  type DataList,
} from "../../lisp/data-forms/index.ts";
import {
  failureCategories,
  failureCategoryNames,
  jobInputLimits,
  readJobInput,
  resultLimits,
} from "../../orchestrator/run-job/index.ts";
import { eventKinds, readRunJobEvents } from "../../orchestrator/run-job/events/index.ts";
import { documentedExamples, examplesOf, pageText, tableColumn } from "./documented-examples.ts";

const page = "run-job.md";
const unquoted = (cell: string): string => cell.replaceAll("`", "");

describe("docs/run-job.md", () => {
  it("has no block that nothing checks", () => {
    const kinds = new Set(
      documentedExamples(page).map(({ language, what }) => [language, ...what].join(" ")),
    );
    expect([...kinds].sort()).toEqual(["lisp events", "lisp job", "lisp result", "sh"]);
  });

  it.each(examplesOf(page, "lisp", "job"))("the job at line $line is valid", ({ text }) => {
    expect(readJobInput(text)).toHaveProperty("job");
  });

  it.each(examplesOf(page, "lisp", "result"))(
    "the result at line $line has the documented shape",
    ({ text }) => {
      const form = readDataForm(text, { limits: resultLimits }) as DataList;
      expect(form[0]).toBe(keyword("autolith-job-result"));
      const keys = [
        "version",
        "id",
        "status",
        "result",
        "failure",
        "trace-id",
        "usage",
        "started-at",
        "finished-at",
      ];
      const result = new PlistReader(form, 1, { what: "the result", keys });
      const status = result.keyword("status", ["succeeded", "failed", "cancelled", "timed-out"]);
      expect(result.has("result")).toBe(status === "succeeded");
      expect(result.has("failure")).toBe(status !== "succeeded");
      if (status === "succeeded") expect(formToJson(result.requiredForm("result"))).toBeTypeOf("object");
      for (const key of ["version", "id", "usage", "started-at", "finished-at"])
        expect(result.has(key)).toBe(true);
    },
  );

  it.each(examplesOf(page, "lisp", "events"))("the events at line $line can be read", async ({ text }) => {
    const kinds: string[] = [];
    for await (const record of readRunJobEvents([text])) kinds.push(record.kind);
    expect(kinds).toEqual(["run-started", "job-started", "run-finished"]);
  });

  it.each(examplesOf(page, "sh"))("the command line at line $line is one that autolith takes", ({ text }) => {
    const [program, ...argv] = text.split(/\s+/).filter((word) => !/^\d?>/.test(word));
    const { command, rest } = splitCommand(argv);
    expect([program, command]).toEqual(["autolith", "run-job"]);
    const parsed = parseArguments(rest, {
      input: { value: true },
      output: { value: true },
      events: { value: true },
    });
    expect(parsed.positionals).toEqual([]);
    expect(optionValue(parsed, "input")).toBe("job.sexp");
    expect(optionValue(parsed, "output")).toBe("result.sexp");
  });

  it("lists the categories with their statuses and exit codes", () => {
    const text = pageText(page);
    const documented = tableColumn(page, "category").map((cell) => unquoted(cell).slice(1));
    expect(documented).toEqual(failureCategoryNames.filter((category) => category !== "unknown"));
    for (const category of failureCategoryNames.filter((name) => name !== "unknown")) {
      const { status, exitCode } = failureCategories[category];
      expect(text).toContain(`| \`:${category}\` | ${status} | ${exitCode} |`);
    }
  });

  it("lists the kinds of events and the bounds of a job", () => {
    const documented = tableColumn(page, "kind").flatMap((cell) => unquoted(cell).split(", "));
    expect(documented.map((kind) => kind.slice(1)).sort()).toEqual([...eventKinds].sort());
    const text = pageText(page);
    expect(jobInputLimits.maxBytes).toBe(2 ** 20);
    for (const bound of ["maxNodes", "maxStringCharacters"] as const) {
      expect(text).toContain(jobInputLimits[bound].toLocaleString("en-US"));
    }
  });
});
