/** Bounds of named REPLs and their evaluations. */

export const replLimits = {
  /** REPLs that one agent may have at once. */
  perAgent: 8,
  /** REPLs of one host, those of all its agents together. */
  perHost: 16,
  /** Heap of one REPL, in megabytes. */
  heapMb: 512,
  /** Characters of output that are kept of one evaluation. */
  outputCharacters: 1_000_000,
  /** Characters of output that its result shows; the whole is kept under a `context:` reference. */
  shownOutputCharacters: 4_000,
  /** Characters of one value that its result shows. */
  valueCharacters: 4_000,
  /** Values of one form that its result shows. */
  values: 20,
  /** Time that a cancelled evaluation gets for its cleanup forms; then its REPL is ended, in milliseconds. */
  cancelGraceMs: 5_000,
  /** Time that a look-up (describe, apropos) may take, in milliseconds. */
  lookupMs: 10_000,
} as const;

/** The REPL that is meant when none is named. */
export const defaultRepl = "main";
