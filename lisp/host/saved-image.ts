import { LispImage } from "./lisp-image.ts";
import { type SaveOptions, type SaveProgress, saveImage } from "../saved-images/save-image.ts";
import { type RestoreOptions, restoreImage } from "../saved-images/restore-image.ts";
import type { ImageStamp } from "../saved-images/image-file.ts";

/** Saves an image in which nothing runs: the bytes of a file, to be written whole or not at all. Throws ImageSaveError. */
export function saveLispImage(
  lisp: LispImage,
  options: SaveOptions & { readonly onProgress?: (progress: SaveProgress) => void } = {},
): Uint8Array {
  return saveImage(lisp.image, { package: lisp.package, ...options });
}

/**
 * The image of a file that was saved by this build of the Lisp. Functions of the host must be defined again. Throws
 * ImageFileError for anything else, before anything of it runs.
 */
export function restoreLispImage(
  bytes: Uint8Array,
  options: RestoreOptions = {},
): { readonly lisp: LispImage; readonly stamp: ImageStamp } {
  const { image, stamp } = restoreImage(bytes, options);
  return { lisp: new LispImage(image, stamp.package), stamp };
}
