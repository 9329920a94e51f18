/** Errors of the connection to a host, by their codes. */

/** An error that ends the program instead of being shown. */
export class OpeningError extends Error {
  override readonly name = "OpeningError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The stable code of an error; `condition` when it has none. */
export function codeOf(error: unknown): string {
  const { code } = (typeof error === "object" && error !== null ? error : {}) as { code?: unknown };
  return typeof code === "string" ? code : "condition";
}

/** What an error says to people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
