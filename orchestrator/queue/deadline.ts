/** Parts in which a deadline is counted. */
const slices = 20;

/**
 * Resolves when the work has ended or after `deadlineMs`, whichever is first; tells which. Time in which this process did not
 * run (a suspended machine, a busy one, a long computation) counts as one slice of it only: an answer that came meanwhile
 * shall be taken, and what never had the chance to be answered is not late.
 */
export async function withinDeadline(
  work: Promise<unknown>,
  deadlineMs: number,
): Promise<"ended" | "deadline"> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<"deadline">((resolve) => {
    let left = slices;
    const next = (): void => {
      left -= 1;
      if (left < 0) resolve("deadline");
      else timer = setTimeout(next, deadlineMs / slices);
    };
    next();
  });
  try {
    return await Promise.race([work.then(() => "ended" as const), deadline]);
  } finally {
    clearTimeout(timer);
  }
}
