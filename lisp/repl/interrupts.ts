/**
 * What the command's main thread and the image's terminal tell the running evaluation: one shared word, 0 when there is
 * nothing to tell. The evaluation takes it at its next safe point, or at once when it waits for input or sleeps.
 */
export const interruptKind = { none: 0, signal: 1, outputGone: 2, terminated: 3, hungUp: 4 } as const;

/** Exit codes of a command that an interrupt ended: as a shell reports SIGINT, SIGPIPE, SIGTERM and SIGHUP. */
export const interruptExit = { signal: 130, outputGone: 141, terminated: 143, hungUp: 129 } as const;

/** Signals that end the command, whatever the listener would like. */
const endings = { SIGTERM: interruptKind.terminated, SIGHUP: interruptKind.hungUp } as const;

/** Longest time that cleanup forms may take after one of them, in milliseconds. */
const cleanupMs = 2_000;

/** A second SIGINT this soon after one that nothing has obeyed ends the process, in milliseconds. */
const insistenceMs = 1_000;

/** The shared word. */
export function interruptWord(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** Tells the evaluation; what it has not taken yet is replaced. */
export function tellInterrupt(word: Int32Array, kind: number): void {
  Atomics.store(word, 0, kind);
  Atomics.notify(word, 0);
}

/** True when the user insists: a SIGINT that nothing obeyed was sent less than a second before this one. */
export function insists(word: Int32Array, lastAtMs: number, nowMs: number): boolean {
  return Atomics.load(word, 0) === interruptKind.signal && nowMs - lastAtMs < insistenceMs;
}

/**
 * Passes SIGINT, SIGTERM and SIGHUP on to the evaluation until the returned function is called. Who insists on SIGINT ends the process by
 * the signal itself, because a thread that sits in a long operation of the machine cannot be waited for.
 */
export function passInterruptsOn(word: Int32Array): () => void {
  const stops = [passInterruptOn(word), passEndingOn(word, "SIGTERM"), passEndingOn(word, "SIGHUP")];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Ends the command in order at the signal; after `cleanupMs` by the signal itself. Who sends it may send it twice at once. */
function passEndingOn(word: Int32Array, signal: keyof typeof endings): () => void {
  let timer: NodeJS.Timeout | undefined;
  const endNow = (): void => {
    process.off(signal, onSignal);
    process.kill(process.pid, signal);
  };
  const onSignal = (): void => {
    timer ??= setTimeout(endNow, cleanupMs);
    tellInterrupt(word, endings[signal]);
  };
  process.on(signal, onSignal);
  return () => {
    clearTimeout(timer);
    process.off(signal, onSignal);
  };
}

function passInterruptOn(word: Int32Array): () => void {
  let lastAtMs = Number.NEGATIVE_INFINITY;
  const onSignal = (): void => {
    const nowMs = performance.now();
    if (insists(word, lastAtMs, nowMs)) {
      process.off("SIGINT", onSignal);
      process.kill(process.pid, "SIGINT");
      return;
    }
    lastAtMs = nowMs;
    tellInterrupt(word, interruptKind.signal);
  };
  process.on("SIGINT", onSignal);
  return () => void process.off("SIGINT", onSignal);
}
