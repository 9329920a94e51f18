/** An image whose cancelled evaluations end within a bound: one that does not takes the image with it. */
import type { LispEvaluationOptions, LispImage, LispResult } from "../contract/lisp-image.ts";
import { replLimits } from "../repls/repl-limits.ts";

/** Why the image was ended; told of every evaluation that was lost with it. */
export function unendedReason(graceMs: number): string {
  return `the cleanup of what was cancelled did not end within ${graceMs} ms; the image was ended, and its definitions are gone except journalled ones`;
}

/** The image, ended when an evaluation has not ended `graceMs` after its signal aborted. */
export function boundedImage(image: LispImage, graceMs: number = replLimits.cancelGraceMs): LispImage {
  const evaluate = async (source: string, options: LispEvaluationOptions = {}): Promise<LispResult> => {
    const { signal } = options;
    if (signal === undefined) return image.evaluate(source, options);
    let grace: NodeJS.Timeout | undefined;
    const cancelled = (): void => {
      grace = setTimeout(() => void image.terminate(unendedReason(graceMs)), graceMs);
    };
    if (signal.aborted) cancelled();
    else signal.addEventListener("abort", cancelled, { once: true });
    try {
      return await image.evaluate(source, options);
    } finally {
      clearTimeout(grace);
      signal.removeEventListener("abort", cancelled);
    }
  };
  return {
    ready: image.ready,
    ended: image.ended,
    evaluate,
    define: (functions, calls) => image.define(functions, calls),
    complete: (prefix, limit) => image.complete(prefix, limit),
    probe: (text) => image.probe(text),
    argumentList: (name) => image.argumentList(name),
    describe: (name) => image.describe(name),
    journal: () => image.journal(),
    save: (path, options) => image.save(path, options),
    terminate: (reason) => image.terminate(reason),
  };
}
