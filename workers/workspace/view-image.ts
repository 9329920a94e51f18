/** `fs.view-image`: an image file as the model sees pictures. */
import { basename, isAbsolute, resolve } from "node:path";
import { z } from "zod";
import { AutolithError } from "../../orchestrator/contract/failure.ts";
import type { ModelImage } from "../../orchestrator/contract/model.ts";
import {
  type ToolContext,
  type ToolDeclaration,
  type ToolOutcome,
  declareTool,
} from "../../orchestrator/contract/tool.ts";
import { allowedPath } from "./confined-file.ts";
import { pathOfUri } from "./file-uri.ts";
import { readWholeFile } from "./whole-file.ts";

/** Largest image file that is shown, in bytes. */
export const viewedImageByteLimit = 5 * 1024 * 1024;

const viewArguments = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(4_096)
    .describe("Path in the working directory, absolute path, or workspace:/file: URI"),
});

export function viewImageTool(): ToolDeclaration {
  return declareTool({
    name: "fs.view-image",
    description: "Shows you an image file (PNG, JPEG, GIF or WebP). The picture comes with the next message.",
    arguments: viewArguments,
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    execute: ({ path }, context) => viewImage(path, context),
  });
}

/** The absolute path that a tool's `path` names: a path, or a URI of a file. */
export function pathOfName(name: string, workspace: string): string {
  if (name.startsWith("workspace:") || name.startsWith("file:")) return pathOfUri(name, workspace);
  return isAbsolute(name) ? name : resolve(workspace, name);
}

async function viewImage(name: string, context: ToolContext): Promise<ToolOutcome> {
  const wanted = pathOfName(name, context.workspace);
  const target = await allowedPath(wanted, "read", context);
  const bytes = await readWholeFile(
    target.path,
    viewedImageByteLimit,
    (size) =>
      new AutolithError(
        "image-too-large",
        `${target.path} has ${size} bytes; images of at most ${viewedImageByteLimit} can be shown. Make a smaller copy first.`,
      ),
  );
  const mimeType = imageType(bytes);
  if (mimeType === undefined)
    throw new AutolithError(
      "unsupported-image",
      `${target.path} is no PNG, JPEG, GIF or WebP image by its content.`,
    );
  return {
    status: "ok",
    content: `${basename(target.path)}: ${mimeType}, ${bytes.length} bytes. The picture follows.`,
    images: [{ mimeType, data: bytes.toString("base64") }],
    details: { path: target.path, mimeType, bytes: bytes.length },
  };
}

/** The type that the first bytes tell; names of files are not trusted. */
export function imageType(bytes: Uint8Array): ModelImage["mimeType"] | undefined {
  const text = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) return "image/gif";
  return text.startsWith("RIFF") && text.slice(8, 12) === "WEBP" ? "image/webp" : undefined;
}
