/** Content blocks of a prompt as the input of a session. */
import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk";
import { z } from "zod";
import {
  type PromptInput,
  type PromptPart,
  promptInputSchema,
} from "../../../orchestrator/contract/session.ts";
import { parameterFault } from "./parameter-faults.ts";

/** The input of the blocks. Throws invalid params for none, and for what is not taken: audio, embedded bytes, other image types. */
export function promptInputOf(blocks: readonly ContentBlock[]): PromptInput {
  if (blocks.length === 0)
    throw RequestError.invalidParams(undefined, "the prompt is empty: it needs text, a resource or an image");
  const input = { parts: blocks.map(promptPart) };
  const checked = promptInputSchema.safeParse(input);
  if (checked.success) return checked.data;
  throw parameterFault("session/prompt", z.formatError(checked.error), input, blockPlace);
}

/** The place in the blocks that a place in the input was made from. */
function blockPlace(path: string): string {
  return path.replace(/^parts(\[\d+\])?(?:\.image)?/, "prompt$1");
}

function promptPart(block: ContentBlock): PromptPart | Record<string, unknown> {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "resource_link":
      return { type: "resource-link", uri: block.uri, name: block.name };
    case "resource":
      return embeddedPart(block);
    case "image":
      return { type: "image", image: { mimeType: block.mimeType, data: block.data } };
    case "audio":
      throw RequestError.invalidParams(
        undefined,
        "audio is not taken; the prompt capabilities name what is: text, resource links, embedded text and images",
      );
  }
}

function embeddedPart({ resource }: Extract<ContentBlock, { type: "resource" }>): PromptPart {
  if (!("text" in resource))
    throw RequestError.invalidParams(
      undefined,
      `the embedded resource ${JSON.stringify(resource.uri.slice(0, 200))} has no text; embed text, or send a resource_link that the agent can read`,
    );
  return {
    type: "resource",
    uri: resource.uri,
    ...(typeof resource.mimeType === "string" ? { mimeType: resource.mimeType } : {}),
    text: resource.text,
  };
}
