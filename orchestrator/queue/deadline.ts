/** Resolves when the work has ended or after `deadlineMs`, whichever is first; tells which. */
export async function withinDeadline(
  work: Promise<unknown>,
  deadlineMs: number,
): Promise<"ended" | "deadline"> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<"deadline">((resolve) => {
    timer = setTimeout(() => resolve("deadline"), deadlineMs);
  });
  try {
    return await Promise.race([work.then(() => "ended" as const), deadline]);
  } finally {
    clearTimeout(timer);
  }
}
