import type { ModelItem, ToolCallItem, ToolResultItem } from "../contract/model.ts";

/** A conversation in which every call has exactly one result, and what was added to make it so. */
export interface PairedItems {
  readonly items: readonly ModelItem[];
  readonly added: readonly ToolResultItem[];
}

/** What the model is told about a call whose outcome nobody knows. */
export const unknownOutcomeText =
  "The outcome of this call is unknown: it was interrupted before a result was recorded. It may have taken effect " +
  "completely, partly or not at all. Check the state before you repeat it.";

/**
 * Makes a conversation ready for the next request (invariant 11): each call without a result gets one of status
 * `unknown`, placed behind the results of its turn; results that answer no call, and second results, are left out.
 * Providers refuse a request for any of these.
 */
export function pairCalls(items: readonly ModelItem[]): PairedItems {
  const paired: ModelItem[] = [];
  const added: ToolResultItem[] = [];
  let open = new Map<string, ToolCallItem>();
  const closeTurn = (): void => {
    for (const callId of open.keys()) {
      const result: ToolResultItem = {
        type: "tool-result",
        callId,
        status: "unknown",
        output: unknownOutcomeText,
      };
      added.push(result);
      paired.push(result);
    }
    open = new Map();
  };
  for (const item of items) {
    if (item.type === "tool-result") {
      if (open.delete(item.callId)) paired.push(item);
      continue;
    }
    const startsNewTurn = item.type === "user-message" || paired.at(-1)?.type === "tool-result";
    if (startsNewTurn) closeTurn();
    paired.push(item);
    if (item.type === "tool-call") open.set(item.callId, item);
  }
  closeTurn();
  return { items: paired, added };
}
