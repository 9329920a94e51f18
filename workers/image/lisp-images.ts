/** Lisp images in threads of this process. What a thread needs is loaded in that thread. */
import type { LispImages } from "../../orchestrator/contract/lisp-image.ts";
import { ImageHost } from "./image-host.ts";

/** Opens images; the answer can evaluate at once. Rejects with `image-ended` when a thread cannot start. */
export const threadImages: LispImages = {
  open: async (options) => {
    const image = new ImageHost(options);
    await image.ready;
    return image;
  },
};
