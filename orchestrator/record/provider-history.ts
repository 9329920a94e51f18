import type { ModelImage, ModelItem, ToolResultItem } from "../contract/model.ts";
import { pairCalls } from "../model-exchange/call-pairing.ts";
import type { ConversationRecord, StoredRecord } from "./conversation-record.ts";

/** What a model is sent of a conversation. */
export interface ProviderHistory {
  /** Every tool call among them has exactly one result, right after its turn. */
  readonly items: readonly ModelItem[];
  /** Results that were made because none was recorded: interrupted, outcome unknown. Append them to the record. */
  readonly added: readonly ToolResultItem[];
}

/**
 * The conversation as the model sees it: the newest summary in place of what it covers, then everything after it.
 * Records that are not for the model (provider metadata, configuration, extensions) are left out.
 */
export function providerHistory(records: readonly StoredRecord[]): ProviderHistory {
  const summary = records.findLast(({ record }) => record.kind === "summary")?.record;
  const through = summary?.kind === "summary" ? summary.throughSeq : 0;
  const items: ModelItem[] = [];
  if (summary?.kind === "summary") items.push(...userItem(summary.content));
  for (const { seq, record } of records) if (seq > through) items.push(...modelItems(record));
  return pairCalls(items);
}

function modelItems(record: ConversationRecord): readonly ModelItem[] {
  switch (record.kind) {
    case "message":
      return userItem(record.content, record.images);
    case "provider-item":
      return [record.item];
    case "tool-result": {
      const { callId, status, output } = record;
      return [{ type: "tool-result", callId, status, output }];
    }
    case "provider":
    case "configuration":
    case "summary":
    case "extension":
      return [];
  }
}

function userItem(text: string, images: readonly ModelImage[] = []): readonly ModelItem[] {
  if (images.length > 0) return [{ type: "user-message", text: text || "(image)", images: [...images] }];
  return text === "" ? [] : [{ type: "user-message", text }];
}
