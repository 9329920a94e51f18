/** Bounds of a saved image that is to be restored, when nobody gives others. */
export const imageLimits = {
  /** Length of the file. */
  bytes: 1_073_741_824,
  /** Objects besides those of every image. */
  objects: 50_000_000,
} as const;
