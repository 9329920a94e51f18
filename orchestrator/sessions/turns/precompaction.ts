/**
 * Mechanical precompaction (manual): failed tool exchanges of earlier turns leave what a model is sent, at moments when its prompt cache
 * helps nobody any more. The record keeps all of it. Pure.
 */
import type { ModelItem } from "../../contract/model.ts";
import type { StoredRecord } from "../../record/conversation-record.ts";

/** The calls whose failure lies before the latest user turn. */
export function failedExchanges(records: readonly StoredRecord[]): ReadonlySet<string> {
  const latest = records.findLastIndex(
    ({ record }) => record.kind === "message" && record.automatic !== true,
  );
  const failed = new Set<string>();
  for (const { record } of records.slice(0, Math.max(0, latest)))
    if (record.kind === "tool-result" && record.status === "error") failed.add(record.callId);
  return failed;
}

/** The history without these calls, their results, and the reasoning of responses of which nothing else is left. */
export function withoutExchanges(
  items: readonly ModelItem[],
  calls: ReadonlySet<string>,
): readonly ModelItem[] {
  if (calls.size === 0) return items;
  const kept: ModelItem[] = [];
  let response: ModelItem[] = [];
  const endResponse = (): void => {
    const left = response.filter((item) => item.type !== "tool-call" || !calls.has(item.callId));
    // Reasoning without what it led to is refused by providers, and tells nothing.
    const wasPruned = left.length < response.length;
    if (!wasPruned || left.some(({ type }) => type !== "reasoning")) kept.push(...left);
    response = [];
  };
  for (const item of items) {
    if (item.type === "user-message" || item.type === "tool-result") {
      endResponse();
      if (item.type === "user-message" || !calls.has(item.callId)) kept.push(item);
    } else response.push(item);
  }
  endResponse();
  return kept;
}
