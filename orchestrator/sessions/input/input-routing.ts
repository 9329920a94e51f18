/** What a submitted text is: Lisp, Lisp beside everything else, a command, or prose. Pure. */
import { type TextToken, plainCompleteness, plainTokens } from "../../../lisp/reader/plain-reading.ts";
import { AutolithError } from "../../contract/failure.ts";
import type { BusyBehaviour } from "../../contract/session/catalogs.ts";
import { type SlashText, slashText } from "../commands/command-table.ts";

export type RoutedText =
  | SlashText
  /** `(…`. */
  | { readonly kind: "form"; readonly source: string }
  /** `? form`: evaluated as a job. */
  | { readonly kind: "background-form"; readonly source: string };

/** `??` and `?text` are prose, and so is a lone `?`. */
export function routedText(text: string): RoutedText {
  if (/^\s*\(/.test(text)) return { kind: "form", source: text.trim() };
  const background = /^\?\s+([\s\S]*)$/.exec(text.trimStart());
  if (background !== null) return { kind: "background-form", source: (background[1] ?? "").trim() };
  return slashText(text);
}

/**
 * Refuses a form that is not whole: `incomplete-form` when more text could complete it, `invalid-form` when nothing could, both with the place.
 */
export function checkForm(source: string): void {
  const judged = plainCompleteness(source);
  if (judged.kind === "complete" && judged.forms === 1) return;
  if (judged.kind === "complete")
    throw new AutolithError(
      "invalid-form",
      `There are ${judged.forms} forms; one is evaluated at a time. (progn …) makes one of several.`,
    );
  if (judged.kind === "empty")
    throw new AutolithError("invalid-form", "There is no form: only white space and comments.");
  const { line, column } = judged.at;
  const details = { line, column };
  if (judged.kind === "incomplete")
    throw new AutolithError(
      "incomplete-form",
      `The form is not complete: what begins at line ${line}, column ${column} has no end. Go on with another line.`,
      { details },
    );
  throw new AutolithError(
    "invalid-form",
    `The form cannot be read at line ${line}, column ${column}: ${judged.message}`,
    { details },
  );
}

/** The name of the operator that a form calls, in lower case; "" when its head is no symbol. */
export function formOperator(source: string): string {
  const [open, head] = plainTokens(source).filter(isSubstance);
  if (open?.kind !== "open" || head?.kind !== "symbol") return "";
  return nameOf(source, head);
}

/** True for a form that may be evaluated while a turn runs: it looks, it is told to run at once, or its operator decides by itself. */
export function runsDuringTurn(
  source: string,
  busyOf: (operator: string) => BusyBehaviour | undefined,
): boolean {
  const operator = formOperator(source);
  if (["eval-now", "prompt", "vault-contents"].includes(operator)) return true;
  if (operator === "setf") return setsOnlyVault(source);
  const busy = busyOf(operator);
  return busy !== undefined && busy !== "hold";
}

/** True for `(setf (vault-contents …) value …)` with such places only. */
function setsOnlyVault(source: string): boolean {
  const tokens = plainTokens(source).filter(isSubstance);
  const heads: string[] = [];
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (depth === 1 && token.kind !== "close" && tokens[index - 1]?.kind !== "quote")
      heads.push(token.kind === "open" ? nameOf(source, tokens[index + 1]) : "");
    if (token.kind === "open") depth += 1;
    if (token.kind === "close") depth -= 1;
  }
  // The operator itself, then places and values in turn.
  const places = heads.slice(1).filter((_, index) => index % 2 === 0);
  return places.length > 0 && heads.length % 2 === 1 && places.every((name) => name === "vault-contents");
}

function isSubstance({ kind }: TextToken): boolean {
  return kind !== "comment" && kind !== "skipped";
}

function nameOf(source: string, token: TextToken | undefined): string {
  if (token === undefined) return "";
  return source
    .slice(token.start, token.end)
    .toLowerCase()
    .replace(/^autolith::?/, "");
}
