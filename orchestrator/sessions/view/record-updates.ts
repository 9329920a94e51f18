/**
 * The updates that records of a conversation stand for. Pure: the same function projects history for a replay and new records for live
 * clients, so both show the same things under the same ids.
 */
import { parseForeignJson } from "../../contract/json-nesting.ts";
import { z } from "zod";
import { formToJson } from "../../../lisp/data-forms/index.ts";
import type { AssistantItem } from "../../contract/model.ts";
import type { MessageOrigin, PlanEntry, SessionUpdate, ToolStatus } from "../../contract/session/updates.ts";
import { planEntrySchema, updateTextLimit } from "../../contract/session/updates.ts";
import type { ExtensionRecord, StoredRecord } from "../../record/conversation-record.ts";
import { formUpdates, isFormReceipt } from "../../prompt/form-records.ts";
import { extensionField, sessionRecords } from "./session-records.ts";
import { shortened, toolContent, toolPresentation } from "./tool-presentation.ts";
import { turnEndOf } from "./turn-ends.ts";

/** Where the projection stands between records. */
export type ProjectionState = {
  /** Number of the response whose items are being projected. */
  readonly request: number;
  /** Texts and reasonings of that response so far, for their ids. */
  readonly messages: number;
  readonly thoughts: number;
  readonly workspace: string;
};

export type Projected = { readonly updates: readonly SessionUpdate[]; readonly state: ProjectionState };

/** The updates of one record. `state.request` must be the number of the response that an item belongs to. */
export function updatesOfRecord({ seq, at, record }: StoredRecord, state: ProjectionState): Projected {
  switch (record.kind) {
    case "message": {
      const { pendingInputIdentifier: inputId, images } = record;
      if (isFormReceipt(inputId)) return { updates: [], state };
      const update: SessionUpdate = {
        type: "user-message",
        messageId: `m:${seq}`,
        text: shortened(record.content, updateTextLimit * 4),
        origin: originOf(record.automatic === true, inputId),
        ...(inputId === undefined ? {} : { inputId }),
        ...(images === undefined || images.length === 0 ? {} : { images: images.length }),
        at,
      };
      return { updates: [update], state };
    }
    case "provider-item":
      return itemUpdates(record.item, at, state);
    case "tool-result": {
      const { callId, status, output, details, realMicroseconds } = record;
      const uris = (details as { resourceUris?: unknown } | undefined)?.resourceUris;
      const update: SessionUpdate = {
        type: "tool-call-update",
        callId,
        status: toolStatus(status),
        content: [...toolContent(output, details, updateTextLimit)],
        ...(Array.isArray(uris) ? { resourceUris: uris.map(String) } : {}),
        ...(realMicroseconds === undefined ? {} : { durationMs: realMicroseconds / 1_000 }),
        at,
      };
      return { updates: [update], state };
    }
    case "provider":
      return { updates: [], state: { ...state, messages: 0, thoughts: 0 } };
    case "summary":
      return {
        updates: [
          {
            type: "notice",
            level: "info",
            code: "compaction",
            text: "The conversation before this point was summarised for the model.",
            at,
          },
        ],
        state,
      };
    case "configuration":
      return { updates: [], state };
    case "extension":
      return { updates: extensionUpdates(record, seq, at), state };
  }
}

function itemUpdates(item: AssistantItem, at: number, state: ProjectionState): Projected {
  switch (item.type) {
    case "assistant-message":
    case "reasoning": {
      const isText = item.type === "assistant-message";
      const count = (isText ? state.messages : state.thoughts) + 1;
      const next = isText ? { ...state, messages: count } : { ...state, thoughts: count };
      if (item.text === "") return { updates: [], state };
      const type = isText ? ("message-chunk" as const) : ("thought-chunk" as const);
      const messageId = chunkId(state.request, isText ? "text" : "reasoning", count);
      return { updates: [{ type, messageId, text: item.text, final: true, at }], state: next };
    }
    case "tool-call":
      break;
  }
  const args = parsedArguments(item.arguments);
  const { title, kind, locations } = toolPresentation(item.tool, args, state.workspace);
  const { callId, tool } = item;
  const call: SessionUpdate = {
    type: "tool-call",
    callId,
    tool,
    title,
    kind,
    status: "pending",
    arguments: args,
    locations: [...locations],
    at,
  };
  return { updates: [call], state };
}

/** The id of the n-th text (`m`) or reasoning (`t`) of a response. */
export function chunkId(request: number, channel: "text" | "reasoning", count: number): string {
  return `r:${request}:${channel === "text" ? "m" : "t"}${count}`;
}

function parsedArguments(text: string): z.core.util.JSONType {
  try {
    return parseForeignJson(text) as z.core.util.JSONType;
  } catch {
    return text;
  }
}

function originOf(automatic: boolean, inputId: string | undefined): MessageOrigin {
  if (automatic) return "automatic";
  if (inputId?.startsWith("steer-") === true) return "steering";
  return inputId?.startsWith("queue-") === true ? "queue" : "prompt";
}

/** The status that a recorded result shows. */
export function toolStatus(status: "ok" | "error" | "cancelled" | "unknown"): ToolStatus {
  return status === "ok" ? "completed" : status === "error" ? "failed" : status;
}

function extensionUpdates(record: ExtensionRecord, seq: number, at: number): readonly SessionUpdate[] {
  if (record.name === sessionRecords.title) {
    const title = extensionField(record, "title");
    return typeof title === "string" ? [{ type: "title", title, at }] : [];
  }
  if (record.name === sessionRecords.plan) {
    const entries = planEntriesOf(record);
    return entries === undefined ? [] : [{ type: "plan", entries: [...entries], at }];
  }
  if (record.name === sessionRecords.childReply) {
    const [job, text] = [extensionField(record, "job"), extensionField(record, "text")];
    const notice = { type: "notice", level: "info", code: "child-reply" } as const;
    return [{ ...notice, text: `${String(job)} replies: ${String(text)}`, at }];
  }
  if (record.name === sessionRecords.recovery) {
    const text = String(extensionField(record, "text"));
    return [{ type: "notice", level: "info", code: "recovery", text, at }];
  }
  if (record.name === sessionRecords.yield) {
    const jobs = Number(extensionField(record, "jobs"));
    const text = `Waiting for ${jobs} job${jobs === 1 ? "" : "s"}; the conversation goes on when ${jobs === 1 ? "it ends" : "they end"}.`;
    return [{ type: "notice", level: "info", code: "yield", text, at }];
  }
  const end = turnEndOf(record);
  return end === undefined ? formUpdates(record, at) : [{ type: "turn-end", turnId: `t:${seq}`, ...end, at }];
}

/** The plan that a record holds; undefined when it cannot be read. */
export function planEntriesOf(record: ExtensionRecord): readonly PlanEntry[] | undefined {
  const form = extensionField(record, "entries");
  if (form === undefined) return undefined;
  try {
    const parsed = z.array(planEntrySchema).safeParse(formToJson(form as Parameters<typeof formToJson>[0]));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
