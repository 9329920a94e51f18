/** `(read-file PATH)`: the text of a file, for whoever types it. */
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { AutolithError } from "../contract/failure.ts";
import type { LispJson } from "../contract/lisp-image.ts";

/** Most characters of a file that READ-FILE takes. */
export const readFileCharacters = 131_072;

async function sizeOf(file: string): Promise<number> {
  try {
    const found = await stat(file);
    if (found.isFile()) return found.size;
  } catch {
    throw new AutolithError("not-found", `read-file: there is no file ${file} that can be read.`);
  }
  throw new AutolithError("invalid-argument", `read-file: ${file} is no regular file.`);
}

/** The text. Rejects with `invalid-argument`, `not-found`, `input-limit`. */
export async function readText(workspace: string, path: LispJson | undefined): Promise<string> {
  if (typeof path !== "string" || path === "")
    throw new AutolithError(
      "invalid-argument",
      `read-file takes the name of a file, not ${JSON.stringify(path)}.`,
    );
  const file = resolve(workspace, path);
  const size = await sizeOf(file);
  const bound = `read-file takes files of at most ${readFileCharacters} characters of UTF-8`;
  // A character takes at most 4 bytes: more cannot fit.
  if (size > readFileCharacters * 4)
    throw new AutolithError("input-limit", `${bound}; ${file} has ${size} bytes.`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new AutolithError("invalid-argument", `${bound}; ${file} is no UTF-8.`);
  }
  if (text.length > readFileCharacters)
    throw new AutolithError("input-limit", `${bound}; ${file} has ${text.length}.`);
  return text;
}
