/** Says what a session that opens waits for: an initialization file that takes its time. */
import type { HostLink } from "../link/host-link.ts";

/** Time of an opening after which it is said what is loaded, and how often that is asked, in milliseconds. */
export const loadingWatchMs = 2_000;

export type LoadingWatch = {
  /** Undefined while there is no connection. */
  readonly link: () => Pick<HostLink, "request"> | undefined;
  readonly show: (text: string) => void;
  readonly everyMs?: number;
};

/** Does the work; while it goes on, shows which initialization files the host loads. */
export async function watchedOpening<Value>(
  work: () => Promise<Value>,
  { link, show, everyMs = loadingWatchMs }: LoadingWatch,
): Promise<Value> {
  let isOver = false;
  const look = async (): Promise<void> => {
    const answer = await link()?.request("sessions", {});
    if (!isOver && answer !== undefined && answer.loading.length > 0)
      show(`loading ${answer.loading.join(", ")}…`);
  };
  // What the opening comes to says why a look failed.
  const timer = setInterval(() => void look().catch(() => undefined), everyMs);
  try {
    return await work();
  } finally {
    isOver = true;
    clearInterval(timer);
  }
}
