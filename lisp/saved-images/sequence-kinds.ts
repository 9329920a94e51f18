import { CharacterArrayView, storeOf } from "../arrays/array-making.ts";
import { LArray, type ArrayStorage, type ElementType, makeStorage } from "../data/array.ts";
import { Cons } from "../data/cons.ts";
import { LString } from "../data/string.ts";
import { NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { corrupt } from "./byte-reader.ts";
import { isNarrow } from "./byte-writer.ts";
import type { HeapInput, HeapOutput, Kind } from "./kind.ts";

const nothing = (): void => undefined;

/** Conses: a column of words, car and cdr in turn. */
export const conses: Kind = {
  name: "conses",
  visit: (object, visit) => {
    // The cdr last: it is taken up first, so that a list is walked along its spine.
    visit((object as Cons).car);
    visit((object as Cons).cdr);
  },
  writeShapes: nothing,
  readShapes: (count, { bytes }) => {
    if (count * 8 > bytes.left) throw corrupt("there are fewer conses than announced");
    const made: LispValue[] = [];
    for (let i = 0; i < count; i++) made.push(new Cons(NIL, NIL));
    return made;
  },
  writeContents: (objects, out) => {
    const words = new Uint32Array(objects.length * 2);
    for (let i = 0; i < objects.length; i++) {
      const { car, cdr } = objects[i] as Cons;
      words[2 * i] = out.word(car);
      words[2 * i + 1] = out.word(cdr);
    }
    out.bytes.words(words);
  },
  readContents: (objects, input) => {
    const words = input.bytes.words(objects.length * 2);
    for (let i = 0; i < objects.length; i++) {
      const cell = objects[i] as Cons;
      cell.car = input.value(words[2 * i]!);
      cell.cdr = input.value(words[2 * i + 1]!);
    }
  },
};

/** Writes the lengths of lists of values as shapes and the values as contents. */
export function writeLengths(lists: readonly (readonly LispValue[])[], { bytes }: HeapOutput): void {
  for (const list of lists) bytes.count(list.length);
}

export function writeValues(lists: readonly (readonly LispValue[])[], out: HeapOutput): void {
  let total = 0;
  for (const list of lists) total += list.length;
  const words = new Uint32Array(total);
  let at = 0;
  for (const list of lists) for (let i = 0; i < list.length; i++) words[at++] = out.word(list[i]!);
  out.bytes.words(words);
}

/** Fills lists of values of known lengths. */
export function readValues(lists: readonly LispValue[][], input: HeapInput): void {
  let total = 0;
  for (const list of lists) total += list.length;
  const words = input.bytes.words(total);
  let at = 0;
  for (const list of lists) for (let i = 0; i < list.length; i++) list[i] = input.value(words[at++]!);
}

/** A list of values of a length that was read. */
export function readLength({ bytes }: HeapInput): LispValue[] {
  // Each element takes a word further on.
  const length = bytes.countOf(4);
  const list: LispValue[] = [];
  for (let i = 0; i < length; i++) list.push(NIL);
  return list;
}

export const simpleVectors: Kind = {
  name: "simple vectors",
  visit: (object, visit) => {
    for (const item of object as readonly LispValue[]) visit(item);
  },
  writeShapes: (objects, out) => writeLengths(objects as readonly LispValue[][], out),
  readShapes: (count, input) => {
    const made: LispValue[] = [];
    for (let i = 0; i < count; i++) made.push(readLength(input));
    return made;
  },
  writeContents: (objects, out) => writeValues(objects as readonly LispValue[][], out),
  readContents: (objects, input) => readValues(objects as LispValue[][], input),
};

/** Bits of the head of a string. */
const WIDE = 1;
const BASE = 2;
const CODES = 4;
const ODD = 8;

/** Elements of a string as JavaScript text when that says it all: no surrogate stands for itself or for half of a character. */
function plainText(string: LString): string | null {
  const text = string.slice(0, string.total);
  if (text.length !== string.total) return null;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xe000) return null;
  }
  return text;
}

function writeString(string: LString, { bytes }: HeapOutput): void {
  const odd = !string.simple || string.barren ? ODD : 0;
  const head = odd | (string.base ? BASE : 0);
  const text = string.displacement === null ? plainText(string) : "";
  if (text === null) {
    bytes.byte(head | CODES);
    bytes.count(string.total);
    for (let i = 0; i < string.total; i++) bytes.count(string.code(i));
  } else {
    const narrow = isNarrow(text);
    bytes.byte(head | (narrow ? 0 : WIDE));
    bytes.count(text.length);
    bytes.characters(text, narrow);
  }
  if (odd === 0) return;
  bytes.byte((string.adjustable ? 1 : 0) | (string.barren ? 2 : 0) | (string.displacement === null ? 0 : 4));
  bytes.count(string.fillPointer + 1);
}

function readString({ bytes }: HeapInput): LString {
  const head = bytes.byte();
  const string = (head & CODES) === 0 ? readText(head, bytes) : readCodes(bytes);
  string.base = (head & BASE) !== 0;
  if ((head & ODD) === 0) return string;
  const traits = bytes.byte();
  string.adjustable = (traits & 1) !== 0;
  string.barren = (traits & 2) !== 0;
  if ((traits & 4) !== 0) string.displaceTo(string, 0, 0);
  string.fillPointer = bytes.count() - 1;
  return string;
}

function readText(head: number, bytes: HeapInput["bytes"]): LString {
  return LString.from(bytes.characters(bytes.countOf(1), (head & WIDE) === 0));
}

function readCodes(bytes: HeapInput["bytes"]): LString {
  const codes = new Uint32Array(bytes.countOf(1));
  for (let i = 0; i < codes.length; i++) codes[i] = bytes.count();
  return LString.fromCodes(codes);
}

/** Displaced strings and arrays: where their elements are. */
interface Displaced {
  readonly target: LispValue;
  readonly offset: number;
}

function displacementOf(object: LString | LArray): Displaced | null {
  const { displacement } = object;
  if (displacement === null) return null;
  const { target, offset } = displacement;
  // A string displaced to an array of another rank sees it through a view.
  return { target: target instanceof CharacterArrayView ? target.array : target, offset };
}

/** Strings; whatever their storage is, they come back equal, with room for no more than they had. */
export const strings: Kind = {
  name: "strings",
  visit: (object, visit) => {
    const displaced = displacementOf(object as LString);
    if (displaced !== null) visit(displaced.target);
  },
  writeShapes: (objects, out) => {
    for (const object of objects) writeString(object as LString, out);
  },
  readShapes: (count, input) => {
    const made: LispValue[] = [];
    for (let i = 0; i < count; i++) made.push(readString(input));
    return made;
  },
  writeContents: (objects, out) => {
    for (const object of objects) {
      const displaced = displacementOf(object as LString);
      if (displaced === null) continue;
      out.bytes.count(out.word(displaced.target));
      out.bytes.count(displaced.offset);
      out.bytes.count((object as LString).total);
    }
  },
  readContents: (objects, input) => {
    for (const object of objects) {
      const string = object as LString;
      if (string.displacement === null) continue;
      const target = input.value(input.bytes.count());
      if (!(target instanceof LString || target instanceof LArray))
        throw corrupt("a string lies in no array");
      string.displaceTo(storeOf(target), input.bytes.count(), input.bytes.count());
    }
  },
};

const elementTypes: readonly ElementType[] = [
  "t",
  "bit",
  "u8",
  "s8",
  "u16",
  "s16",
  "u32",
  "s32",
  "u64",
  "s64",
  "fixnum",
  "single",
  "double",
];

function writeArray(array: LArray, { bytes }: HeapOutput): void {
  bytes.byte(elementTypes.indexOf(array.type));
  const displaced = array.displacement !== null;
  bytes.byte((array.adjustable ? 1 : 0) | (displaced ? 2 : 0) | (array.characters ? 4 : 0));
  bytes.count(array.fillPointer + 1);
  bytes.count(array.dims.length);
  for (const dim of array.dims) bytes.count(dim);
  if (displaced) return;
  if (Array.isArray(array.storage)) bytes.count(array.storage.length);
  else bytes.block(bytesOf(array.storage));
}

function bytesOf(storage: Exclude<ArrayStorage, LispValue[]>): Uint8Array {
  return new Uint8Array(storage.buffer, storage.byteOffset, storage.byteLength);
}

function readArray(input: HeapInput): LArray {
  const { bytes } = input;
  const type = elementTypes[bytes.byte()];
  if (type === undefined) throw corrupt("an array has an unknown element type");
  const traits = bytes.byte();
  const fillPointer = bytes.count() - 1;
  const rank = bytes.countOf(1);
  const dims: number[] = [];
  for (let i = 0; i < rank; i++) dims.push(bytes.count());
  const displaced = (traits & 2) !== 0;
  const array = new LArray(dims, type, displaced ? [] : readStorage(type, input));
  if (!displaced && array.storage.length < array.total) throw corrupt("an array lacks elements");
  if (displaced) array.displacement = { target: array, offset: 0 };
  array.adjustable = (traits & 1) !== 0;
  array.characters = (traits & 4) !== 0;
  array.fillPointer = fillPointer;
  return array;
}

function readStorage(type: ElementType, input: HeapInput): ArrayStorage {
  if (type === "t") return readLength(input);
  const block = input.bytes.block();
  const empty = makeStorage(type, 0) as Exclude<ArrayStorage, LispValue[]>;
  const storage = makeStorage(type, Math.floor(block.length / empty.BYTES_PER_ELEMENT));
  bytesOf(storage as typeof empty).set(block);
  return storage;
}

function generalStorage(objects: readonly LispValue[]): LispValue[][] {
  const found: LispValue[][] = [];
  for (const object of objects) {
    const { displacement, storage } = object as LArray;
    if (displacement === null && Array.isArray(storage)) found.push(storage);
  }
  return found;
}

/** Every array that is neither a string nor a simple vector. */
export const arrays: Kind = {
  name: "arrays",
  visit: (object, visit) => {
    const displaced = displacementOf(object as LArray);
    if (displaced !== null) visit(displaced.target);
    else for (const list of generalStorage([object])) for (const item of list) visit(item);
  },
  writeShapes: (objects, out) => {
    for (const object of objects) writeArray(object as LArray, out);
  },
  readShapes: (count, input) => {
    const made: LispValue[] = [];
    for (let i = 0; i < count; i++) made.push(readArray(input));
    return made;
  },
  writeContents: (objects, out) => {
    writeValues(generalStorage(objects), out);
    for (const object of objects) {
      const displaced = displacementOf(object as LArray);
      if (displaced === null) continue;
      out.bytes.count(out.word(displaced.target));
      out.bytes.count(displaced.offset);
    }
  },
  readContents: (objects, input) => {
    readValues(generalStorage(objects), input);
    for (const object of objects) {
      const array = object as LArray;
      if (array.displacement === null) continue;
      const target = input.value(input.bytes.count());
      array.displacement = { target, offset: input.bytes.count() };
    }
  },
};
