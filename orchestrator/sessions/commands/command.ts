/** What a command is: declared once, listed in the catalogue, called with the text behind its name. */
import type { ConversationId } from "../../contract/identifiers.ts";
import type { BusyBehaviour, Invocation } from "../../contract/session/catalogs.ts";
import type { ConversationPage } from "../../contract/session/catalogs.ts";
import type { ConversationQuery, Session } from "../../contract/session/service.ts";
import type { TaskInspector } from "../../inspection/index.ts";
import type { LispJson } from "../../contract/lisp-image.ts";
import type { LispAnswer } from "../../prompt/lisp-calls.ts";
import type { Skipped } from "../../self/self-modification.ts";
import type { SessionCore } from "../session-core.ts";

/** What commands may do besides the methods of the session itself. */
export type CommandContext = {
  readonly session: Session;
  readonly core: SessionCore;
  /** The work of the conversation. */
  readonly tasks: TaskInspector;
  /** Compacts now; says what came of it. */
  readonly compact: () => Promise<string>;
  /** Another conversation comes in front: clients of this one are told. */
  readonly openNew: (workingDirectory: string) => Promise<ConversationId>;
  readonly openExisting: (id: ConversationId) => Promise<ConversationId>;
  readonly fork: (id: ConversationId) => Promise<ConversationId>;
  readonly conversations: (query: ConversationQuery) => Promise<ConversationPage>;
  readonly changeDirectory: (path: string) => Promise<string>;
  readonly approvals: () => readonly string[];
  readonly clearApprovals: () => void;
  /** Ends the session's turn, as `quit` does before the front end leaves. */
  readonly stop: () => Promise<void>;
  /** True while a client is attached that shows the review of a correction to somebody. */
  readonly canReview: () => boolean;
  /** Text of help for a topic or command, or of everything. */
  readonly help: (topic: string) => string;
  /** What was left out when the image started. */
  readonly skippedDefinitions: () => readonly Skipped[];
  /** Calls what the session's Lisp offers under a name. Rejects with `lisp-condition`, `cancelled`, `image-ended`. */
  readonly callLisp: (name: string, args: readonly LispJson[]) => Promise<LispAnswer>;
  /** Calls a tool as the person; its text. Rejects with the code of its refusal, `unknown-tool` for one that is not here. */
  readonly callTool: (name: string, args: Readonly<Record<string, unknown>>) => Promise<string>;
};

export type Command = {
  /** Without slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly busy: BusyBehaviour;
  /** Help topic. */
  readonly topic:
    | "session"
    | "conversations"
    | "model"
    | "display"
    | "permissions"
    | "jobs"
    | "input"
    | "papercuts"
    | "extensions"
    | "help";
  readonly summary: string;
  /** Arguments as they are written: `[MODEL]`. */
  readonly arguments: string;
  readonly terminalWithoutArguments?: true;
  /** Its lambda list as a Lisp function, without parentheses; by {@link maxWords} when absent. */
  readonly lambdaList?: string;
  /** Words with spaces are written in quotes. */
  readonly quotes?: true;
  /** Values that the argument may have, for completion. */
  readonly choices?: readonly string[];
  /** Most words behind the name; more are refused. Absent: any text. */
  readonly maxWords?: number;
  /** `input`: the trimmed text behind the name, empty for none. */
  run(input: string, context: CommandContext): Promise<Invocation>;
};

/** An answer of text only. */
export function said(text: string): Invocation {
  return { text };
}
