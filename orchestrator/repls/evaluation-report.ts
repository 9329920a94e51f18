/** What an evaluation came to, as the result of its job: texts for people and models, all bounded. Pure. */
import { plainCompleteness } from "../../lisp/reader/plain-reading.ts";
import type { LispJobResult } from "../contract/job-catalog.ts";
import type { LispCondition, LispResult, LispValueText } from "../contract/lisp-image.ts";
import type { Evaluated } from "./evaluate-forms.ts";
import { replLimits } from "./repl-limits.ts";

export type EvaluationFacts = {
  readonly evaluated: Evaluated;
  /** How many forms were asked for. */
  readonly asked: number;
  /** Where the whole output is kept; undefined when it fits, or could not be kept. */
  readonly outputUri: string | undefined;
  /** Why the output is not kept whole although it does not fit. */
  readonly outputProblem?: string | undefined;
  /** Said before everything else, such as that a REPL is a new one. */
  readonly notes: readonly string[];
};

export function evaluationResult(facts: EvaluationFacts): LispJobResult {
  const { evaluated } = facts;
  const last = evaluated.forms.at(-1)?.result;
  const ending = endingOf(evaluated, last);
  const condition = last?.kind === "failed" && ending === "condition" ? conditionOf(last) : undefined;
  return {
    ending,
    content: [...facts.notes, ...formTexts(facts), ...outputTexts(facts)].join("\n"),
    values:
      last?.kind === "values" ? last.values.slice(0, replLimits.values).map(({ preview }) => preview) : [],
    output: shortenedOutput(evaluated.output),
    ...(facts.outputUri === undefined ? {} : { outputUri: facts.outputUri }),
    ...(condition === undefined ? {} : { condition }),
    durationMs: evaluated.durationMs,
  };
}

function endingOf({ stopped }: Evaluated, last: LispResult | undefined): LispJobResult["ending"] {
  if (last === undefined) return "not-started";
  switch (last.kind) {
    case "values":
    case "quit":
    case "lost":
      return last.kind;
    case "cancelled":
      return stopped ?? "cancelled";
    case "failed":
      return "condition";
  }
}

function conditionOf(result: Extract<LispResult, { kind: "failed" }>): LispJobResult["condition"] {
  const { condition, reason } = result;
  if (condition === null) return { type: "ERROR", report: bounded(reason), restarts: [] };
  return {
    type: typeName(condition.type),
    report: bounded(condition.text),
    restarts: condition.restarts.map(({ name, text }) => ({ name, text: bounded(text, 500) })),
  };
}

function formTexts({ evaluated, asked }: EvaluationFacts): readonly string[] {
  const texts = evaluated.forms.map(({ source, result }, index) => {
    const text = [resultText(result, evaluated), ...unfinishedTexts(source, result)].join("\n");
    return asked === 1 ? text : `[${index + 1}] ${text.replaceAll("\n", "\n    ")}`;
  });
  const missing = asked - evaluated.forms.length;
  if (missing > 0)
    texts.push(missing === asked ? "Nothing was evaluated." : `${missing} more form(s) were not evaluated.`);
  return texts;
}

function resultText(result: LispResult, { stopped, durationMs }: Evaluated): string {
  switch (result.kind) {
    case "values":
      return valueTexts(result.values);
    case "failed":
      return conditionText(result);
    case "cancelled":
      return stopped === "timed-out"
        ? `Stopped by its time limit after ${(durationMs / 1_000).toFixed(1)} s.`
        : "Cancelled.";
    case "quit":
      return `The evaluation ended its image with code ${result.code}; the next one begins with a new image.`;
    case "lost":
      return `Lost: the image ended under it (${result.reason}). What it had done by then is not known; its definitions are gone.`;
  }
}

/** Where a form is open that could not be read to its end. */
function unfinishedTexts(source: string, result: LispResult): readonly string[] {
  if (result.kind !== "failed" || !/(?:^|[:-])END-OF-FILE$/.test(result.condition?.type ?? "")) return [];
  const judged = plainCompleteness(source);
  if (judged.kind !== "incomplete") return [];
  const { line, column } = judged.at;
  return [`The form is not complete: what begins at line ${line}, column ${column} has no end.`];
}

function valueTexts(values: readonly LispValueText[]): string {
  if (values.length === 0) return "No values.";
  const shown = values
    .slice(0, replLimits.values)
    .map(({ preview, omitted }) => `⇒ ${preview}${omitted === undefined ? "" : ` … (${omitted})`}`);
  if (values.length > shown.length) shown.push(`… (${values.length - shown.length} more values)`);
  return shown.join("\n");
}

function conditionText({ condition, reason }: Extract<LispResult, { kind: "failed" }>): string {
  if (condition === null) return `Failed: ${bounded(reason)}`;
  const lines = [`${typeName(condition.type)}: ${bounded(condition.text)}`, ...slotTexts(condition)];
  if (condition.restarts.length > 0)
    lines.push(
      `Restarts that were live: ${condition.restarts.map(({ name, text }) => (name === "" ? text : `${name} (${text})`)).join("; ")}.`,
    );
  return lines.join("\n");
}

/** Packages of the library say nothing to whoever reads of a condition. */
function typeName(type: string): string {
  return type.replace(/^AUTOLITH-SYSTEM::?/, "");
}

/** Most slots of a condition that are told. */
export const slotLimit = 8;

function slotTexts({ slots }: LispCondition): readonly string[] {
  const telling = slots.filter(({ name }) => !["FORMAT-CONTROL", "FORMAT-ARGUMENTS"].includes(name));
  const lines = telling.slice(0, slotLimit).map(({ name, value }) => `  ${name}: ${value}`);
  return telling.length > slotLimit ? [...lines, `  … (${telling.length - slotLimit} more)`] : lines;
}

/** What was written, shortened, and where the whole of it is. */
export function outputTexts({
  evaluated,
  outputUri,
  outputProblem,
}: Pick<EvaluationFacts, "evaluated" | "outputUri" | "outputProblem">): readonly string[] {
  const { output, droppedOutput } = evaluated;
  const texts = output === "" ? [] : ["output:", shortenedOutput(output).replace(/\n$/, "")];
  if (outputUri !== undefined)
    texts.push(`[… ${output.length} characters of output; read the rest with resource.read ${outputUri} …]`);
  if (outputProblem !== undefined)
    texts.push(`[… ${output.length} characters of output; the rest could not be kept: ${outputProblem} …]`);
  if (droppedOutput > 0)
    texts.push(
      `[${droppedOutput} more characters were written; at most ${replLimits.outputCharacters} are kept of one evaluation.]`,
    );
  return texts;
}

/** Its beginning and, mostly, its end. */
export function shortenedOutput(output: string): string {
  const limit = replLimits.shownOutputCharacters;
  if (output.length <= limit) return output;
  const head = Math.floor(limit / 4);
  const first = output.slice(0, head).replace(/[\uD800-\uDBFF]$/, "");
  const rest = output.slice(output.length - (limit - head)).replace(/^[\uDC00-\uDFFF]/, "");
  return `${first}\n[… ${output.length - first.length - rest.length} characters left out …]\n${rest}`;
}

function bounded(text: string, limit = 2_000): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).toWellFormed()}… (${text.length - limit} more characters)`;
}
