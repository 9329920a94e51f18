/** The durable record of one agent's conversation, as the agent's host side needs it. */
import type { ExecutionId } from "../contract/identifiers.ts";
import type { ModelFailure } from "../contract/model-failure.ts";
import type { AssistantItem, ModelImage, ModelItem, ModelUsage } from "../contract/model.ts";
import type { SettledCall } from "../tools/dispatcher.ts";

/** One failed attempt of a model request, as it is kept beside the request's number. */
export type FailedAttemptRecord = {
  readonly requestNumber: number;
  /** From 1 within the request. */
  readonly attempt: number;
  readonly elapsedMs: number;
  readonly failure: ModelFailure;
};

/** What a user message carries besides its text. */
export type UserMessageOptions = {
  /** Nobody typed it. */
  readonly automatic?: boolean;
  /** Receipt of the accepted input that it delivers. */
  readonly inputId?: string;
  /** Receipt of the job completion that it delivers. */
  readonly completionOf?: ExecutionId;
  readonly images?: readonly ModelImage[];
};

/** Every method resolves when the records survive the death of this process. */
export interface AgentTranscript {
  userMessage(text: string, options?: UserMessageOptions): Promise<void>;
  /** One response of the model: its items in wire order and what it cost. */
  response(
    items: readonly AssistantItem[],
    usage: ModelUsage,
    request: { readonly requestNumber: number; readonly responseId: string | undefined },
  ): Promise<void>;
  /** A failed attempt: its count, time, whether output was received, and the provider's identifiers. */
  failedAttempt(failed: FailedAttemptRecord): Promise<void>;
  toolResults(settled: readonly SettledCall[]): Promise<void>;
  /** A record beside the conversation that the model is not sent: a name and text fields. */
  note(name: string, fields: Readonly<Record<string, string>>): Promise<void>;
  /** The conversation for the next request: every call has exactly one result. */
  history(): Promise<readonly ModelItem[]>;
  /** Releases the writer's lock. */
  close(): Promise<void>;
}
