/** What a person is told of jobs that died with their host. Pure. */

/** Jobs that are named. */
const namedJobs = 8;

/** One line: how many there are, their names, and the commands that show them and decide. `names`: at least one. */
export function interruptedJobsText(names: readonly string[]): string {
  const shown = names.slice(0, namedJobs).join(", ");
  const more = names.length > namedJobs ? ` and ${names.length - namedJobs} more` : "";
  const what =
    names.length === 1
      ? "1 job died with the host and needs"
      : `${names.length} jobs died with the host and need`;
  return `${what} a decision: ${shown}${more}. /tasks get ID shows what is known, /tasks abandon ID :authorize t settles it, and /tasks revive ID :authorize t runs it again where that is safe.`;
}
