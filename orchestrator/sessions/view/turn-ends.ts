/** How turns ended, as the conversation keeps it: what a replay shows behind each turn. Pure. */
import { z } from "zod";
import { formToJson } from "../../../lisp/data-forms/index.ts";
import { boundedMessage } from "../../contract/failure.ts";
import {
  type SessionUpdate,
  turnOutcomeSchema,
  turnSourceSchema,
  usageCountersSchema,
} from "../../contract/session/updates.ts";
import type { ExtensionRecord, StoredRecord } from "../../record/conversation-record.ts";
import { extensionField, sessionRecords } from "./session-records.ts";

/** The end of a turn, without its place in the record. */
export type TurnEnd = Omit<Extract<SessionUpdate, { type: "turn-end" }>, "type" | "turnId" | "at">;

const endSchema = z.object({
  outcome: turnOutcomeSchema,
  source: turnSourceSchema,
  durationMs: z.number().nonnegative().nullable(),
  usage: usageCountersSchema,
  failure: z.object({ code: z.string(), message: z.string() }).optional(),
});

/** The fields of the record of a turn's end. */
export function turnEndFields({ failure, ...end }: TurnEnd): Readonly<Record<string, unknown>> {
  const shown = failure && { code: failure.code, message: boundedMessage(failure.message) };
  return { end: { ...end, ...(shown === undefined ? {} : { failure: shown }) } };
}

/** The end that a record holds; undefined for other records, and for one that cannot be read. */
export function turnEndOf(record: ExtensionRecord): TurnEnd | undefined {
  const form = record.name === sessionRecords.turnEnd ? extensionField(record, "end") : undefined;
  if (form === undefined) return undefined;
  try {
    const parsed = endSchema.safeParse(formToJson(form as Parameters<typeof formToJson>[0]));
    if (!parsed.success) return undefined;
    const { failure, ...end } = parsed.data;
    return failure === undefined ? end : { ...end, failure };
  } catch {
    return undefined;
  }
}

const unknownUsage: TurnEnd["usage"] = {
  inputTokens: null,
  cachedInputTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  requests: 0,
};

/**
 * The end of a last turn that has none, because its host ended, or the copy was made, while it ran. Undefined when the last turn has an end, or
 * its answer stands at the end of the record.
 */
export function endOfCutTurn(records: readonly StoredRecord[]): TurnEnd | undefined {
  for (let index = records.length - 1; index >= 0; index -= 1) {
    const record = records[index]?.record;
    if (record?.kind === "extension" && record.name === sessionRecords.turnEnd) return undefined;
    if (record?.kind === "provider-item" && record.item.type === "assistant-message") return undefined;
    if (record?.kind === "message" || record?.kind === "provider-item" || record?.kind === "tool-result")
      return {
        outcome: "condition",
        source: "prompt",
        durationMs: null,
        usage: unknownUsage,
        failure: {
          code: "turn-cut-off",
          message:
            "The record ends within this turn: its host ended, or the copy was made, while it ran. What is missing was not done, or its outcome is not known.",
        },
      };
  }
  return undefined;
}
