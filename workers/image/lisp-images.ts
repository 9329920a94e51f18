/** Lisp images in threads of this process. What a thread needs is loaded in that thread. */
import { AutolithError } from "../../orchestrator/contract/failure.ts";
import type { LispImages, SavedLispImage } from "../../orchestrator/contract/lisp-image.ts";
import { ImageHost } from "./image-host.ts";

/** Opens images; the answer can evaluate at once. Rejects with `image-ended` when a thread cannot start. */
export const threadImages: LispImages = {
  open: async (options) => {
    const image = new ImageHost(options);
    await image.ready;
    return image;
  },
  inspect: async (path) => await inspect(path),
};

async function inspect(path: string): Promise<SavedLispImage> {
  const { readImageStamp } = await import("../../lisp/saved-images/image-file.ts");
  try {
    const { stamp, length } = await readImageStamp(path);
    return { ...stamp, bytes: length };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new AutolithError(code?.startsWith("image-") === true ? code : "file-error", message, {
      cause: error,
    });
  }
}
