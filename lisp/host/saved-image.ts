import { LispImage } from "./lisp-image.ts";
import { type SaveOptions, type SaveProgress, saveImage } from "../saved-images/save-image.ts";
import {
  type RestoreOptions,
  type RestoredImage,
  restoreImage,
  restoreImageFile,
} from "../saved-images/restore-image.ts";
import type { ImageStamp } from "../saved-images/image-file.ts";
import { saveImageFile } from "../saved-images/image-saving.ts";
import { nodeFiles } from "../streams/node-host.ts";

/** Saves an image in which nothing runs: the bytes of a file, to be written whole or not at all. Throws ImageSaveError. */
export function saveLispImage(
  lisp: LispImage,
  options: SaveOptions & { readonly onProgress?: (progress: SaveProgress) => void } = {},
): Uint8Array {
  return saveImage(lisp.image, { package: lisp.package, ...options });
}

/** A restored image for a host, and what its file said about it. */
export interface RestoredLispImage {
  readonly lisp: LispImage;
  readonly stamp: ImageStamp;
}

/** Saves the image to a file, whole or not at all, giving way to the event loop between its steps. Throws ImageSaveError. */
export async function saveLispImageFile(
  lisp: LispImage,
  path: string,
  options: SaveOptions = {},
): Promise<{ readonly stamp: ImageStamp; readonly length: number }> {
  const { bytes, stamp } = await saveImageFile(lisp.image, nodeFiles, path, {
    package: lisp.package,
    ...options,
    asking: null,
  });
  return { stamp, length: bytes.length };
}

/**
 * The image of a file that was saved by this build of the Lisp. Functions of the host must be defined again. Throws
 * ImageFileError for anything else, before anything of it runs.
 */
export function restoreLispImage(bytes: Uint8Array, options: RestoreOptions = {}): RestoredLispImage {
  return hosted(restoreImage(bytes, options));
}

/** As `restoreLispImage`, from a file; one over the bound is not read. */
export function openLispImage(path: string, options: RestoreOptions = {}): RestoredLispImage {
  return hosted(restoreImageFile(path, options));
}

function hosted({ image, stamp }: RestoredImage): RestoredLispImage {
  return { lisp: new LispImage(image, stamp.package), stamp };
}
