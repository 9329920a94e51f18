import type { LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { Image } from "../image/image.ts";
import { objectSystem } from "../objects/object-system.ts";
import type { GreenThread } from "../runtime/green-thread.ts";
import { ByteWriter } from "./byte-writer.ts";
import { HeapGraph } from "./heap-graph.ts";
import { BootChanges, lateObjectsMade, visitSurroundings, writeSurroundings } from "./image-contents.ts";
import { ImageSaveError } from "./image-errors.ts";
import { type ImageStamp, encodeImage } from "./image-file.ts";
import { imageLimits } from "./image-limits.ts";
import type { HeapOutput } from "./kind.ts";
import { kinds } from "./kinds.ts";

/** How far the saving of an image is. */
export interface SaveProgress {
  /** Objects found so far. */
  readonly objects: number;
}

export interface SaveOptions {
  /** What to say about the image in its stamp. */
  readonly note?: string;
  /** Package in which the restored image begins; default: the current one. */
  readonly package?: string;
}

/** Values of variables outside of all bindings of the running thread. */
function globalValues(image: Image): (symbol: object) => LispValue {
  const { bindings } = image.runtime;
  const outer = new Map<object, LispValue>();
  // Innermost first, so that the outermost value of each symbol stays.
  for (let i = bindings.length - 2; i >= 0; i -= 2) outer.set(bindings[i] as object, bindings[i + 1]!);
  return (symbol) => outer.get(symbol) ?? (symbol as LSymbol).value;
}

/** Sees to it that nothing but the thread that asks for it runs in the image while it is saved. */
class Quiet {
  private readonly image: Image;
  private readonly asking: GreenThread | null;
  private readonly started: number;

  constructor(image: Image, asking: GreenThread | null) {
    this.image = image;
    this.asking = asking;
    this.started = image.runtime.threads;
    const others = [...image.runtime.live].filter((thread) => thread !== asking);
    if (others.length === 0) return;
    const names = others.map(({ id, name }) => `${id} (${name})`).join(", ");
    throw new ImageSaveError(
      "image-busy",
      `an image can be saved only while nothing else runs in it; in flight: ${names}; wait for them or cancel them`,
    );
  }

  /** To be called whenever something else may have run. */
  check(): void {
    if (this.image.runtime.threads === this.started) return;
    throw new ImageSaveError(
      "image-busy",
      "something was evaluated in the image while it was being saved; save it again",
    );
  }
}

/** An image as the bytes of a file, and what the file says about it. */
export interface SavedImage {
  readonly bytes: Uint8Array;
  readonly stamp: ImageStamp;
}

/**
 * Saves an image: the bytes of a file that `restoreImage` takes. The steps yield how far it is; when anything else runs in the
 * image between them, the saving is refused. `asking` is the thread that asks for it; default: the running one. Throws
 * ImageSaveError.
 */
export function* savingImage(
  image: Image,
  options: SaveOptions & { readonly asking?: GreenThread | null } = {},
): Generator<SaveProgress, SavedImage> {
  const quiet = new Quiet(image, options.asking ?? image.runtime.current);
  const graph = new HeapGraph(image, twinOf(image), globalValues(image));
  const changes = new BootChanges(graph, image);
  graph.visitRoots(() => {
    changes.visit();
    visitSurroundings(image, graph);
  });
  yield* watched(graph.reach(), graph, quiet);
  graph.number();
  const heap = yield* watched(writingHeap(image, graph, changes), graph, quiet);
  return sealed(image, options, graph.size, heap);
}

/** A freshly booted image with the same library, which has made what this one has made late. */
function twinOf(image: Image): Image {
  const twin = image.bootAnother();
  const [own, other] = [image.buildKey(), twin.buildKey()];
  if (own !== other) {
    throw new ImageSaveError(
      "image-incompatible",
      `the library on disk is no longer that of this image (${own}, now ${other}); start again and load the definitions from source`,
    );
  }
  if (lateObjectsMade(image)) objectSystem(twin).deferred.make();
  return twin;
}

/** Takes steps as long as nothing else runs in the image. */
function* watched<Result>(
  steps: Generator<unknown, Result>,
  graph: HeapGraph,
  quiet: Quiet,
): Generator<SaveProgress, Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield { objects: graph.size };
    quiet.check();
  }
}

/** The file, with its stamp. */
function sealed(image: Image, options: SaveOptions, objects: number, heap: Uint8Array): SavedImage {
  const stamp: ImageStamp = {
    build: image.buildKey(),
    note: options.note ?? "",
    savedAtMs: Date.now(),
    package: options.package ?? image.currentPackage().name,
    objects,
  };
  const journal = { entries: image.journal.entries(), dropped: image.journal.dropped };
  const bytes = encodeImage({ stamp, journal, heap });
  if (bytes.length <= imageLimits.bytes) return { bytes, stamp };
  throw new ImageSaveError(
    "image-too-large",
    `the image would take ${bytes.length} bytes; the bound of a saved image is ${imageLimits.bytes}`,
  );
}

/** Saves an image in one go; see `savingImage`. */
export function saveImage(
  image: Image,
  options: SaveOptions & { readonly onProgress?: (progress: SaveProgress) => void } = {},
): Uint8Array {
  const saving = savingImage(image, options);
  for (;;) {
    const step = saving.next();
    if (step.done === true) return step.value.bytes;
    options.onProgress?.(step.value);
  }
}

/** Writes the heap, yielding between its sections. */
function* writingHeap(image: Image, graph: HeapGraph, changes: BootChanges): Generator<void, Uint8Array> {
  const bytes = new ByteWriter();
  const { word, globalValue } = graph;
  const out: HeapOutput = { image, bytes, word, globalValue };
  bytes.byte(lateObjectsMade(image) ? 1 : 0);
  bytes.count(image.serial);
  graph.names.write(bytes);
  for (const section of graph.sections) bytes.count(section.length);
  for (const [i, kind] of kinds.entries()) {
    kind.writeShapes(graph.sections[i]!, out);
    yield;
  }
  for (const [i, kind] of kinds.entries()) {
    kind.writeContents(graph.sections[i]!, out);
    yield;
  }
  changes.write(out);
  writeSurroundings(out);
  return bytes.finish();
}
