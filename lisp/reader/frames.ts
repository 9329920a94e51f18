/** Hands finished objects to the unfinished ones that wait for them. */
import { Cons, list, listToArray } from "../data/cons.ts";
import { LString } from "../data/string.ts";
import { NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { TOTAL_SIZE_LIMIT } from "../arrays/array-making.ts";
import { isRational, isReal, makeComplex } from "../numbers/arithmetic.ts";
import { arrayFromContents } from "./array-contents.ts";
import { featureHolds } from "./features.ts";
import { patchLabel } from "./labels.ts";
import type { Frame, ReaderState } from "./reader-state.ts";

/** Outcome of a step: go on, object complete, call requested, nothing was read, input awaited, end of input, a share of the work done. */
export type Outcome = "go" | "done" | "call" | "none" | "wait" | "end" | "pause";

/** A value for whatever waits for it: the innermost unfinished object, or the caller. */
export function deliver(reader: ReaderState, object: LispValue): Outcome {
  let value = object;
  for (;;) {
    const frame = reader.stack[reader.stack.length - 1];
    if (frame === undefined) {
      reader.value = reader.suppress > 0 ? NIL : value;
      return "done";
    }
    if (frame.kind === "list") {
      addToList(reader, frame, value);
      return "go";
    }
    if (frame.kind === "vector") {
      frame.items ??= [];
      frame.items.push(value);
      return "go";
    }
    const result = complete(reader, frame, value);
    if (typeof result === "string") return result;
    value = result;
  }
}

function addToList(reader: ReaderState, frame: Frame, value: LispValue): void {
  if (frame.dot === 0) {
    const cell = new Cons(value, NIL);
    if (frame.tail === null) frame.head = cell;
    else frame.tail.cdr = cell;
    frame.tail = cell;
  } else if (frame.dot === 1) {
    (frame.tail as Cons).cdr = value;
    frame.dot = 2;
  } else if (reader.suppress === 0) {
    reader.fail("more than one object follows the dot in a list");
  }
}

/** A dot in the token stream. */
export function deliverDot(reader: ReaderState): Outcome {
  const frame = reader.stack[reader.stack.length - 1];
  if (reader.suppress > 0) return deliver(reader, NIL);
  if (frame === undefined || frame.kind !== "list") return reader.fail("a dot outside of a list");
  if (frame.tail === null) return reader.fail("nothing before the dot in a list");
  if (frame.dot !== 0) return reader.fail("more than one dot in a list");
  frame.dot = 1;
  return "go";
}

/** Nothing came of what was read (a comment): tells a single macro call, otherwise reading goes on. */
export function deliverNothing(reader: ReaderState): Outcome {
  const frame = reader.stack[reader.stack.length - 1];
  if (frame?.kind !== "once") return "go";
  reader.stack.pop();
  return "none";
}

/** Ends the list or vector on top, at its closing character. */
export function closeFrame(reader: ReaderState, frame: Frame): Outcome {
  if (frame.kind === "list") {
    if (frame.dot === 1) return reader.fail("nothing after the dot in a list");
    reader.stack.pop();
    return deliver(reader, frame.head);
  }
  reader.stack.pop();
  return deliver(reader, reader.suppress > 0 ? NIL : vectorOf(reader, frame));
}

function vectorOf(reader: ReaderState, frame: Frame): LispValue {
  const { argument } = frame;
  const items = frame.items ?? [];
  if (argument === null) return items;
  if (argument >= TOTAL_SIZE_LIMIT)
    return reader.fail("a vector of more than ~D elements", TOTAL_SIZE_LIMIT - 1);
  const length = Number(argument);
  if (items.length > length) return reader.fail("a vector is longer than its length ~D", length);
  const last = items.at(-1);
  if (last === undefined)
    return length === 0 ? items : reader.fail("a vector of length ~D needs at least one element", length);
  const given = items.length;
  items.length = length;
  return items.fill(last, given);
}

function request(reader: ReaderState, fn: LispValue, args: readonly LispValue[]): Outcome {
  reader.request = { fn, args, suppress: reader.suppress > 0, single: true };
  return "call";
}

/** Ends a frame that waited for one object: its value, or an outcome when reading goes on otherwise. */
function complete(reader: ReaderState, frame: Frame, value: LispValue): LispValue | Outcome {
  const { context, stack } = reader;
  if (frame.kind === "feature") return completeFeature(reader, frame, value);
  stack.pop();
  switch (frame.kind) {
    case "wrap":
      return list(frame.symbol, value);
    case "backquote":
      reader.backquotes--;
      return list(context.quasiquote, value);
    case "comma":
      reader.backquotes++;
      return list(frame.symbol, value);
    case "label":
      return completeLabel(reader, frame, value);
    case "skip":
      reader.suppress = frame.savedSuppress;
      return deliverNothing(reader);
    case "radix":
      reader.base = frame.savedBase;
      if (reader.suppress === 0 && !isRational(value))
        return reader.fail("#~DR needs a rational, not ~S", frame.argument ?? 10, value);
      return value;
    case "once":
      reader.value = value;
      return "done";
    default:
      return reader.suppress > 0 ? NIL : completeObject(reader, frame, value);
  }
}

function completeObject(reader: ReaderState, frame: Frame, value: LispValue): LispValue | Outcome {
  const { context } = reader;
  switch (frame.kind) {
    case "eval":
      if (reader.dry) return NIL;
      if (!reader.evaluate) return reader.fail("#. is not allowed while *READ-EVAL* is NIL");
      return request(reader, context.evalSymbol, [value]);
    case "structure":
      if (!(value instanceof Cons)) return reader.fail("#S needs a list, not ~S", value);
      return reader.dry ? NIL : request(reader, context.makeStructure, [value.car, value.cdr]);
    case "pathname":
      if (!(value instanceof LString)) return reader.fail("#P needs a string, not ~S", value);
      return reader.dry ? NIL : request(reader, context.parseNamestring, [value]);
    case "complex":
      return completeComplex(reader, value);
    default:
      return reader.dry ? NIL : arrayFromContents(reader, frame.argument, value);
  }
}

function completeComplex(reader: ReaderState, value: LispValue): LispValue {
  const parts = listToArray(value);
  const [re, im] = parts ?? [];
  if (parts?.length !== 2 || !isReal(re) || !isReal(im))
    return reader.fail("#C needs a list of two reals, not ~S", value);
  return makeComplex(re, im);
}

function completeLabel(reader: ReaderState, frame: Frame, value: LispValue): LispValue {
  const { label } = frame;
  if (label === null) return value;
  if (value === label) return reader.fail("a label names only itself");
  label.value = value;
  if (label.forward) patchLabel(label);
  return value;
}

/** The feature expression was read: reads the next object, or skips it. */
function completeFeature(reader: ReaderState, frame: Frame, expression: LispValue): Outcome {
  reader.stack.pop();
  reader.pkg = frame.savedPackage ?? reader.pkg;
  reader.suppress = frame.savedSuppress;
  const holds = featureHolds(expression, reader.context.features());
  if (holds === undefined) return reader.fail("~S is not a feature expression", expression);
  if (holds !== frame.negated) return "go";
  const skip = reader.push("skip");
  skip.savedSuppress = reader.suppress;
  reader.suppress++;
  return "go";
}

/** The list of values of a finished call: one value continues, none means that nothing was read. */
export function deliverValues(reader: ReaderState, values: readonly LispValue[]): Outcome {
  const { request: done } = reader;
  reader.request = null;
  const [first] = values;
  if (first === undefined) return done?.single === true ? deliver(reader, NIL) : deliverNothing(reader);
  return deliver(reader, first);
}
