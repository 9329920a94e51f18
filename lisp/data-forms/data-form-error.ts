/**
 * Why data was refused.
 *
 * - `invalid-syntax`: not in the grammar (unbalanced, a symbol, a dispatch macro, a dotted pair, a comment that is not allowed…).
 * - `read-error`: the bytes are not UTF-8, or the string is not well-formed UTF-16.
 * - `data-too-deep`, `data-too-large`: a bound was exceeded; the message carries the bound.
 * - `no-form`, `multiple-forms`: exactly one form was expected.
 * - `unknown-field`: a keyword outside the document's vocabulary.
 * - `invalid-structure`: not a property list, a duplicate key, a missing key, a wrong head.
 * - `invalid-value`: the value of a key, or a number, is outside its rule.
 */
export type DataFormErrorKind =
  | "invalid-syntax"
  | "read-error"
  | "data-too-deep"
  | "data-too-large"
  | "no-form"
  | "multiple-forms"
  | "unknown-field"
  | "invalid-structure"
  | "invalid-value";

/** A place in a text: bytes from its start, and the 1-based line and column (in characters) that a person looks for. */
export interface TextPosition {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** What beside the place a {@link DataFormError} may carry. */
export interface DataFormErrorDetails {
  /** Where, when the form came from a text. */
  readonly position?: TextPosition | undefined;
  /** The key concerned, printed (`:timeout-seconds`), for errors of documents. */
  readonly key?: string | undefined;
}

/** Data was refused. `code` is the kind; `problem` is the message without the place. */
export class DataFormError extends Error {
  override readonly name = "DataFormError";
  readonly code: DataFormErrorKind;
  readonly problem: string;
  readonly position: TextPosition | undefined;
  readonly key: string | undefined;

  constructor(code: DataFormErrorKind, problem: string, details: DataFormErrorDetails = {}) {
    const { position } = details;
    super(position === undefined ? problem : `line ${position.line}, column ${position.column}: ${problem}`);
    this.code = code;
    this.problem = problem;
    this.position = position;
    this.key = details.key;
  }
}
