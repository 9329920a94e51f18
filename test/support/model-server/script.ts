import type { IncomingHttpHeaders } from "node:http";

/** A tool call the scripted model makes. `name` is the function name on the wire. */
export interface ScriptedCall {
  readonly name: string;
  /** A value is sent as its JSON text; a string is sent as it is. */
  readonly arguments: unknown;
  /** Defaults to `call_<request>_<position>`, so that scripts are reproducible. */
  readonly callId?: string;
}

/** Token counters the server reports; `none` leaves usage out altogether. */
export type ScriptedUsage =
  | "none"
  | {
      readonly input: number;
      readonly output: number;
      readonly cached?: number;
      readonly reasoning?: number;
    };

/** What goes wrong with an answer while it streams. */
export type StreamFault =
  /** Ends inside the arguments of the first call: connection closed tidily, reset, or finished with reason length. */
  | { readonly kind: "cut-arguments"; readonly how: "close" | "reset" | "length"; readonly atBrace?: boolean }
  /** Everything arrives except the end marker (finish_reason, response.completed). */
  | { readonly kind: "no-marker" }
  /** Silence, with the connection open: before the head, or after the first `frames` frames. */
  | { readonly kind: "stall"; readonly after: "request" | number }
  /** Chat: chunks with no choices; Responses: completed with no output and no items. */
  | { readonly kind: "empty-choices" }
  /** A frame that is not JSON after the first one. */
  | { readonly kind: "broken-json" }
  /** An HTML page with status 200. */
  | { readonly kind: "html" }
  /** An error object inside the stream after the first `frames` frames. */
  | { readonly kind: "error-event"; readonly code: string; readonly frames: number };

/** One answer of the scripted model. */
export interface ScriptedAnswer {
  readonly kind: "answer";
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly usage?: ScriptedUsage;
  /** Pieces the text and each argument text are sent in (1). */
  readonly pieces?: number;
  /** Wait before the response head, in ms (0). */
  readonly latencyMs?: number;
  /** Wait behind each frame, in ms: how a model writes. All frames go out at once when absent. */
  readonly paceMs?: number;
  readonly fault?: StreamFault;
}

/** An HTTP error instead of an answer. */
export interface ScriptedStatus {
  readonly kind: "status";
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a string as HTML. */
  readonly body?: unknown;
}

/** Frames sent verbatim as SSE data, for servers with habits of their own. */
export interface ScriptedFrames {
  readonly kind: "frames";
  readonly frames: readonly unknown[];
  /** Send `[DONE]` at the end (true). */
  readonly done?: boolean;
}

/** One turn of a script. */
export type ScriptedTurn = ScriptedAnswer | ScriptedStatus | ScriptedFrames;

/** A request as it arrived. */
export interface RecordedRequest {
  /** From 1, over the life of the server. */
  readonly number: number;
  readonly wire: "responses" | "chat";
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** Body as text, for checks of what went over the wire. */
  readonly text: string;
  /** The client's port: equal for requests over one connection. */
  readonly clientPort: number;
  /** Arrival of the request's head, as epoch milliseconds with fractions: comparable between processes. */
  readonly receivedAt: number;
}

/** Answers in order, or by what was asked. A list that runs out answers 500 with code `script_exhausted`. */
export type Script =
  | readonly ScriptedTurn[]
  | ((request: RecordedRequest) => ScriptedTurn | Promise<ScriptedTurn>);

/** An answer of text only. */
export function answer(text: string, more: Omit<ScriptedAnswer, "kind" | "text"> = {}): ScriptedAnswer {
  return { kind: "answer", text, ...more };
}

/** An answer that calls tools. */
export function calls(
  toolCalls: readonly ScriptedCall[],
  more: Omit<ScriptedAnswer, "kind" | "calls"> = {},
): ScriptedAnswer {
  return { kind: "answer", calls: toolCalls, ...more };
}

/** An HTTP error with an OpenAI-shaped body. */
export function status(
  code: number,
  error: { readonly code?: string; readonly type?: string; readonly message?: string } = {},
  headers: Readonly<Record<string, string>> = {},
): ScriptedStatus {
  return {
    kind: "status",
    status: code,
    headers,
    body: { error: { message: "scripted failure", ...error } },
  };
}

/** The argument text of a call. */
export function argumentText(call: ScriptedCall): string {
  return typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
}

/** Text cut into `count` pieces of nearly equal length; never an empty piece, except for empty text. */
export function pieces(text: string, count: number): string[] {
  if (text === "") return [""];
  const size = Math.max(1, Math.ceil(text.length / Math.max(1, count)));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}
