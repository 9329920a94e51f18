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
 * Makes a conversation ready for the next request (invariant 11): a result that came late is placed behind the results
 * of its turn, and so is one of status `unknown` for each call that has none; results that answer no call, and second
 * results, are left out. Providers refuse a request for any of these.
 */
export function pairCalls(items: readonly ModelItem[]): PairedItems {
  const paired: ModelItem[] = [];
  const added: ToolResultItem[] = [];
  // A result behind a later message: it was made when a host resumed, and the message had been accepted before.
  const lastResults = new Map<string, { readonly place: number; readonly result: ToolResultItem }>();
  for (const [place, item] of items.entries())
    if (item.type === "tool-result") lastResults.set(item.callId, { place, result: item });
  let open = new Map<string, ToolCallItem>();
  /** Before the item at that place. */
  const closeTurn = (before: number): void => {
    for (const callId of open.keys()) {
      const late = lastResults.get(callId);
      if (late !== undefined && late.place > before) {
        paired.push(late.result);
        continue;
      }
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
  for (const [place, item] of items.entries()) {
    if (item.type === "tool-result") {
      if (open.delete(item.callId)) paired.push(item);
      continue;
    }
    const startsNewTurn = item.type === "user-message" || paired.at(-1)?.type === "tool-result";
    if (startsNewTurn) closeTurn(place);
    paired.push(item);
    if (item.type === "tool-call") open.set(item.callId, item);
  }
  closeTurn(items.length);
  return { items: paired, added };
}
