import { describe, expect, it } from "vitest";
import { limitTable } from "../../cli/limits/limit-table.ts";
import { limitForm, limitText } from "../../cli/limits/limit-text.ts";
import { limitsCommand } from "../../cli/limits/limits-command.ts";
import { splitCommand } from "../../cli/arguments.ts";
import { type DataForm, type DataList, printDataForm } from "../../lisp/data-forms/index.ts";
import { limitUnits } from "../../orchestrator/settings/limits/limit.ts";
import { jobBounds } from "../../orchestrator/settings/job-limits.ts";
import { documentedExamples, examplesOf, pageText, tableColumn } from "./documented-examples.ts";

const page = "limits.md";

describe("docs/limits.md", () => {
  it("has no block that nothing checks", () => {
    const kinds = documentedExamples(page).map(({ language, what }) => [language, ...what].join(" "));
    expect([...new Set(kinds)].sort()).toEqual(["lisp limits", "sh", "text table"]);
  });

  it.each(examplesOf(page, "sh"))(
    "the command line at line $line is one that autolith takes",
    async ({ text }) => {
      const [program, ...argv] = text.split(" ");
      const { command, rest } = splitCommand(argv);
      expect([program, command]).toEqual(["autolith", "limits"]);
      // With --help nothing but the arguments are looked at.
      expect(await limitsCommand([...rest, "--help"])).toBe(0);
    },
  );

  it("shows the table as it is printed", () => {
    const [example] = examplesOf(page, "text", "table");
    // The width of the columns is that of the longest name.
    const words = (text: string | undefined): string => (text ?? "").replaceAll(/ +/g, " ");
    expect(words(limitText(limitTable({})))).toContain(`${words(example?.text)}\n`);
  });

  it("shows the form as it is printed", () => {
    const rows = (limitForm(limitTable({ AUTOLITH_TASK_MAX_DEPTH: "3" })) as DataList).at(
      -1,
    ) as readonly DataForm[];
    const printed = rows.map((row) => printDataForm(row));
    const [example] = examplesOf(page, "lisp", "limits");
    for (const line of example?.text.split("\n") ?? [""]) expect(printed).toContain(line);
  });

  it("lists the variables and the units", () => {
    const variables = tableColumn(page, "variable").map((cell) => cell.replaceAll("`", ""));
    expect(variables.sort()).toEqual(
      Object.values(jobBounds)
        .map(({ variable }) => variable)
        .sort(),
    );
    for (const unit of limitUnits) expect(pageText(page)).toContain(`\`:${unit}\``);
  });
});
