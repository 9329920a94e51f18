/** The table of limits as text for people, and as one data form. */
import { type DataForm, keyword, prettyPrintDataForm } from "../../lisp/data-forms/index.ts";
import type { Limit } from "../../orchestrator/settings/limits/limit.ts";

/** Aligned columns under a line for each topic; no line ends with blanks. */
export function limitText(limits: readonly Limit[]): string {
  const rows = limits.map(({ name, value, unit, source, change }) => ({
    name,
    value: `${grouped(value)} ${unit}`,
    source,
    change: change ?? "fixed",
  }));
  const width = (column: "name" | "value" | "source"): number =>
    Math.max(...rows.map((row) => row[column].length));
  const [names, values, sources] = [width("name"), width("value"), width("source")];
  const lines = limits.flatMap(({ topic }, index) => {
    const row = rows[index];
    if (row === undefined) return [];
    const text = `  ${row.name.padEnd(names)}  ${row.value.padStart(values)}  ${row.source.padEnd(sources)}  ${row.change}`;
    return limits[index - 1]?.topic === topic ? [text] : [topic, text];
  });
  return `${lines.join("\n")}\n`;
}

function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

/** `(:autolith-limits :version 1 :limits ((:topic … :name … :value N :unit :bytes :source :default :change "…") …))`. */
export function limitForm(limits: readonly Limit[]): DataForm {
  const rows = limits.map(({ topic, name, value, unit, source, change }) => [
    ...[
      keyword("topic"),
      topic,
      keyword("name"),
      name,
      keyword("value"),
      value,
      keyword("unit"),
      keyword(unit),
    ],
    ...[keyword("source"), source === "default" ? keyword("default") : source],
    ...[keyword("change"), change ?? false],
  ]);
  return [keyword("autolith-limits"), keyword("version"), 1, keyword("limits"), rows];
}

/** The form as text. */
export function limitSexp(limits: readonly Limit[]): string {
  return `${prettyPrintDataForm(limitForm(limits), { width: 200 })}\n`;
}
