import { readFileSync, statSync } from "node:fs";
import type { LispValue } from "../data/value.ts";
import { bootImage } from "../image/boot.ts";
import type { Image } from "../image/image.ts";
import { objectSystem } from "../objects/object-system.ts";
import type { HostPort } from "../streams/host-port.ts";
import { readBootNames } from "./boot-names.ts";
import { ByteReader, corrupt } from "./byte-reader.ts";
import { fixedObjects } from "./heap-graph.ts";
import { applyChanges, finishRecords, readSurroundings } from "./image-contents.ts";
import { ImageFileError } from "./image-errors.ts";
import { type ImageStamp, decodeImage, requireLength } from "./image-file.ts";
import { imageLimits } from "./image-limits.ts";
import type { HeapInput } from "./kind.ts";
import { kindIndex, kinds, firstRecord } from "./kinds.ts";
import { fillTables, hashTables } from "./object-kinds.ts";

export interface RestoreOptions {
  /** What the image may use of the machine; default: everything. */
  readonly port?: HostPort;
  /** Most bytes the file may have; default 1 GiB. */
  readonly maximumBytes?: number;
  /** Most objects it may hold; default 50 million. */
  readonly maximumObjects?: number;
}

/** A restored image, and what its file said about it. */
export interface RestoredImage {
  readonly image: Image;
  readonly stamp: ImageStamp;
}

/**
 * Restores an image that `saveImage` wrote. Length, checksum and stamp are checked first; of its code nothing runs before one of its
 * functions is called. Throws ImageFileError.
 */
export function restoreImage(bytes: Uint8Array, options: RestoreOptions = {}): RestoredImage {
  const { stamp, journal, heap } = decodeImage(bytes, options.maximumBytes ?? imageLimits.bytes);
  const image = options.port === undefined ? bootImage() : bootImage(options.port);
  requireBuild(stamp, image);
  const bound = options.maximumObjects ?? imageLimits.objects;
  if (stamp.objects > bound) throw tooMany(stamp.objects, bound);
  try {
    readHeap(new ByteReader(heap), image, bound);
  } catch (error) {
    if (error instanceof ImageFileError) throw error;
    // The checksum fits, so somebody wrote these contents; some place of the reader could make no sense of them.
    throw corrupt("its contents contradict themselves", error);
  }
  image.journal.restore(journal.entries, journal.dropped);
  const start = image.packages.get(stamp.package);
  if (start !== undefined) image.symbol("SYS:*START-PACKAGE*").value = start;
  return { image, stamp };
}

/** Restores the image of a file; a longer one than the bound is not read. Throws ImageFileError, or what the file system says. */
export function restoreImageFile(path: string, options: RestoreOptions = {}): RestoredImage {
  const { size } = statSync(path);
  requireLength(size, options.maximumBytes ?? imageLimits.bytes);
  return restoreImage(readFileSync(path), options);
}

function requireBuild({ build }: ImageStamp, image: Image): void {
  const own = image.buildKey();
  if (build === own) return;
  throw new ImageFileError(
    "image-incompatible",
    `the image was saved by build ${build}, this is build ${own}; restore it with the Lisp that saved it, or load its definitions from source`,
  );
}

function tooMany(objects: number, bound: number): ImageFileError {
  return new ImageFileError("image-too-large", `the image holds ${objects} objects; the bound is ${bound}`);
}

function readHeap(bytes: ByteReader, image: Image, bound: number): void {
  if (bytes.byte() === 1) objectSystem(image).deferred.make();
  const serial = bytes.count();
  const table: LispValue[] = [...fixedObjects, ...readBootNames(bytes, image)];
  const input: HeapInput = { image, bytes, value: (word) => valueOf(table, word) };
  const counts = kinds.map(() => bytes.count());
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total > bound) throw tooMany(total, bound);
  const sections: LispValue[][] = [];
  for (const [i, kind] of kinds.entries()) {
    const made = kind.readShapes(counts[i]!, input);
    sections.push(made);
    for (const object of made) table.push(object);
  }
  for (const [i, kind] of kinds.entries()) kind.readContents(sections[i]!, input);
  applyChanges(input);
  fillTables(sections[kindIndex.get(hashTables)!]!);
  finishRecords(sections, firstRecord, image);
  readSurroundings(input);
  if (bytes.left > 0) throw corrupt(`${bytes.left} bytes are left after the end`);
  image.serial = Math.max(image.serial, serial);
}

function valueOf(table: readonly LispValue[], word: number): LispValue {
  if ((word & 1) === 1) return (word | 0) >> 1;
  const value = table[word >>> 1];
  if (value === undefined) throw corrupt(`there is no object ${word >>> 1}`);
  return value;
}
