/** Signals of a headless process: the first asks for an orderly end, a second one forces it. */
import { exitStatus } from "./exit-status.ts";

const statusOf = {
  SIGINT: exitStatus.interrupted,
  SIGTERM: exitStatus.terminated,
  SIGHUP: exitStatus.hangUp,
  SIGQUIT: exitStatus.quit,
} as const;

type WatchedSignal = keyof typeof statusOf;

export type SignalWatch = {
  /** Aborted by the first signal; the reason is its name. */
  readonly cancelled: AbortSignal;
  /** The status that the process ends with when a signal came, else undefined. */
  readonly exitStatus: number | undefined;
  /** Gives the signals back to their default. */
  stop(): void;
};

/** Time from the first signal until the process ends whatever still goes on, in milliseconds. */
const forcedEndMs = 5_000;

/** Watches SIGINT, SIGTERM, SIGHUP and SIGQUIT. */
export function watchSignals(): SignalWatch {
  const abort = new AbortController();
  let received: WatchedSignal | undefined;
  let timer: NodeJS.Timeout | undefined;
  const force = (signal: WatchedSignal): void => process.exit(statusOf[signal]);
  const listener = (signal: WatchedSignal): void => {
    if (received !== undefined) {
      force(received);
      return;
    }
    received = signal;
    timer = setTimeout(() => force(signal), forcedEndMs);
    timer.unref();
    abort.abort(signal);
  };
  const signals = Object.keys(statusOf) as WatchedSignal[];
  for (const signal of signals) process.on(signal, listener);
  return {
    cancelled: abort.signal,
    get exitStatus() {
      return received === undefined ? undefined : statusOf[received];
    },
    stop: () => {
      clearTimeout(timer);
      for (const signal of signals) process.off(signal, listener);
    },
  };
}
