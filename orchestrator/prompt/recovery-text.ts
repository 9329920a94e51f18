/** What a recovery of a diagnosis does, in words: before it is chosen, and in the record of the conversation afterwards. Pure. */
import { boundedMessage } from "../contract/failure.ts";
import type { LiveRestart, Recovery } from "../contract/session/restarts.ts";

/** What its action does: which restart, and the Lisp that goes into it. */
export function recoveryActionText(
  action: Recovery["action"],
  restarts: readonly Pick<LiveRestart, "index" | "name" | "text">[],
): string {
  switch (action.kind) {
    case "restart": {
      const restart = restarts.find(({ index }) => index === action.index);
      const name = restart?.name.toLowerCase() || restart?.text || "without a name";
      const given = action.argument === undefined ? "" : ` with ${action.argument}`;
      return `invokes the restart ${name}${given}`;
    }
    case "retry":
      return "evaluates the whole form again";
    case "values":
      return `ends the form with the values of ${action.source}`;
    case "abort":
      return "ends the form with its condition";
  }
}

/** Most characters of the Lisp of a recovery in the line of the record about it. */
export const recoveryActionCharacters = 4_000;

/** What the conversation keeps of a recovery that a person chose. */
export function chosenRecoveryText(
  { formId, restarts }: { readonly formId: string; readonly restarts: readonly LiveRestart[] },
  { title, repair, action }: Recovery,
): string {
  const before = repair === undefined ? "" : "; the repair is evaluated first, as a form of its own";
  const does = boundedMessage(recoveryActionText(action, restarts), recoveryActionCharacters);
  return `Recovery chosen for ${formId}, “${oneLine(title)}”: ${does}${before}.`;
}

/** The repair as the form that is recorded and evaluated. */
export function repairSource(formId: string, title: string, repair: string): string {
  return `; Repair for ${formId}, proposed by a diagnosis: ${oneLine(title)}\n${repair}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
