/** Answers of task and job tools: one data-only S-expression of at most 16,000 characters (facts C.6, C.7). */
import { type DataForm, type DataList, keyword, printDataForm } from "../../lisp/data-forms/index.ts";

/** Longest answer, in characters. */
export const reportLimit = 16_000;
/** Longest preview of one text in an answer; halved until the answer fits. */
const previewStart = 6_000;
const previewFloor = 32;

/** Values of a report: JavaScript `undefined` prints as NIL. */
export type ReportValue = DataForm | undefined;

/** `(:head :key value …)`. Keys are written in lower case with hyphens. */
export function report(head: string, fields: Readonly<Record<string, ReportValue>>): DataList {
  return [keyword(head), ...properties(fields)];
}

/** `(:key value …)` without a head. */
export function properties(fields: Readonly<Record<string, ReportValue>>): DataList {
  return Object.entries(fields).flatMap(([key, value]) => [keyword(key), value ?? false]);
}

/** A keyword value such as `:running`. */
export function word(name: string): DataForm {
  return keyword(name);
}

/** Text of at most `limit` characters, saying how long it was. */
export function preview(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "")}… [${text.length} characters]`;
}

/** Prints the report made with the largest text previews that fit {@link reportLimit}; the smallest previews are the last resort. */
export function fitReport(build: (previewLimit: number) => DataForm): string {
  for (let limit = previewStart; limit > previewFloor; limit = Math.floor(limit / 2)) {
    const text = printDataForm(build(limit));
    if (text.length <= reportLimit) return text;
  }
  return printDataForm(build(previewFloor));
}
