import { DataFloat, integer, type DataForm, type FloatFormat } from "./form.ts";
import { maxNumberCharacters } from "./read-options.ts";
import type { DataFormErrorKind } from "./data-form-error.ts";

/** Why a token was refused. The reader adds the place. */
export interface TokenRefusal {
  readonly code: DataFormErrorKind;
  readonly problem: string;
}

/** A token's value, or why it has none. */
export type TokenReading = { readonly form: DataForm } | { readonly refusal: TokenRefusal };

const integerToken = /^[+-]?[0-9]+\.?$/;
const floatToken = /^([+-]?(?:[0-9]*\.[0-9]+|[0-9]+\.?(?=[esfdlESFDL])))(?:([esfdlESFDL])([+-]?[0-9]+))?$/;
const ratioToken = /^[+-]?[0-9]+\/[0-9]+$/;
const nonZeroDigit = /[1-9]/;

/** Reads a token that is neither keyword nor string: `T`, `NIL`, an integer or a finite float. */
export function readToken(token: string, floatFormat: FloatFormat): TokenReading {
  if (token.length > maxNumberCharacters) {
    const problem = `a token of ${token.length} characters exceeds the limit of ${maxNumberCharacters}`;
    return { refusal: { code: "data-too-large", problem } };
  }
  if (integerToken.test(token)) return { form: integer(BigInt(token.replace(/^\+|\.$/g, ""))) };
  const float = floatToken.exec(token);
  if (float !== null) return readFloat(token, float, floatFormat);
  const upper = token.toUpperCase();
  if (upper === "T") return { form: true };
  if (upper === "NIL") return { form: false };
  return { refusal: { code: "invalid-syntax", problem: refusedToken(token) } };
}

function readFloat(token: string, parts: RegExpExecArray, floatFormat: FloatFormat): TokenReading {
  const [, mantissa = "", marker = "e", exponent = "0"] = parts;
  const format = formatOf(marker, floatFormat);
  const exact = Number(`${mantissa}e${exponent}`);
  const value = format === "single" ? Math.fround(exact) : exact;
  const vanished = value === 0 && nonZeroDigit.test(mantissa);
  if (!Number.isFinite(value) || vanished) {
    const problem = `${excerpt(token)} is outside the range of a ${format} float`;
    return { refusal: { code: "invalid-value", problem } };
  }
  return { form: new DataFloat(value, format) };
}

function formatOf(marker: string, floatFormat: FloatFormat): FloatFormat {
  switch (marker.toLowerCase()) {
    case "s":
    case "f":
      return "single";
    case "d":
    case "l":
      return "double";
    default:
      return floatFormat;
  }
}

function refusedToken(token: string): string {
  const allowed = "only keywords, strings, T, NIL, integers and finite floats are data";
  if (token === ".") return `dotted pairs are not data; ${allowed}`;
  if (ratioToken.test(token)) return `the ratio ${excerpt(token)} is not data; ${allowed}`;
  return `the symbol ${excerpt(token)} is not data; ${allowed}`;
}

/** At most 60 characters of a token, for messages. */
export function excerpt(token: string): string {
  return token.length <= 60 ? token : `${token.slice(0, 57)}...`;
}
