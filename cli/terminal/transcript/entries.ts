/** What a transcript consists of: entries in the order in which they are shown. Finished ones go to the scrollback once. */
import type {
  FormResult,
  MessageOrigin,
  SessionUpdate,
  ToolContent,
  ToolKind,
  ToolStatus,
} from "../../../orchestrator/contract/session.ts";
import type { OpenFence } from "../markdown/stream-blocks.ts";

export type UserEntry = {
  readonly kind: "user";
  readonly messageId: string;
  readonly text: string;
  readonly origin: MessageOrigin;
  readonly images: number;
  readonly at: number;
};

/** Text of the model, or what is left of it when finished blocks have been printed. */
export type TextEntry = {
  readonly kind: "message" | "thought";
  readonly messageId: string;
  readonly text: string;
  /** No more is to come. */
  readonly isFinal: boolean;
  /** False for what follows printed blocks of the same message. */
  readonly isFirst: boolean;
  readonly fence: OpenFence | undefined;
  /** It goes on inside the block that was printed before: no blank line. */
  readonly joins: boolean;
};

export type ToolEntry = {
  readonly kind: "tool";
  readonly callId: string;
  readonly tool: string;
  readonly title: string;
  readonly toolKind: ToolKind;
  readonly status: ToolStatus;
  readonly content: readonly ToolContent[];
  readonly resourceUris: readonly string[];
  readonly durationMs: number | undefined;
};

export type NoticeEntry = {
  readonly kind: "notice";
  readonly level: "info" | "warning" | "error";
  readonly code: string;
  readonly text: string;
};

/** A form that a person evaluated: its output as it comes, and what came of it. */
export type FormEntry = {
  readonly kind: "form";
  readonly formId: string;
  readonly source: string;
  readonly job: string | undefined;
  readonly output: string;
  readonly result: FormResult | undefined;
  /** The result of `? form`, which stands by itself where it came. */
  readonly isEnd?: true;
};

/** How a turn ended. */
export type TurnEntry = {
  readonly kind: "turn";
  readonly turnId: string;
  readonly outcome: "end-turn" | "cancelled" | "condition";
  readonly text: string;
};

export type Entry = UserEntry | TextEntry | ToolEntry | FormEntry | NoticeEntry | TurnEntry;

/** True when nothing will change the entry any more. */
export function isFinished(entry: Entry): boolean {
  if (entry.kind === "message" || entry.kind === "thought") return entry.isFinal;
  if (entry.kind === "form") return entry.result !== undefined || entry.job !== undefined;
  return entry.kind !== "tool" || (entry.status !== "pending" && entry.status !== "running");
}

/** True when a blank line stands between two neighbours. */
export function hasGap(before: Entry | undefined, entry: Entry): boolean {
  if (before === undefined) return false;
  if (entry.kind === "message" || entry.kind === "thought") return !(entry.joins && !entry.isFirst);
  if (entry.kind === "tool") return before.kind !== "tool" || before.content.some(isShownDiff);
  if (isAutomatic(entry) && isAutomatic(before)) return false;
  // Attempts and the like stand together; the answers of commands apart from each other.
  if (entry.kind === "notice" && before.kind === "notice")
    return entry.code === "command" ? before.code !== "typed" : entry.code !== before.code;
  return entry.kind !== "turn" || before.kind !== "notice";
}

function isAutomatic(entry: Entry): boolean {
  return entry.kind === "user" && entry.origin === "automatic";
}

function isShownDiff({ type }: ToolContent): boolean {
  return type === "diff";
}

/** The update types that make or change entries. */
export type EntryUpdate = Extract<
  SessionUpdate,
  {
    type:
      | "user-message"
      | "message-chunk"
      | "thought-chunk"
      | "output-discarded"
      | "tool-call"
      | "tool-call-update"
      | "form"
      | "form-output"
      | "form-result"
      | "notice"
      | "turn-end";
  }
>;

export function isEntryUpdate(update: SessionUpdate): update is EntryUpdate {
  return !["plan", "usage", "title", "mode"].includes(update.type);
}
