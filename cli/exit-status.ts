/** Exit statuses of the command line (facts A.4, H). */
export const exitStatus = {
  ok: 0,
  /** A terminal outcome that is not a success, or a publication failure. */
  failed: 1,
  /** Rejected arguments, configuration or request. */
  usage: 64,
  /** A fault of autolith itself. */
  fatal: 70,
  hangUp: 129,
  interrupted: 130,
  quit: 131,
  terminated: 143,
} as const;
