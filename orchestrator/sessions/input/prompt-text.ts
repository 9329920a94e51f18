/** A prompt of parts as the one text that the conversation keeps and the model reads, within the bounds of an input. */
import { AutolithError } from "../../contract/failure.ts";
import {
  type PromptInput,
  type PromptPart,
  inputCharacterLimit,
  inputImageByteLimit,
  inputImageLimit,
} from "../../contract/session/input.ts";
import type { SessionImage } from "../../contract/session/updates.ts";

/** What is admitted of a prompt. */
export type PromptContent = { readonly text: string; readonly images: readonly SessionImage[] };

/** The content of a prompt. Throws `input-limit` with the bound, or `invalid-argument` for one without content. */
export function promptContent({ parts }: PromptInput): PromptContent {
  const images = parts.flatMap((part) => (part.type === "image" ? [part.image] : []));
  const text = parts
    .map(partText)
    .filter((piece) => piece !== "")
    .join("\n\n");
  if (text.trim() === "" && images.length === 0)
    throw new AutolithError(
      "invalid-argument",
      "The prompt is empty: it needs text, a resource or an image.",
    );
  if (text.length > inputCharacterLimit)
    throw new AutolithError(
      "input-limit",
      `The prompt has ${text.length} characters; at most ${inputCharacterLimit} are taken. Put long material in a file and name it.`,
    );
  checkImages(images);
  return { text, images };
}

function checkImages(images: readonly SessionImage[]): void {
  if (images.length > inputImageLimit)
    throw new AutolithError(
      "input-limit",
      `The prompt has ${images.length} images; at most ${inputImageLimit} are taken.`,
    );
  const bytes = images.reduce((sum, { data }) => sum + Math.floor((data.length * 3) / 4), 0);
  if (bytes > inputImageByteLimit)
    throw new AutolithError(
      "input-limit",
      `The images have ${bytes} bytes; at most ${inputImageByteLimit} together are taken.`,
    );
}

function partText(part: PromptPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "resource-link":
      return part.name === undefined ? `Resource: ${part.uri}` : `Resource: ${part.name} <${part.uri}>`;
    case "resource":
      return `<resource uri=${JSON.stringify(part.uri)}>\n${part.text}\n</resource>`;
    case "image":
      return "";
  }
}
