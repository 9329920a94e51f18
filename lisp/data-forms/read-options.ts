import type { FloatFormat } from "./form.ts";
import type { TextPosition } from "./data-form-error.ts";

/** Bounds on one form, all inclusive. They are checked before anything of that size is allocated. */
export interface DataLimits {
  /** UTF-8 bytes of the whole input (of one form, for a stream). */
  readonly maxBytes: number;
  /** Nesting of lists: an atom has depth 0, `(1)` depth 1. */
  readonly maxDepth: number;
  /** Atoms and lists together; the outermost list counts as one. */
  readonly maxNodes: number;
  /** Characters (code points) of one string, and of one keyword or number token. */
  readonly maxStringCharacters: number;
}

/** How a kind of document is read. */
export interface ReadOptions {
  readonly limits: DataLimits;
  /** Upper-case names of the only keywords accepted; every keyword when left out. */
  readonly keywords?: ReadonlySet<string> | undefined;
  /** `;` to the end of the line. Default true. */
  readonly lineComments?: boolean | undefined;
  /** `#| … |#`, which nest. Default false. */
  readonly blockComments?: boolean | undefined;
  /** The format of a float without a marker or with `e`. Default `"double"`. */
  readonly floatFormat?: FloatFormat | undefined;
  /** Where the first byte stands, when the input is a part of a larger text. Default offset 0, line 1, column 1. */
  readonly origin?: TextPosition | undefined;
}

/** Digits, sign, point and exponent of one number; longer tokens are `data-too-large`. */
export const maxNumberCharacters = 4096;

/** Limits for data we wrote ourselves and read back, such as records: generous, yet finite. */
export const recordLimits: DataLimits = {
  maxBytes: 16 * 1024 * 1024,
  maxDepth: 128,
  maxNodes: 262_144,
  maxStringCharacters: 16 * 1024 * 1024,
};
