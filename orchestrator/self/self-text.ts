/** What people and models read of self-modification. Pure. */
import { boundedMessage } from "../contract/failure.ts";
import type { ImageCommit } from "./mutation-store.ts";
import type { Mutation, SkipReason } from "./mutation.ts";
import type { Skipped } from "./self-modification.ts";

const reasons: Readonly<Record<SkipReason, string>> = {
  changed: "the built-in definition that it replaced has changed",
  removed: "the built-in definition that it replaced is not there any more",
  appeared: "a built-in definition of that name has appeared",
  moved: "the name belongs to another package now",
  failed: "it could not be evaluated",
};

export function mutationLine({ id, operator, name, shadows, exercises }: Mutation): string {
  const what = shadows === undefined ? "new" : "replaces a built-in definition";
  return `${id}: ${operator.toLowerCase()} ${name} (${what}${exercises.length === 0 ? "" : `, exercised ${exercises.length} times`})`;
}

export function statusText(
  commit: ImageCommit | undefined,
  pending: readonly Mutation[],
  skipped: readonly Skipped[],
  isLoaded: boolean,
): string {
  return [
    ...(isLoaded || (commit === undefined && pending.length === 0)
      ? []
      : ["This session is pristine (--pristine): none of the following is loaded in its image."]),
    commit === undefined
      ? "No image commit is in force."
      : `Image commit ${commit.id}: ${commit.title} (${commit.definitions.length} definitions).`,
    pending.length === 0
      ? "Nothing waits for a commit."
      : `Not committed:\n${pending.map(mutationLine).join("\n")}`,
    ...(skipped.length === 0 ? [] : [skippedText(skipped)]),
  ].join("\n");
}

/** One notice, grouped by reason. */
export function skippedText(skipped: readonly Skipped[]): string {
  const groups = (Object.keys(reasons) as SkipReason[]).flatMap((reason) => {
    const of = skipped.filter((each) => each.reason === reason);
    if (of.length === 0) return [];
    const names = of.map(
      ({ mutation, detail }) => `${mutation.name}${detail === "" ? "" : ` (${boundedMessage(detail, 300)})`}`,
    );
    return [`- ${reasons[reason]}: ${names.join(", ")}`];
  });
  return `${skipped.length} definition(s) of the image were not replayed:\n${groups.join("\n")}\nApply one again to keep it, or run fix-skipped-definitions; the next self.commit leaves them out.`;
}

export function diffText(pending: readonly Mutation[]): string {
  if (pending.length === 0) return "Nothing waits for a commit.";
  return pending
    .map((mutation) => {
      const before =
        mutation.previous === undefined ? [] : mutation.previous.split("\n").map((line) => `-${line}`);
      const after = mutation.source.split("\n").map((line) => `+${line}`);
      return [`${mutationLine(mutation)}, package ${mutation.package}`, ...before, ...after].join("\n");
    })
    .join("\n\n");
}

/** What the model is asked to do about skipped definitions; `comment` goes before the policy. */
export function repairRequest(skipped: readonly Skipped[], comment: string): string {
  const parts = skipped.map(
    ({ mutation, reason, detail }) =>
      `## ${mutation.name} (${mutation.operator}, package ${mutation.package})\nSkipped: ${reasons[reason]}${detail === "" ? "" : ` (${detail})`}.\nIts source:\n${mutation.source}${mutation.previous === undefined ? "" : `\nThe source that it was written against:\n${mutation.previous}`}`,
  );
  return [
    "Some definitions of your image were not replayed when it started. Look at what is there now with lisp.source and lisp.describe (target self).",
    ...(comment === "" ? [] : [`This goes before everything below: ${comment}`]),
    "Rebuild each one that is still wanted on the present source with self.redefine, drop those that the present source covers already, exercise what you rebuilt, and publish with self.commit, also when all are dropped.",
    ...parts,
  ].join("\n\n");
}
