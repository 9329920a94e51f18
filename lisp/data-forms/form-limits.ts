import { DataFormError } from "./data-form-error.ts";
import type { DataForm, DataList } from "./form.ts";
import { codePointCount } from "./plist-reader.ts";
import { type DataLimits, maxNumberCharacters } from "./read-options.ts";

/** The bounds that a form has by itself, whatever it is printed as. */
export type FormLimits = Pick<DataLimits, "maxDepth" | "maxNodes" | "maxStringCharacters">;

/**
 * Checks that a reader with these limits takes the form, so that nothing is written that cannot be read back. Looks at no
 * more of a form than the limits allow.
 * @throws DataFormError `data-too-deep` or `data-too-large` with the bound.
 */
export function checkFormLimits(form: DataForm, limits: FormLimits): void {
  let nodes = 0;
  const visit = (part: DataForm, depth: number): void => {
    nodes += 1;
    if (nodes > limits.maxNodes) throw tooLarge(`more than ${limits.maxNodes} atoms and lists`);
    if (!Array.isArray(part)) {
      checkAtom(part as Exclude<DataForm, DataList>, limits);
      return;
    }
    if (depth >= limits.maxDepth)
      throw new DataFormError("data-too-deep", `lists nest deeper than ${limits.maxDepth}`);
    for (const element of part as DataList) visit(element, depth + 1);
  };
  visit(form, 0);
}

function checkAtom(atom: Exclude<DataForm, DataList>, { maxStringCharacters }: FormLimits): void {
  // Characters are never more than UTF-16 units: most strings need no counting.
  if (
    typeof atom === "string" &&
    atom.length > maxStringCharacters &&
    codePointCount(atom) > maxStringCharacters
  )
    throw tooLarge(`a string has more than ${maxStringCharacters} characters`);
  if (typeof atom === "bigint" && String(atom).length > maxNumberCharacters)
    throw tooLarge(`a number has more than ${maxNumberCharacters} digits`);
}

function tooLarge(problem: string): DataFormError {
  return new DataFormError("data-too-large", problem);
}
