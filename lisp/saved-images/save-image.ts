import type { LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { Image } from "../image/image.ts";
import { objectSystem } from "../objects/object-system.ts";
import { ByteWriter } from "./byte-writer.ts";
import { HeapGraph } from "./heap-graph.ts";
import { BootChanges, lateObjectsMade, visitSurroundings, writeSurroundings } from "./image-contents.ts";
import { ImageSaveError } from "./image-errors.ts";
import { encodeImage } from "./image-file.ts";
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

/** Refuses while anything but the running thread is in flight: its stack could not be saved. */
function requireQuiet(image: Image): void {
  const { live, current } = image.runtime;
  const others = [...live].filter((thread) => thread !== current);
  if (others.length === 0) return;
  const names = others.map(({ id, name }) => `${id} (${name})`).join(", ");
  throw new ImageSaveError(
    "image-busy",
    `an image can be saved only while nothing else runs in it; in flight: ${names}; wait for them or cancel them`,
  );
}

/**
 * Saves an image: the bytes of a file that `restoreImage` takes. The steps yield how far it is; nothing else may run in the image
 * between them, or it is refused. Throws ImageSaveError.
 */
export function* savingImage(image: Image, options: SaveOptions = {}): Generator<SaveProgress, Uint8Array> {
  requireQuiet(image);
  const twin = image.bootAnother();
  if (lateObjectsMade(image)) objectSystem(twin).deferred.make();
  const graph = new HeapGraph(image, twin, globalValues(image));
  const changes = new BootChanges(graph, image);
  changes.visit();
  visitSurroundings(image, graph);
  for (const objects of graph.reach()) {
    yield { objects };
    requireQuiet(image);
  }
  graph.number();
  return encodeImage({
    stamp: {
      build: image.buildKey(),
      note: options.note ?? "",
      savedAtMs: Date.now(),
      package: options.package ?? image.currentPackage().name,
      objects: graph.size,
    },
    journal: { entries: image.journal.entries(), dropped: image.journal.dropped },
    heap: heapBytes(image, graph, changes),
  });
}

/** Saves an image in one go; see `savingImage`. */
export function saveImage(
  image: Image,
  options: SaveOptions & { readonly onProgress?: (progress: SaveProgress) => void } = {},
): Uint8Array {
  const saving = savingImage(image, options);
  for (;;) {
    const step = saving.next();
    if (step.done === true) return step.value;
    options.onProgress?.(step.value);
  }
}

function heapBytes(image: Image, graph: HeapGraph, changes: BootChanges): Uint8Array {
  const bytes = new ByteWriter();
  const { word, globalValue } = graph;
  const out: HeapOutput = { image, bytes, word, globalValue };
  bytes.byte(lateObjectsMade(image) ? 1 : 0);
  bytes.count(image.serial);
  graph.names.write(bytes);
  for (const section of graph.sections) bytes.count(section.length);
  for (const [i, kind] of kinds.entries()) kind.writeShapes(graph.sections[i]!, out);
  for (const [i, kind] of kinds.entries()) kind.writeContents(graph.sections[i]!, out);
  changes.write(out);
  writeSurroundings(out);
  return bytes.finish();
}
