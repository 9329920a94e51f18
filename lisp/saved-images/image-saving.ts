import { setImmediate as nextTurn } from "node:timers/promises";
import type { Image } from "../image/image.ts";
import type { GreenThread } from "../runtime/green-thread.ts";
import type { HostFiles } from "../streams/host-port.ts";
import { ImageSaveError } from "./image-errors.ts";
import { type SaveOptions, type SavedImage, savingImage } from "./save-image.ts";

/** Saves an image to a file, giving way to the event loop between its steps. */
export async function saveImageFile(
  image: Image,
  files: HostFiles,
  path: string,
  options: SaveOptions & { readonly asking: GreenThread | null },
): Promise<SavedImage> {
  const { asking } = options;
  const saving = savingImage(image, options);
  for (;;) {
    const step = saving.next();
    if (step.done === true) {
      writeImageFile(files, path, step.value.bytes);
      return step.value;
    }
    await nextTurn();
    if (asking !== null && asking.outcome !== null)
      throw new ImageSaveError("image-busy", "the evaluation that was saving the image has been ended");
  }
}

/** Writes an image file whole or not at all: under another name first, on the medium before it gets its own. */
export function writeImageFile(files: HostFiles, path: string, bytes: Uint8Array): void {
  const temporary = `${path}.${process.pid}.tmp`;
  const mode = { read: false, write: true, create: true, exclusive: false, truncate: true };
  try {
    const file = files.open(temporary, mode);
    try {
      file.write(bytes, 0, bytes.length, 0);
      file.sync();
    } finally {
      file.close();
    }
    files.rename(temporary, path);
  } catch (error) {
    if (files.info(temporary) !== undefined) files.removeFile(temporary);
    throw error;
  }
}
