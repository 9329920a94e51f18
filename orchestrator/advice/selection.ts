/** Which contributions a request carries: pure. */
import { adviceCharacterBudget } from "./contribution.ts";
import type { SourcedContribution } from "./contribution.ts";

export type LeftOutReason =
  | { readonly kind: "replaced" | "duplicate" | "superseded" | "conflict"; readonly by: string }
  | { readonly kind: "budget"; readonly characters: number };

export type Selection = {
  readonly given: readonly SourcedContribution[];
  readonly leftOut: readonly { readonly contribution: SourcedContribution; readonly reason: LeftOutReason }[];
  /** Characters of what is given. */
  readonly characters: number;
};

/**
 * Mandatory ones first, then by priority, then in the order they came. What is superseded, conflicts, repeats a key or does not fit the
 * budget is left out, with the reason.
 */
export function selectContributions(
  contributions: readonly SourcedContribution[],
  budget = adviceCharacterBudget,
): Selection {
  const given: SourcedContribution[] = [];
  const leftOut: { contribution: SourcedContribution; reason: LeftOutReason }[] = [];
  let characters = 0;
  for (const contribution of byPrecedence(contributions)) {
    const size = sizeOf(contribution);
    const reason =
      rivalry(contribution, given, contributions) ??
      (characters + size > budget ? ({ kind: "budget", characters: size } as const) : undefined);
    if (reason !== undefined) {
      leftOut.push({ contribution, reason });
      continue;
    }
    given.push(contribution);
    characters += size;
  }
  return { given, leftOut, characters };
}

function byPrecedence(contributions: readonly SourcedContribution[]): readonly SourcedContribution[] {
  return contributions.toSorted(
    (left, right) => Number(right.mandatory) - Number(left.mandatory) || right.priority - left.priority,
  );
}

function rivalry(
  candidate: SourcedContribution,
  given: readonly SourcedContribution[],
  all: readonly SourcedContribution[],
): LeftOutReason | undefined {
  const superseding = all.find(
    (each) =>
      each !== candidate && each.supersedes.includes(candidate.identifier) && !isMutual(candidate, each),
  );
  if (superseding !== undefined) return { kind: "superseded", by: superseding.identifier };
  for (const each of given) {
    if (each.identifier === candidate.identifier) return { kind: "replaced", by: each.source };
    if (each.deduplicate !== undefined && each.deduplicate === candidate.deduplicate)
      return { kind: "duplicate", by: each.identifier };
    if (each.conflicts.includes(candidate.identifier) || candidate.conflicts.includes(each.identifier))
      return { kind: "conflict", by: each.identifier };
  }
  return undefined;
}

/** Two that supersede each other do not both vanish: the first in precedence stays. */
function isMutual(candidate: SourcedContribution, other: SourcedContribution): boolean {
  if (!candidate.supersedes.includes(other.identifier)) return false;
  return byPrecedence([other, candidate])[0] === candidate;
}

/** Characters of a contribution as it is written into the request. */
export function sizeOf(contribution: SourcedContribution): number {
  return noteText(contribution).length + 1;
}

/** One line or more: name, instruction, evidence. */
export function noteText({ identifier, instruction, evidence }: SourcedContribution): string {
  return `- ${identifier}: ${instruction}${evidence === "" ? "" : `\n  Evidence: ${evidence}`}`;
}

/** The text of a request's advice; undefined when nothing is given. */
export function adviceText({ given }: Pick<Selection, "given">): string | undefined {
  if (given.length === 0) return undefined;
  return [
    "Notes for this request. They are not part of the conversation and need no answer of their own.",
    ...given.map(noteText),
  ].join("\n");
}
