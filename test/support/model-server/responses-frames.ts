import type { Frame, FramePlan } from "./frames.ts";
import {
  argumentText,
  pieces,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedUsage,
} from "./script.ts";

interface OutputItem {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** An answer as the events of a Responses stream. */
export function responsesPlan(turn: ScriptedAnswer, requestNumber: number): FramePlan {
  const fault = turn.fault;
  const head = event("response.created", { response: envelope(requestNumber, "in_progress", []) });
  if (fault?.kind === "empty-choices") {
    return {
      frames: [head, completed(requestNumber, "completed", [], "none", { output: null })],
      end: "done",
    };
  }
  const cut = fault?.kind === "cut-arguments" ? fault : undefined;
  const parts = outputParts(turn, requestNumber, cut !== undefined);
  const frames = [head, ...parts.flatMap((part) => part.frames)];
  if (cut !== undefined && cut.how !== "length") return { frames, end: cut.how };
  const items = parts.map((part) => part.item);
  if (cut !== undefined) {
    const incomplete = { incomplete_details: { reason: "max_output_tokens" } };
    const last = completed(requestNumber, "incomplete", items, turn.usage, incomplete);
    return { frames: [...frames, last], end: "done" };
  }
  if (fault?.kind === "no-marker") return { frames, end: "close" };
  return { frames: [...frames, completed(requestNumber, "completed", items, turn.usage)], end: "done" };
}

function event(type: string, fields: object): Frame {
  return { event: type, data: { type, ...fields } };
}

function envelope(requestNumber: number, status: string, output: unknown): Record<string, unknown> {
  return {
    id: `resp_${requestNumber}`,
    object: "response",
    created_at: 1_700_000_000,
    model: "scripted",
    status,
    output,
  };
}

function completed(
  requestNumber: number,
  status: "completed" | "incomplete",
  items: readonly OutputItem[],
  usage: ScriptedUsage | undefined,
  more: object = {},
): Frame {
  return event(`response.${status}`, {
    response: { ...envelope(requestNumber, status, items), ...usageFields(usage), ...more },
  });
}

function usageFields(usage: ScriptedUsage | undefined): object {
  if (usage === undefined || usage === "none") return {};
  return {
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached ?? 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
      total_tokens: usage.input + usage.output,
    },
  };
}

interface OutputPart {
  readonly frames: readonly Frame[];
  readonly item: OutputItem;
}

function outputParts(turn: ScriptedAnswer, requestNumber: number, cut: boolean): OutputPart[] {
  const parts: OutputPart[] = [];
  if (turn.reasoning !== undefined) parts.push(reasoningPart(turn, requestNumber, parts.length));
  if (turn.text !== undefined) parts.push(messagePart(turn, requestNumber, parts.length));
  for (const [position, call] of (turn.calls ?? []).entries()) {
    parts.push(callPart(turn, call, { requestNumber, position, outputIndex: parts.length, cut }));
    if (cut) break;
  }
  return parts;
}

function reasoningPart(turn: ScriptedAnswer, requestNumber: number, outputIndex: number): OutputPart {
  const item: OutputItem = {
    type: "reasoning",
    id: `rs_${requestNumber}`,
    summary: [{ type: "summary_text", text: turn.reasoning }],
    encrypted_content: `sealed-${requestNumber}`,
  };
  const deltas = pieces(turn.reasoning ?? "", turn.pieces ?? 1).map((piece) =>
    event("response.reasoning_summary_text.delta", {
      item_id: item["id"],
      output_index: outputIndex,
      delta: piece,
    }),
  );
  return { item, frames: framed(item, outputIndex, deltas) };
}

function messagePart(turn: ScriptedAnswer, requestNumber: number, outputIndex: number): OutputPart {
  const item: OutputItem = {
    type: "message",
    id: `msg_${requestNumber}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: turn.text, annotations: [] }],
  };
  const deltas = pieces(turn.text ?? "", turn.pieces ?? 1).map((piece) =>
    event("response.output_text.delta", { item_id: item["id"], output_index: outputIndex, delta: piece }),
  );
  return { item, frames: framed(item, outputIndex, deltas) };
}

function callPart(
  turn: ScriptedAnswer,
  call: ScriptedCall,
  at: { requestNumber: number; position: number; outputIndex: number; cut: boolean },
): OutputPart {
  const full = argumentText(call);
  const atBrace = turn.fault?.kind === "cut-arguments" && turn.fault.atBrace === true;
  const sent = at.cut ? full.slice(0, atBrace ? 1 : Math.ceil(full.length / 2)) : full;
  const item: OutputItem = {
    type: "function_call",
    id: `fc_${at.requestNumber}_${at.position}`,
    call_id: call.callId ?? `call_${at.requestNumber}_${at.position}`,
    name: call.name,
    arguments: sent,
    status: at.cut ? "incomplete" : "completed",
  };
  const deltas = pieces(sent, turn.pieces ?? 1).map((piece) =>
    event("response.function_call_arguments.delta", {
      item_id: item["id"],
      output_index: at.outputIndex,
      delta: piece,
    }),
  );
  if (!at.cut) return { item, frames: framed(item, at.outputIndex, deltas) };
  const added = event("response.output_item.added", {
    output_index: at.outputIndex,
    item: { ...item, arguments: "", status: "in_progress" },
  });
  return { item, frames: [added, ...deltas] };
}

function framed(item: OutputItem, outputIndex: number, deltas: readonly Frame[]): Frame[] {
  const shell: Record<string, unknown> = { ...item, status: "in_progress" };
  if (item.type === "function_call") shell["arguments"] = "";
  if (item.type === "message") shell["content"] = [];
  if (item.type === "reasoning") shell["summary"] = [];
  return [
    event("response.output_item.added", { output_index: outputIndex, item: shell }),
    ...deltas,
    event("response.output_item.done", { output_index: outputIndex, item }),
  ];
}
