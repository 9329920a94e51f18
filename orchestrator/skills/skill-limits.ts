/** Bounds of the code of skills. */

export const skillCodeLimits = {
  /** Skills of one host whose code runs at once. */
  perHost: 8,
  /** Heap of the image of one, in megabytes. */
  heapMb: 512,
  /** What a result may have printed, in bytes (manual). */
  resultBytes: 1_048_576,
  /** Longer results are kept under a `context:` reference, in characters. */
  shownResultCharacters: 4_000,
  /** Input as a printed form, in characters. */
  inputCharacters: 100_000,
  /** Time from the start of its image, in milliseconds. */
  timeMs: 3_600_000,
  /** Nesting and parts of a result. */
  resultDepth: 128,
  resultNodes: 262_144,
  /** Source files of a skill that a verification holds for, and their bytes together. */
  sources: 256,
  sourceBytes: 8_388_608,
  /** Verifications that are kept; the oldest go. */
  verifications: 256,
} as const;
