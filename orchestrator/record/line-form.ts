import {
  type DataForm,
  type DataList,
  type ReadOptions,
  DataFormError,
  checkFormLimits,
  keyword,
  printDataForm,
  readDataForm,
  recordLimits,
} from "../../lisp/data-forms/index.ts";

/**
 * Data forms on one physical line.
 *
 * A journal heals by lines, but a Lisp string holds its line breaks as they are. So a string with line feeds is written as
 * `(:lines "first" "second" …)`, joined by line feeds when read; a list that really begins with `:lines` or `:literal` is
 * written behind a `:literal` of its own. Any reader of data forms reads such a line.
 */
const linesTag = keyword("lines");
const literalTag = keyword("literal");

const readOptions: ReadOptions = { limits: recordLimits, lineComments: false };

/**
 * The form as one line without its newline. NUL characters of strings are left out: no reader of text bears them.
 *
 * @throws DataFormError `data-too-deep` or `data-too-large` for a form that {@link lineToForm} would refuse.
 */
export function formToLine(form: DataForm): string {
  checkFormLimits(form, recordLimits);
  const text = printDataForm(form);
  // Only strings can bring line feeds into the text, and most records have none.
  const line = needsTags(form, text) ? taggedLine(form) : text;
  return line.includes("\0") ? line.replaceAll("\0", "") : line;
}

/** The form that a line holds. @throws DataFormError when it holds none, or more than one. */
export function lineToForm(line: Uint8Array | string): DataForm {
  return untagged(readDataForm(line, readOptions));
}

function taggedLine(form: DataForm): string {
  const written = tagged(form);
  checkFormLimits(written, recordLimits);
  return printDataForm(written);
}

function needsTags(form: DataForm, text: string): boolean {
  return text.includes("\n") || ((text.includes(":LINES") || text.includes(":LITERAL")) && holdsTag(form));
}

function holdsTag(form: DataForm): boolean {
  if (!Array.isArray(form)) return false;
  const list = form as DataList;
  return isTag(list[0]) || list.some(holdsTag);
}

function isTag(form: DataForm | undefined): boolean {
  return form === linesTag || form === literalTag;
}

function tagged(form: DataForm): DataForm {
  if (typeof form === "string") return form.includes("\n") ? [linesTag, ...form.split("\n")] : form;
  if (!Array.isArray(form)) return form;
  const elements = (form as DataList).map(tagged);
  return isTag((form as DataList)[0]) ? [literalTag, ...elements] : elements;
}

function untagged(form: DataForm): DataForm {
  if (!Array.isArray(form)) return form;
  const list = form as DataList;
  if (list[0] === linesTag) return joined(list.slice(1));
  if (list[0] === literalTag) return list.slice(1).map(untagged);
  // Copying is avoided: nearly every list is as it was read.
  return list.some(Array.isArray) ? list.map(untagged) : list;
}

function joined(lines: DataList): string {
  const texts = lines.filter((line) => typeof line === "string");
  if (texts.length < lines.length) throw new DataFormError("invalid-structure", ":lines holds strings only");
  return texts.join("\n");
}
