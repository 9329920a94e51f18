import type { DefinitionEntry } from "../image/definition-journal.ts";
import { ByteReader, corrupt } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { ImageFileError } from "./image-errors.ts";

/** Version of the format; another one is refused. */
const formatVersion = 1;

const magic = "\u{c}autolith-lisp-image\n";

/** Length of the checksum (SHA-256), which covers everything after it. */
const checksumLength = 32;

/** Where the length of the whole file is, and where the checksum. */
const lengthAt = magic.length + 4;
const checksumAt = lengthAt + 8;
const stampAt = checksumAt + checksumLength;

/** What is known of an image without restoring it. */
export interface ImageStamp {
  /** Key of the engine and library that wrote it; only the same ones can restore it. */
  readonly build: string;
  /** What the one who saved it said about it. */
  readonly note: string;
  /** When it was saved, epoch milliseconds. */
  readonly savedAtMs: number;
  /** Package that was current. */
  readonly package: string;
  /** Objects it holds, besides those of every image. */
  readonly objects: number;
}

/** Stamp and contents of an image, and the definitions that were made in it. */
export interface ImageParts {
  readonly stamp: ImageStamp;
  readonly journal: { readonly entries: readonly DefinitionEntry[]; readonly dropped: number };
  /** The heap; begins at a multiple of four in the file. */
  readonly heap: Uint8Array;
}

function digest(bytes: Uint8Array): Uint8Array {
  // Loaded when it is needed: images start without it.
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(bytes).digest();
}

/** The bytes of an image file. */
export function encodeImage({ stamp, journal, heap }: ImageParts): Uint8Array {
  const head = new ByteWriter();
  head.text(JSON.stringify(stamp));
  head.text(JSON.stringify(journal));
  head.words(Uint32Array.of(heap.length));
  const headBytes = head.finish();
  const bytes = new Uint8Array(align(stampAt) + align(headBytes.length) + heap.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < magic.length; i++) bytes[i] = magic.charCodeAt(i);
  view.setUint32(magic.length, formatVersion, true);
  view.setFloat64(lengthAt, bytes.length, true);
  bytes.set(headBytes, align(stampAt));
  bytes.set(heap, align(stampAt) + align(headBytes.length));
  bytes.set(digest(bytes.subarray(stampAt)), checksumAt);
  return bytes;
}

function align(length: number): number {
  return Math.ceil(length / 4) * 4;
}

/**
 * Takes an image file apart after checking that it is one, whole, unchanged, and not longer than `maximumBytes`. Nothing of it is
 * executed. Throws ImageFileError.
 */
export function decodeImage(bytes: Uint8Array, maximumBytes = Number.POSITIVE_INFINITY): ImageParts {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (head.toString("latin1", 0, Math.min(magic.length, bytes.length)) !== magic.slice(0, bytes.length))
    throw new ImageFileError(
      "image-foreign",
      "the file is no image of this Lisp; expected one that SAVE-IMAGE wrote",
    );
  if (bytes.length < stampAt) throw truncated(bytes.length, "its head is not whole");
  const version = head.readUInt32LE(magic.length);
  if (version !== formatVersion) {
    throw new ImageFileError(
      "image-incompatible",
      `the image has format ${version}, this Lisp reads format ${formatVersion}; save it again with this Lisp`,
    );
  }
  const length = head.readDoubleLE(lengthAt);
  if (length !== bytes.length) throw truncated(bytes.length, `it says that it has ${length}`);
  requireLength(length, maximumBytes);
  if (!head.subarray(checksumAt, stampAt).equals(digest(bytes.subarray(stampAt))))
    throw corrupt("its checksum does not fit");
  return takeApart(bytes.subarray(align(stampAt)));
}

/** Refuses a file that is longer than the bound. */
export function requireLength(length: number, maximumBytes: number): void {
  if (length <= maximumBytes) return;
  throw new ImageFileError("image-too-large", `the image has ${length} bytes; the bound is ${maximumBytes}`);
}

function takeApart(bytes: Uint8Array): ImageParts {
  const reader = new ByteReader(bytes);
  const stamp = JSON.parse(reader.text()) as ImageStamp;
  const journal = JSON.parse(reader.text()) as ImageParts["journal"];
  const [length] = reader.words(1);
  if (length !== reader.left) throw corrupt("its heap has another length than announced");
  return { stamp, journal, heap: bytes.subarray(bytes.length - length) };
}

function truncated(length: number, why: string): ImageFileError {
  return new ImageFileError(
    "image-truncated",
    `the image has ${length} bytes, but ${why}; restore another copy`,
  );
}
