/** Lisp text for display: the tokens of our own reader, and whether the text is whole. */
import { plainCompleteness, plainTokens } from "../../../lisp/reader/plain-reading.ts";
import { AutolithError } from "../../contract/failure.ts";
import type { Highlighting } from "../../contract/session/catalogs.ts";
import { inputCharacterLimit } from "../../contract/session/input.ts";

/** Throws `input-limit` for a text beyond the bound of inputs. */
export function highlightedLisp(text: string): Highlighting {
  if (text.length > inputCharacterLimit)
    throw new AutolithError(
      "input-limit",
      `A text to highlight has at most ${inputCharacterLimit} characters, not ${text.length}.`,
    );
  const judged = plainCompleteness(text);
  return {
    tokens: plainTokens(text).map(({ kind, start, end }) => ({ kind, from: start, to: end })),
    completeness: judged.kind,
    ...(judged.kind === "invalid" ? { problem: judged.message } : {}),
  };
}
