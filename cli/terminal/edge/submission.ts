/** Input as it goes to the host. */
import type { ParamsOf, ValueOf } from "../../../orchestrator/contract/acp/method-table.ts";
import type { ConversationId } from "../../../orchestrator/contract/identifiers.ts";
import type { AttachedImage } from "../composer/attached-image.ts";
import type { HostLink } from "../link/host-link.ts";
import { codeOf } from "./link-errors.ts";

type SubmittedInput = ParamsOf<"submit">["input"];
type SubmittedAs = ParamsOf<"submit">["as"];

/** The text, and its images behind it. */
export function partsOf(input: {
  readonly text: string;
  readonly images: readonly AttachedImage[];
}): SubmittedInput["parts"] {
  return [
    { type: "text", text: input.text },
    ...input.images.map(({ mimeType, data }) => ({ type: "image" as const, image: { mimeType, data } })),
  ];
}

/** Submits as `as` says. A turn that began in the meantime takes a prompt as `orElse` says. Rejects as the link does. */
export async function submitOrElse(
  link: HostLink,
  sessionId: ConversationId,
  input: SubmittedInput,
  { as, orElse }: { readonly as: SubmittedAs; readonly orElse: SubmittedAs },
): Promise<ValueOf<"submit">> {
  try {
    return await link.request("submit", { sessionId, input, as });
  } catch (error) {
    if (as !== "prompt" || codeOf(error) !== "busy") throw error;
    return link.request("submit", { sessionId, input, as: orElse });
  }
}
