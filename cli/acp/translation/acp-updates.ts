/** A session's updates as the standard `session/update` bodies of ACP. Pure; live streaming and replay use the same. */
import type { SessionUpdate as AcpUpdate, ToolCallContent, ToolCallStatus } from "@agentclientprotocol/sdk";
import type { SessionUpdate, ToolContent, ToolStatus } from "../../../orchestrator/contract/session.ts";
import { formResultText } from "../../../orchestrator/prompt/form-text.ts";
import { acpModeId } from "./modes.ts";

/** What the client said that it can show. */
export type ShownKinds = {
  /** It takes `notice` updates; else notices come as text of the agent. */
  readonly notices: boolean;
};

const statuses: Readonly<Record<ToolStatus, ToolCallStatus>> = {
  pending: "pending",
  running: "in_progress",
  completed: "completed",
  failed: "failed",
  cancelled: "failed",
  unknown: "failed",
};

/** The bodies that show an update; none where ACP has nothing to say of it. */
export function acpUpdates(update: SessionUpdate, shown: ShownKinds): readonly AcpUpdate[] {
  switch (update.type) {
    case "user-message":
      return [userMessage(update)];
    case "message-chunk":
      return update.text === ""
        ? []
        : [{ sessionUpdate: "agent_message_chunk", ...chunk(update.messageId, update.text) }];
    case "thought-chunk":
      return update.text === ""
        ? []
        : [{ sessionUpdate: "agent_thought_chunk", ...chunk(update.messageId, update.text) }];
    case "output-discarded":
      return notice(shown, "warning", "retry", "The answer broke off and is made again.", update.at);
    case "tool-call":
      return [toolCall(update)];
    case "tool-call-update":
      return [toolCallUpdate(update)];
    case "plan":
      return [{ sessionUpdate: "plan", entries: [...update.entries] }];
    case "usage":
      return usage(update);
    case "notice":
      return notice(shown, update.level, update.code, update.text, update.at);
    case "turn-end":
      return turnEnd(update, shown);
    case "form":
      return [formCall(update)];
    case "form-output":
      return [];
    case "form-result":
      return [formEnd(update)];
    case "title":
      return [
        {
          sessionUpdate: "session_info_update",
          title: update.title,
          updatedAt: new Date(update.at).toISOString(),
        },
      ];
    case "mode":
      return [{ sessionUpdate: "current_mode_update", currentModeId: acpModeId(update.mode) }];
  }
}

type UpdateOf<Type extends SessionUpdate["type"]> = Extract<SessionUpdate, { type: Type }>;

function userMessage({ messageId, text, origin, inputId, images }: UpdateOf<"user-message">): AcpUpdate {
  return {
    sessionUpdate: "user_message_chunk",
    ...chunk(messageId, text),
    ...meta({ origin, inputId, images }),
  };
}

function toolCall(update: UpdateOf<"tool-call">): AcpUpdate {
  return {
    sessionUpdate: "tool_call",
    toolCallId: update.callId,
    title: update.title,
    name: update.tool,
    kind: update.kind,
    status: statuses[update.status],
    locations: update.locations.map(({ path, line }) => (line === undefined ? { path } : { path, line })),
    rawInput: update.arguments,
  };
}

function toolCallUpdate(update: UpdateOf<"tool-call-update">): AcpUpdate {
  const { callId, status, content, resourceUris, durationMs } = update;
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: callId,
    ...(status === undefined ? {} : { status: statuses[status] }),
    ...(content === undefined ? {} : { content: content.map(acpContent) }),
    ...meta({ status, resourceUris, durationMs }),
  };
}

/** ACP has no place for the end of a turn; one that was stopped or failed must not look like any other. */
function turnEnd({ outcome, failure, at }: UpdateOf<"turn-end">, shown: ShownKinds): readonly AcpUpdate[] {
  if (outcome === "end-turn") return [];
  if (outcome === "cancelled") return notice(shown, "info", "stopped", "The turn was stopped.", at);
  return notice(shown, "error", "turn-failed", failure?.message ?? "The turn failed.", at);
}

/** A form is a call that the person made. */
function formCall({ formId, source, job }: UpdateOf<"form">): AcpUpdate {
  return {
    sessionUpdate: "tool_call",
    toolCallId: formId,
    title: source.replaceAll(/\s+/g, " ").slice(0, 160),
    kind: "execute",
    status: "in_progress",
    rawInput: { source },
    ...meta({ form: source, job }),
  };
}

function formEnd(update: UpdateOf<"form-result">): AcpUpdate {
  const { type: _, formId, at: _at, ...result } = update;
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: formId,
    status: result.status === "values" ? "completed" : "failed",
    content: [{ type: "content", content: { type: "text", text: formResultText(result) } }],
    ...meta({ formResult: result }),
  };
}

/** Nothing while the size of the context is not known. */
function usage({ contextTokens, contextWindow, turn, total }: UpdateOf<"usage">): readonly AcpUpdate[] {
  if (contextTokens === null) return [];
  return [
    { sessionUpdate: "usage_update", used: contextTokens, size: contextWindow, ...meta({ turn, total }) },
  ];
}

/** Consecutive chunks of one message as one, up to this many characters: a client that is behind gets fewer notifications. */
export const mergedChunkLimit = 65_536;

/** The same updates with neighbouring chunks of one message joined. */
export function mergeChunks(updates: readonly AcpUpdate[]): readonly AcpUpdate[] {
  const merged: AcpUpdate[] = [];
  for (const update of updates) {
    const last = merged.at(-1);
    const joined = last === undefined ? undefined : joinedChunk(last, update);
    if (joined === undefined) merged.push(update);
    else merged[merged.length - 1] = joined;
  }
  return merged;
}

function joinedChunk(first: AcpUpdate, second: AcpUpdate): AcpUpdate | undefined {
  const isChunk =
    first.sessionUpdate === "agent_message_chunk" || first.sessionUpdate === "agent_thought_chunk";
  if (!isChunk || second.sessionUpdate !== first.sessionUpdate || second.messageId !== first.messageId)
    return undefined;
  if (first.content.type !== "text" || second.content.type !== "text") return undefined;
  const text = first.content.text + second.content.text;
  return text.length > mergedChunkLimit ? undefined : { ...first, content: { type: "text", text } };
}

function chunk(
  messageId: string,
  text: string,
): { messageId: string; content: { type: "text"; text: string } } {
  return { messageId, content: { type: "text", text } };
}

function acpContent(content: ToolContent): ToolCallContent {
  return content.type === "text"
    ? { type: "content", content: { type: "text", text: content.text } }
    : { type: "diff", path: content.path, oldText: content.oldText, newText: content.newText };
}

function notice(
  { notices }: ShownKinds,
  severity: "info" | "warning" | "error",
  code: string,
  text: string,
  at: number,
): readonly AcpUpdate[] {
  const [title = "", ...rest] = text.trim().split("\n");
  if (title === "") return [];
  if (notices)
    return [
      {
        sessionUpdate: "notice",
        severity,
        title,
        description: rest.length === 0 ? null : rest.join("\n").trim(),
        ...meta({ code }),
      },
    ];
  // What a command presented is the answer itself; anything else is marked as not being the model's.
  const shown = code === "command" ? `${text}\n` : `[${code}] ${text}\n`;
  return [{ sessionUpdate: "agent_message_chunk", ...chunk(`n:${at}:${code}`, shown), ...meta({ code }) }];
}

/** What ACP has no place for, under our own key; left out when there is nothing. */
function meta(values: Readonly<Record<string, unknown>>): { _meta?: { autolith: Record<string, unknown> } } {
  const known = Object.entries(values).filter(([, value]) => value !== undefined);
  return known.length === 0 ? {} : { _meta: { autolith: Object.fromEntries(known) } };
}
