/** Built-in dispatch macros of `#`. */
import { NIL } from "../data/symbol.ts";
import { char } from "../data/character.ts";
import { deliver, type Outcome } from "./frames.ts";
import { Label } from "./labels.ts";
import type { BuiltinDispatch } from "./readtable.ts";
import type { ReaderState } from "./reader-state.ts";

type SharpReader = (reader: ReaderState, argument: number | bigint | null, sub: number) => Outcome;

function radix(base: number): SharpReader {
  return (reader) => {
    const frame = reader.push("radix");
    frame.savedBase = reader.base;
    frame.argument = base;
    reader.base = base;
    return "go";
  };
}

const readRadix: SharpReader = (reader, argument) => {
  if (reader.suppress > 0) return radix(10)(reader, argument, 82);
  if (argument === null || argument < 2 || argument > 36)
    return reader.fail("#R needs a radix from 2 to 36 between # and R");
  return radix(Number(argument))(reader, argument, 82);
};

const readLabel: SharpReader = (reader, argument) => {
  const frame = reader.push("label");
  if (reader.suppress > 0) return "go";
  if (argument === null) return reader.fail("#= needs a number between # and =");
  if (reader.labels.has(argument)) return reader.fail("the label #~D= is defined twice", argument);
  frame.label = new Label();
  reader.labels.set(argument, frame.label);
  return "go";
};

const readReference: SharpReader = (reader, argument) => {
  if (reader.suppress > 0) return deliver(reader, NIL);
  if (argument === null) return reader.fail("## needs a number between the two #");
  const label = reader.labels.get(argument);
  if (label === undefined) return reader.fail("the label #~D# is not defined", argument);
  if (label.value !== null) return deliver(reader, label.value);
  label.forward = true;
  return deliver(reader, label);
};

function readFeature(negated: boolean): SharpReader {
  return (reader) => {
    const frame = reader.push("feature");
    frame.negated = negated;
    frame.savedPackage = reader.pkg;
    frame.savedSuppress = reader.suppress;
    reader.suppress = 0;
    reader.pkg = reader.context.keywordPackage;
    return "go";
  };
}

function waiting(kind: "eval" | "complex" | "structure" | "pathname"): SharpReader {
  return (reader) => {
    reader.push(kind);
    return "go";
  };
}

const READERS: Readonly<Record<BuiltinDispatch, SharpReader>> = {
  "SHARP-CHARACTER": (reader) => {
    reader.startToken("character");
    // The first character belongs to the token whatever its syntax.
    reader.afterSingle = true;
    return "go";
  },
  "SHARP-FUNCTION": (reader) => {
    reader.push("wrap").symbol = reader.context.functionSymbol;
    return "go";
  },
  "SHARP-VECTOR": (reader, argument) => {
    const frame = reader.push("vector");
    frame.close = 41;
    frame.argument = argument;
    return "go";
  },
  "SHARP-BITS": (reader, argument) => {
    reader.startToken("bits");
    reader.sharpArgument = argument;
    return "go";
  },
  "SHARP-UNINTERNED": (reader) => {
    reader.startToken("uninterned");
    return "go";
  },
  "SHARP-EVAL": (reader, argument, sub) => {
    if (reader.suppress === 0 && !reader.evaluate && !reader.dry) {
      return reader.fail("#. is not allowed while *READ-EVAL* is NIL");
    }
    return waiting("eval")(reader, argument, sub);
  },
  "SHARP-BINARY": radix(2),
  "SHARP-OCTAL": radix(8),
  "SHARP-HEXADECIMAL": radix(16),
  "SHARP-RADIX": readRadix,
  "SHARP-COMPLEX": waiting("complex"),
  "SHARP-ARRAY": (reader, argument) => {
    reader.push("array").argument = argument;
    return "go";
  },
  "SHARP-STRUCTURE": waiting("structure"),
  "SHARP-PATHNAME": waiting("pathname"),
  "SHARP-LABEL": readLabel,
  "SHARP-REFERENCE": readReference,
  "SHARP-PLUS": readFeature(false),
  "SHARP-MINUS": readFeature(true),
  "SHARP-COMMENT": (reader) => {
    reader.phase = "block-comment";
    reader.depth = 1;
    reader.previous = 0;
    return "go";
  },
  "SHARP-ILLEGAL": (reader, _argument, sub) => reader.fail("the character ~S may not follow #", char(sub)),
};

/** Performs a built-in dispatch macro after `#`, its argument and sub-character were read. */
export function readSharp(
  reader: ReaderState,
  tag: BuiltinDispatch,
  argument: number | bigint | null,
  sub: number,
): Outcome {
  return READERS[tag](reader, argument, sub);
}
