/** An agent's transcript kept in the conversation store. */
import { type DataForm, keyword } from "../../lisp/data-forms/index.ts";
import type { ExecutionId } from "../contract/identifiers.ts";
import { jsonOf } from "../contract/json-value.ts";
import type { ModelItem } from "../contract/model.ts";
import { providerHistory } from "../record/provider-history.ts";
import type { ConversationRecord } from "../record/conversation-record.ts";
import type { RecordLog } from "../record/record-log.ts";
import type { SettledCall } from "../tools/dispatcher.ts";
import type { AgentTranscript } from "./transcript.ts";

/** A transcript over the records of an open conversation. `shown` may leave out of a paired history what the model need not see again. */
export function conversationTranscript(
  log: RecordLog,
  shown: (items: readonly ModelItem[]) => readonly ModelItem[] = (items) => items,
): AgentTranscript {
  const append = async (record: ConversationRecord): Promise<void> => {
    await log.append(record);
  };
  const appendAll = async (batch: readonly ConversationRecord[]): Promise<void> => {
    await log.appendAll(batch);
  };
  return {
    userMessage: (text, options = {}) =>
      append({
        kind: "message",
        content: text,
        ...(options.automatic === true ? { automatic: true } : {}),
        ...(options.inputId === undefined ? {} : { pendingInputIdentifier: options.inputId }),
        ...(options.completionOf === undefined
          ? {}
          : { jobCompletion: completionReceipt(options.completionOf) }),
        ...(options.images === undefined || options.images.length === 0 ? {} : { images: options.images }),
      }),
    response: (items, usage, request) =>
      appendAll([
        ...items.map((item): ConversationRecord => ({ kind: "provider-item", item })),
        {
          kind: "provider",
          metadata: {
            requestNumber: request.requestNumber,
            ...(request.responseId === undefined ? {} : { responseId: request.responseId }),
            usage: jsonOf(usage),
          },
        },
      ]),
    failedAttempt: ({ requestNumber, attempt, elapsedMs, failure }) =>
      append({
        kind: "provider",
        metadata: {
          requestNumber,
          failedAttempt: {
            attempt,
            elapsedSeconds: elapsedMs / 1_000,
            ...failure,
          },
        },
      }),
    toolResults: (settled) => appendAll(settled.map(toolResultRecord)),
    note: (name, fields) =>
      append({
        kind: "extension",
        name,
        fields: Object.entries(fields).flatMap(([key, value]): DataForm[] => [keyword(key), value]),
      }),
    history: async () => {
      const { items, added } = providerHistory(log.records);
      await appendAll(
        added.map((result): ConversationRecord => ({
          kind: "tool-result",
          tool: "unknown",
          ...withoutType(result),
        })),
      );
      return shown(items);
    },
    close: () => log.close(),
  };
}

/** The receipt of a job's completion in the record of its owner. */
export function completionReceipt(executionId: ExecutionId): string {
  return `completion:${executionId}`;
}

function withoutType({ callId, status, output }: Extract<ModelItem, { type: "tool-result" }>): {
  callId: string;
  status: Extract<ModelItem, { type: "tool-result" }>["status"];
  output: string;
} {
  return { callId, status, output };
}

function toolResultRecord(settled: SettledCall): ConversationRecord {
  const { call, result, details, code, resourceUris, durationMs } = settled;
  const facts = {
    ...details,
    ...(code === undefined ? {} : { code }),
    ...(resourceUris.length === 0 ? {} : { resourceUris: [...resourceUris] }),
  };
  return {
    kind: "tool-result",
    callId: result.callId,
    tool: call.tool,
    status: result.status,
    output: result.output,
    realMicroseconds: Math.round(durationMs * 1_000),
    ...(Object.keys(facts).length === 0 ? {} : { details: jsonOf(facts) }),
  };
}
