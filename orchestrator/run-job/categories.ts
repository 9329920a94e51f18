/**
 * The categories in which a run can fail (facts A.4), one table: the status its artifact has and the exit code of the
 * process. `64` means that the request was refused before any child was started.
 */
export const failureCategories = {
  "input-not-found": { status: "failed", exitCode: 64 },
  "invalid-input": { status: "failed", exitCode: 64 },
  "invalid-envelope": { status: "failed", exitCode: 64 },
  "unsupported-version": { status: "failed", exitCode: 64 },
  "invalid-contract": { status: "failed", exitCode: 64 },
  "unknown-role": { status: "failed", exitCode: 64 },
  "runtime-unavailable": { status: "failed", exitCode: 64 },
  "artifact-failure": { status: "failed", exitCode: 1 },
  "invalid-output": { status: "failed", exitCode: 1 },
  "provider-failure": { status: "failed", exitCode: 1 },
  "child-failure": { status: "failed", exitCode: 1 },
  cancelled: { status: "cancelled", exitCode: 1 },
  timeout: { status: "timed-out", exitCode: 1 },
  "process-failure": { status: "failed", exitCode: 1 },
  unknown: { status: "failed", exitCode: 1 },
} as const satisfies Record<string, { status: FailureStatus; exitCode: 1 | 64 }>;

/** How a run that did not succeed ended. */
export type FailureStatus = "failed" | "cancelled" | "timed-out";
/** How a run ended. */
export type RunStatus = "succeeded" | FailureStatus;
export type FailureCategory = keyof typeof failureCategories;

/** All categories, in the order of the table. */
export const failureCategoryNames = Object.keys(failureCategories) as readonly FailureCategory[];

/** Categories that occur in events only: the artifact could not be installed, and a name reserved for streams. */
export const eventOnlyCategories = ["result-publication-failed", "stream-failure"] as const;

const absentFromEvents = ["unsupported-version", "unknown"] as const;
type AbsentFromEvents = (typeof absentFromEvents)[number];
export type EventCategory = Exclude<FailureCategory, AbsentFromEvents> | (typeof eventOnlyCategories)[number];

/** The categories that events may show. */
export const eventCategories: readonly EventCategory[] = [
  ...failureCategoryNames.filter((category): category is Exclude<FailureCategory, AbsentFromEvents> =>
    absentFromEvents.every((absent) => absent !== category),
  ),
  ...eventOnlyCategories,
];

/** A category as events show it: those outside their vocabulary become `process-failure`. */
export function eventCategoryOf(category: FailureCategory): EventCategory {
  return eventCategories.find((candidate) => candidate === category) ?? "process-failure";
}

/** How the process ends: 0 only for a success whose artifact is in place. */
export function exitCodeOf(category: FailureCategory | undefined, published: boolean): 0 | 1 | 64 {
  if (category !== undefined) return failureCategories[category].exitCode;
  return published ? 0 : 1;
}
