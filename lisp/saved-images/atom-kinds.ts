import { Char, CHAR_CODE_LIMIT, char } from "../data/character.ts";
import { Complex, DoubleFloat, Ratio, SingleFloat, normalizeBigint } from "../data/number.ts";
import type { LispValue } from "../data/value.ts";
import { corrupt } from "./byte-reader.ts";
import { type Kind, leafKind } from "./kind.ts";

/** Numbers of JavaScript that are no small integers. */
export const largeNumbers: Kind = leafKind<number>(
  "large numbers",
  (value, { bytes }) => bytes.double(value),
  ({ bytes }) => bytes.double(),
);

export const bigIntegers: Kind = leafKind<bigint>(
  "big integers",
  (value, { bytes }) => bytes.text(value.toString(16)),
  ({ bytes }) => {
    const text = bytes.text();
    if (!/^-?[0-9a-f]+$/.test(text)) throw corrupt("an integer has no digits");
    const value = text.startsWith("-") ? -BigInt(`0x${text.slice(1)}`) : BigInt(`0x${text}`);
    return normalizeBigint(value) as bigint;
  },
);

/** Floats of one format, as a column of doubles. */
function floats(name: string, make: (value: number) => DoubleFloat | SingleFloat): Kind {
  return {
    name,
    visit: () => undefined,
    writeShapes: (objects, { bytes }) => {
      const column = new Float64Array(objects.length);
      for (let i = 0; i < objects.length; i++) column[i] = (objects[i] as DoubleFloat | SingleFloat).v;
      bytes.doubles(column);
    },
    readShapes: (count, { bytes }) => {
      const column = bytes.doubles(count);
      const made: LispValue[] = [];
      for (let i = 0; i < count; i++) made.push(make(column[i]!));
      return made;
    },
    writeContents: () => undefined,
    readContents: () => undefined,
  };
}

export const doubleFloats = floats("double floats", (value) => new DoubleFloat(value));
export const singleFloats = floats("single floats", (value) => new SingleFloat(value));

export const characters: Kind = leafKind<Char>(
  "characters",
  ({ code }, { bytes }) => bytes.count(code),
  ({ bytes }) => {
    const code = bytes.count();
    if (code >= CHAR_CODE_LIMIT) throw corrupt(`${code} is no code of a character`);
    return char(code);
  },
);

export const ratios: Kind = leafKind<Ratio>(
  "ratios",
  ({ num, den }, out) => {
    out.bytes.count(out.word(num));
    out.bytes.count(out.word(den));
  },
  (input) => {
    const [num, den] = [input.bytes.count(), input.bytes.count()];
    return new Ratio(input.value(num) as number, input.value(den) as number);
  },
  ({ num, den }, visit) => {
    visit(num);
    visit(den);
  },
);

export const complexNumbers: Kind = leafKind<Complex>(
  "complex numbers",
  ({ re, im }, out) => {
    out.bytes.count(out.word(re));
    out.bytes.count(out.word(im));
  },
  (input) => {
    const [re, im] = [input.bytes.count(), input.bytes.count()];
    return new Complex(input.value(re), input.value(im));
  },
  ({ re, im }, visit) => {
    visit(re);
    visit(im);
  },
);
