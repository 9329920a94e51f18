/** Bounds of a saved image; one who restores may give others. The number of objects is below what a word of the file can name. */
export const imageLimits = {
  /** Length of the file. */
  bytes: 1_073_741_824,
  /** Objects besides those of every image. */
  objects: 50_000_000,
} as const;
