/** `(prompt [:to TARGET] [:images I] CONTENT)`: a message to the primary, or to a running child, as if it were typed. */
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { AutolithError } from "../contract/failure.ts";
import type { HostCall, LispJson } from "../contract/lisp-image.ts";
import { inputImageByteLimit, inputImageLimit } from "../contract/session/input.ts";
import { lispText } from "./argument-types.ts";
import type { SessionImage } from "../contract/session/updates.ts";

/** Most characters of a message, and of a target's name (facts F). */
export const promptCharacters = 131_072;
export const targetCharacters = 200;
const primaryName = "autolith";

/** Why a message is not admitted (facts F). */
export type PromptRefusal =
  | "invalid-target"
  | "invalid-images"
  | "invalid-image"
  | "invalid-content"
  | "empty-content"
  | "content-too-large"
  | "malformed-arguments"
  | "no-application";

/** Condition PROMPT-ERROR of Lisp; the reason is in the details. */
export class PromptError extends AutolithError {
  constructor(reason: PromptRefusal, message: string) {
    super("prompt-error", message, { details: { reason } });
  }
}

export type PromptParts = {
  readonly workspace: () => string;
  /** Admits a message of the primary; its delivery and id. */
  readonly toPrimary: (
    text: string,
    images: readonly SessionImage[],
  ) => Promise<{ readonly delivery: string; readonly inputId: string }>;
  /** Queues a message for a running child; how many wait then. Rejects when there is none. */
  readonly toChild: (name: string, text: string) => Promise<number>;
};

/** To whom, how and under which id it was admitted. */
export async function admitPrompt(
  args: readonly LispJson[],
  call: Pick<HostCall, "keywords">,
  parts: PromptParts,
): Promise<LispJson> {
  const { to, images, text } = promptArguments(args, call);
  if (to.toLowerCase() === primaryName) {
    const loaded = await loadImages(images, parts.workspace());
    const { delivery, inputId } = await parts.toPrimary(text, loaded);
    return [primaryName, delivery, inputId];
  }
  if (images.length > 0)
    throw new PromptError(
      "invalid-images",
      `Images go to ${primaryName} only; ${to} is a child and takes text.`,
    );
  try {
    const waiting = await parts.toChild(to, text);
    return [to, "queued", `${to}:${waiting}`];
  } catch (error) {
    if (!(error instanceof AutolithError)) throw error;
    throw new PromptError("invalid-target", `${to} takes no message: ${error.message}`);
  }
}

type Arguments = { readonly to: string; readonly images: readonly string[]; readonly text: string };

/** Takes them apart: options in pairs, the content last. Pure. */
export function promptArguments(
  args: readonly LispJson[],
  { keywords }: Pick<HostCall, "keywords">,
): Arguments {
  if (args.length % 2 === 0)
    throw new PromptError(
      "malformed-arguments",
      "prompt takes options in pairs, :to TARGET and :images IMAGES, and the content as the last argument.",
    );
  const options = new Map<string, LispJson>();
  for (let index = 0; index < args.length - 1; index += 2) {
    const name = args[index];
    const isKnown = keywords.includes(index) && (name === "to" || name === "images");
    if (!isKnown || options.has(name))
      throw new PromptError(
        "malformed-arguments",
        `prompt takes :to and :images once each before the content, not ${JSON.stringify(name)?.slice(0, 80)}.`,
      );
    options.set(name, args[index + 1] ?? null);
  }
  return {
    to: target(options.get("to")),
    images: imageNames(options.get("images")),
    text: content(args.at(-1)),
  };
}

function target(given: LispJson | undefined): string {
  if (given === undefined) return primaryName;
  if (typeof given === "string" && given.trim() !== "" && given.length <= targetCharacters)
    return given.trim();
  throw new PromptError(
    "invalid-target",
    `The target is a name of 1 to ${targetCharacters} characters, not ${lispText(given)}.`,
  );
}

function imageNames(given: LispJson | undefined): readonly string[] {
  if (given === undefined || given === false) return [];
  const list: readonly LispJson[] = Array.isArray(given) ? (given as readonly LispJson[]) : [given];
  if (
    list.length <= inputImageLimit &&
    list.every((name): name is string => typeof name === "string" && name !== "")
  )
    return list;
  throw new PromptError(
    "invalid-images",
    `:images takes the name of a file, or a list of at most ${inputImageLimit} of them.`,
  );
}

function content(given: LispJson | undefined): string {
  if (typeof given !== "string")
    throw new PromptError("invalid-content", `The content of a prompt is a string, not ${lispText(given)}.`);
  if (given.trim() === "") throw new PromptError("empty-content", "The content of the prompt is empty.");
  if (given.length > promptCharacters)
    throw new PromptError(
      "content-too-large",
      `The prompt has ${given.length} characters; at most ${promptCharacters} are taken.`,
    );
  return given;
}

async function loadImages(names: readonly string[], workspace: string): Promise<readonly SessionImage[]> {
  const images: SessionImage[] = [];
  let total = 0;
  for (const name of names) {
    const bytes = await imageBytes(resolve(workspace, name));
    total += bytes.length;
    if (total > inputImageByteLimit)
      throw new PromptError(
        "invalid-images",
        `The images have more than ${inputImageByteLimit} bytes together.`,
      );
    const mimeType = imageType(bytes);
    if (mimeType === undefined)
      throw new PromptError("invalid-image", `${name} is no PNG, JPEG, GIF or WebP image by its content.`);
    images.push({ mimeType, data: bytes.toString("base64") });
  }
  return images;
}

async function imageBytes(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > inputImageByteLimit)
      throw new PromptError(
        "invalid-image",
        `${path} has ${size} bytes; at most ${inputImageByteLimit} are taken.`,
      );
    return await readFile(path);
  } catch (error) {
    if (error instanceof PromptError) throw error;
    throw new PromptError(
      "invalid-image",
      `${path} cannot be read: ${error instanceof Error ? error.message : ""}`,
    );
  }
}

/** The type that the first bytes say; undefined for none that models take. */
function imageType(bytes: Buffer): SessionImage["mimeType"] | undefined {
  const starts = (text: string, at = 0): boolean =>
    bytes.subarray(at, at + text.length).toString("latin1") === text;
  if (starts("\u0089PNG\r\n\u001A\n")) return "image/png";
  if (starts("\u00FF\u00D8\u00FF")) return "image/jpeg";
  if (starts("GIF87a") || starts("GIF89a")) return "image/gif";
  return starts("RIFF") && starts("WEBP", 8) ? "image/webp" : undefined;
}
