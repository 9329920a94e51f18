/** Input as it goes to the host. */
import type { ParamsOf, ValueOf } from "../../../orchestrator/contract/acp/method-table.ts";
import type { ConversationId } from "../../../orchestrator/contract/identifiers.ts";
import type { AttachedImage } from "../composer/attached-image.ts";
import type { HostLink } from "../link/host-link.ts";

export type SubmittedInput = ParamsOf<"submit">["input"];

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

/** Rejects as the link does. */
export function submitOnce(
  link: HostLink,
  sessionId: ConversationId,
  input: SubmittedInput,
  as: ParamsOf<"submit">["as"],
): Promise<ValueOf<"submit">> {
  return link.request("submit", { sessionId, input, as });
}
