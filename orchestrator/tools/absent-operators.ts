/** Operators that the manual names and this version has not: asked for, they say why. */
import { AutolithError } from "../contract/failure.ts";

const proposals =
  "there are no proposals of refinement; self.redefine, self.exercise and self.commit change the image";

const unchangeable =
  "not in an immutable session (--immutable, --pristine); in others only the primary agent and its person change the image";

/** By name, in lower case: why it is not here. */
export const absentOperators: ReadonlyMap<string, string> = new Map([
  [
    "redact",
    "the censorship model and its runtime do not come with this version, and no text is sent elsewhere instead",
  ],
  ["refine", proposals],
  ["self.refine", proposals],
  ...["eval", "redefine", "define", "set", "persist-definition", "discard", "exercise", "commit"].map(
    (name) => [`self.${name}`, unchangeable] as const,
  ),
]);

/** What is said of it; undefined for other names. Models that were never offered a tool write its name as it goes over the wire. */
export function absenceText(name: string): string | undefined {
  const wanted = name.toLowerCase().replace("__", ".");
  const why = absentOperators.get(wanted);
  return why === undefined ? undefined : `${wanted} is not here: ${why}.`;
}

/** The refusal `unsupported`; undefined for other names. */
export function absentOperator(name: string): AutolithError | undefined {
  const text = absenceText(name);
  return text === undefined ? undefined : new AutolithError("unsupported", text);
}
