/** Reads image files for the composer. */
import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { AutolithError } from "../../../orchestrator/contract/failure.ts";
import { imageType } from "../../../workers/workspace/view-image.ts";
import type { AttachedImage } from "../composer/attached-image.ts";
import { inputImageBytes } from "../composer/input-bound.ts";

/** The image of a file. Rejects with `image-too-large`, `unsupported-image`, or as the file system does. */
export async function readImage(path: string): Promise<AttachedImage> {
  const file = await open(resolve(path.startsWith("~/") ? homedir() + path.slice(1) : path), "r");
  try {
    const { size } = await file.stat();
    if (size > inputImageBytes)
      throw new AutolithError(
        "image-too-large",
        `${path} has ${size} bytes; the images of one input may have ${inputImageBytes} together. Make a smaller copy first.`,
      );
    const bytes = await file.readFile();
    const mimeType = imageType(bytes);
    if (mimeType === undefined)
      throw new AutolithError(
        "unsupported-image",
        `${path} is no PNG, JPEG, GIF or WebP image by its content.`,
      );
    return { path, bytes: bytes.length, mimeType, data: bytes.toString("base64") };
  } finally {
    await file.close();
  }
}
