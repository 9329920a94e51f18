import type { LispValue } from "../data/value.ts";
import type { Image } from "../image/image.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";

/** Notes that the saved heap refers to a value. */
export type Visit = (value: LispValue) => void;

/** Where the objects of a heap are written. */
export interface HeapOutput {
  readonly image: Image;
  readonly bytes: ByteWriter;
  /** The word that stands for a value: itself for a small integer, else its place in the table of objects. */
  word(value: LispValue): number;
  /** The value of a variable outside of all dynamic bindings. */
  globalValue(symbol: object): LispValue;
}

/** Where the objects of a heap come from. */
export interface HeapInput {
  /** The fresh image that becomes the saved one. */
  readonly image: Image;
  readonly bytes: ByteReader;
  /** The value of a word. Objects of later kinds, and of the same one, are not there while shapes are read. */
  value(word: number): LispValue;
}

/**
 * One kind of object of a saved heap. All objects of a kind are written together: first what is needed to make them (the shapes
 * of all kinds), then what they refer to (the contents of all kinds), so that cycles need no special care.
 */
export interface Kind {
  readonly name: string;
  /** Visits everything the object refers to. */
  visit(object: LispValue, visit: Visit, output: Pick<HeapOutput, "image" | "globalValue">): void;
  writeShapes(objects: readonly LispValue[], out: HeapOutput): void;
  /** Makes `count` objects. */
  readShapes(count: number, input: HeapInput): LispValue[];
  writeContents(objects: readonly LispValue[], out: HeapOutput): void;
  readContents(objects: readonly LispValue[], input: HeapInput): void;
}

/** A kind whose objects refer to nothing that is not there when they are made. */
export function leafKind<T extends LispValue>(
  name: string,
  write: (object: T, out: HeapOutput) => void,
  read: (input: HeapInput) => T,
  visit: (object: T, visit: Visit) => void = () => undefined,
): Kind {
  return {
    name,
    visit: (object, each) => visit(object as T, each),
    writeShapes: (objects, out) => {
      for (const object of objects) write(object as T, out);
    },
    readShapes: (count, input) => {
      const made: LispValue[] = [];
      for (let i = 0; i < count; i++) made.push(read(input));
      return made;
    },
    writeContents: () => undefined,
    readContents: () => undefined,
  };
}
