/** Everything the terminal shows, as one immutable value. It is changed by actions alone (screen-update.ts). */
import type {
  Completion,
  Diagnosis,
  HistoryPage,
  Invocation,
  JobRow,
  PendingInput,
  PermissionAnswer,
  PermissionRequest,
  RestartRequest,
  SessionEvent,
  SessionState,
  SettingRow,
} from "../../../orchestrator/contract/session.ts";
import type { ClientEvent } from "../../../orchestrator/contract/acp/events.ts";
import type { ValueOf } from "../../../orchestrator/contract/acp/method-table.ts";
import type { AttachedImage } from "../composer/attached-image.ts";
import { type Composer, emptyComposer } from "../composer/composer.ts";
import { type TranscriptLook, plainLook } from "../transcript/entry-lines.ts";
import { type PrintedEntry, type Transcript, emptyTranscript } from "../transcript/transcript.ts";
import type { CorrectionAnswer, CorrectionDialog, CorrectionRequest } from "./correction-dialog.ts";
import type { KeyPress } from "./key-press.ts";
import type { HistoryViewer, OlderHistory } from "./history-viewer.ts";
import type { Picker, PickerPurpose, PickerRow } from "./picker.ts";
import type { RestartDialog, RestartRequestChoice } from "./restart-dialog.ts";

/** The dialog of the permission request in front. */
export type ApprovalDialog = {
  readonly requestId: string;
  readonly shownAt: number;
  /** Place of the marked answer among those of approval-options.ts. */
  readonly option: number;
  /** First line of the command that is on show. */
  readonly scroll: number;
};

/** A line for a moment: what just happened, or why something did not. */
export type Flash = {
  readonly level: "info" | "warning" | "error";
  readonly text: string;
  readonly until: number;
};

export type Completing = {
  readonly token: number;
  readonly askedAt: number;
  readonly held: readonly TypedAction[];
};

/** What a person does with keyboard and clipboard. */
export type TypedAction = Extract<Action, { type: "key" | "paste" }>;

export type Activity = Extract<SessionEvent, { kind: "activity" }>;

export type ScreenState = {
  readonly size: { readonly columns: number; readonly rows: number };
  /** Epoch milliseconds of the last action that told the time. */
  readonly now: number;
  readonly link: "connecting" | "attached" | "lost" | "ended";
  readonly sessionId: string | undefined;
  readonly session: SessionState | undefined;
  readonly isReadOnly: boolean;
  readonly transcript: Transcript;
  readonly composer: Composer;
  readonly look: TranscriptLook;
  readonly showsActivity: boolean;
  readonly activity: Activity | undefined;
  readonly jobs: readonly JobRow[];
  readonly pending: readonly PendingInput[];
  readonly isPaused: boolean;
  /** Inputs that the host has not answered for yet. */
  readonly sending: readonly { readonly inputId: string; readonly text: string }[];
  readonly requests: readonly PermissionRequest[];
  readonly approval: ApprovalDialog | undefined;
  /** Conditions of forms that wait for somebody, oldest first, and the dialog of the first one. */
  readonly restarts: readonly RestartRequest[];
  readonly restart: RestartDialog | undefined;
  /** The review of a correction. */
  readonly correction: CorrectionDialog | undefined;
  readonly picker: Picker | undefined;
  /** What lies before the history that was printed; undefined when nothing does. */
  readonly older: OlderHistory | undefined;
  readonly viewer: HistoryViewer | undefined;
  readonly flash: Flash | undefined;
  /** When Ctrl-C was pressed on an empty composer: a second one leaves. */
  readonly leavingAt: number | undefined;
  readonly lastTypedAt: number;
  /** When the running turn was asked to stop; it may take a moment to. */
  readonly stoppingAt: number | undefined;
  /** When the running form was asked to stop. */
  readonly stoppingFormAt: number | undefined;
  /** Completion was asked for: what is typed behind Tab waits for its answer, since Tab may send the text. */
  readonly completing: Completing | undefined;
  /** Numbers completion requests and inputs. */
  readonly counter: number;
  /** Unique to this terminal; in front of its input ids. */
  readonly clientId: string;
};

export type Action =
  | { readonly type: "key"; readonly press: KeyPress; readonly at: number }
  | { readonly type: "paste"; readonly text: string; readonly at: number }
  /** An image file that was pasted by its name. */
  | { readonly type: "image"; readonly image: AttachedImage; readonly insteadOf: string; readonly at: number }
  | { readonly type: "resize"; readonly columns: number; readonly rows: number }
  | { readonly type: "tick"; readonly at: number }
  | {
      readonly type: "attached";
      readonly sessionId: string;
      readonly view: ValueOf<"attach">;
      readonly isReadOnly: boolean;
      readonly draft: { readonly text: string; readonly cursor: number } | undefined;
      /** Earlier input of the conversation, oldest first; undefined when the host did not say. */
      readonly recall?: readonly string[] | undefined;
      readonly at: number;
    }
  | { readonly type: "events"; readonly events: readonly ClientEvent[]; readonly at: number }
  | {
      readonly type: "link";
      readonly link: "connecting" | "lost" | "ended";
      readonly reason: string;
      readonly at: number;
    }
  | { readonly type: "state"; readonly state: SessionState }
  | { readonly type: "jobs"; readonly jobs: readonly JobRow[] }
  | { readonly type: "settings"; readonly settings: readonly SettingRow[] }
  /** Without a completion when the host could not say. */
  | { readonly type: "completion"; readonly token: number; readonly completion: Completion | undefined }
  | { readonly type: "page"; readonly sessionId: string; readonly page: HistoryPage }
  | { readonly type: "submitted"; readonly inputId: string; readonly invocation: Invocation | undefined }
  | {
      readonly type: "refused";
      readonly inputId: string;
      readonly text: string;
      /** Stable code of the refusal, when it has one. */
      readonly code?: string | undefined;
      readonly message: string;
      readonly at: number;
    }
  | { readonly type: "invoked"; readonly invocation: Invocation }
  | { readonly type: "diagnosed"; readonly requestId: string; readonly diagnosis: Diagnosis | undefined }
  | { readonly type: "correction"; readonly answer: CorrectionAnswer; readonly at: number }
  | {
      readonly type: "rows";
      readonly purpose: PickerPurpose;
      readonly title: string;
      readonly rows: readonly PickerRow[];
      readonly omitted: number;
      /** Only for a picker that is still open. */
      readonly isRefresh?: boolean;
    }
  | { readonly type: "flash"; readonly level: Flash["level"]; readonly text: string; readonly at: number };

/** What the edge is asked to do. */
export type Command =
  | { readonly type: "print"; readonly entries: readonly PrintedEntry[] }
  | {
      readonly type: "submit";
      readonly text: string;
      readonly as: "prompt" | "steer" | "queue";
      /** What a prompt becomes when a turn began meanwhile. */
      readonly orElse: "steer" | "queue";
      readonly images: readonly AttachedImage[];
      readonly inputId: string;
      /** Width that the values of a form are laid out for. */
      readonly columns: number;
    }
  /** Escape lets accepted steering go on; Ctrl-C pauses everything that waits. */
  | { readonly type: "cancel"; readonly continueSteering: boolean }
  | {
      readonly type: "answer";
      readonly requestId: string;
      readonly answer: PermissionAnswer;
    }
  | { readonly type: "restart"; readonly requestId: string; readonly choice: RestartRequestChoice }
  | { readonly type: "correction"; readonly request: CorrectionRequest }
  | { readonly type: "complete"; readonly text: string; readonly cursor: number; readonly token: number }
  | { readonly type: "fetch"; readonly what: "state" | "jobs" | "settings" }
  | { readonly type: "pick"; readonly purpose: PickerPurpose }
  /** Reads an image file that was pasted as this text. */
  | { readonly type: "load-image"; readonly path: string; readonly insteadOf: string }
  /** Fetches history before a record. */
  | { readonly type: "page"; readonly before: number }
  | { readonly type: "open"; readonly sessionId: string }
  | { readonly type: "invoke"; readonly operation: string; readonly input: string }
  | { readonly type: "set"; readonly name: string; readonly value: boolean | string }
  /** Read the conversation again: events were lost. */
  | { readonly type: "reattach" }
  | { readonly type: "leave"; readonly reason: "left" | "detached" | "quit" | "ended" }
  | { readonly type: "suspend" }
  | { readonly type: "redraw" };

export type Step = { readonly state: ScreenState; readonly commands: readonly Command[] };

/** A screen before anything is known. */
export function initialScreen(
  size: ScreenState["size"],
  clientId: string,
  recall: readonly string[] = [],
): ScreenState {
  return {
    size,
    now: 0,
    link: "connecting",
    sessionId: undefined,
    session: undefined,
    isReadOnly: false,
    transcript: emptyTranscript,
    composer: { ...emptyComposer, recall },
    look: plainLook,
    showsActivity: true,
    activity: undefined,
    jobs: [],
    pending: [],
    isPaused: false,
    sending: [],
    requests: [],
    approval: undefined,
    restarts: [],
    restart: undefined,
    correction: undefined,
    picker: undefined,
    older: undefined,
    viewer: undefined,
    flash: undefined,
    leavingAt: undefined,
    lastTypedAt: 0,
    stoppingAt: undefined,
    stoppingFormAt: undefined,
    completing: undefined,
    counter: 0,
    clientId,
  };
}

/** True while a form that is not a job is evaluated. */
export function isFormRunning({ transcript }: Pick<ScreenState, "transcript">): boolean {
  return transcript.live.some(
    (entry) => entry.kind === "form" && entry.result === undefined && entry.job === undefined,
  );
}

/** True while a turn runs. */
export function isTurnRunning({ session }: ScreenState): boolean {
  return session?.turn.state === "running";
}

export function step(state: ScreenState, ...commands: readonly Command[]): Step {
  return { state, commands };
}

/** The screen with a line for a moment. */
export function flashed(state: ScreenState, level: Flash["level"], text: string, at: number): ScreenState {
  return { ...state, flash: { level, text, until: at + flashMs } };
}

/** Time a flash is on show, in milliseconds. */
const flashMs = 6_000;
