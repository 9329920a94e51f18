/** What a child is told at its boundaries, and when its run is over: submission, steering, completions, the reminder to submit. */
import type { ExecutionId } from "../contract/identifiers.ts";
import type { Continuation, TurnEnd } from "./agent-host.ts";
import type { SteeringMailbox } from "./steering.ts";
import type { AgentTranscript, UserMessageOptions } from "./transcript.ts";
import type { YieldState } from "./yield.ts";

/** Said to a child whose turn ended without a tool call and without a submission; once, then the run ends as failed. */
export const yieldReminder =
  "You ended your turn without calling yield.submit. Finish now with one yield.submit call: status success with your result, or failed with error.";

/** Reminders a child gets before it counts as stopped without a submission. */
const yieldReminderLimit = 1;

export type ChildBoundaryParts = {
  readonly transcript: AgentTranscript;
  readonly steering: SteeringMailbox;
  readonly yielding: YieldState;
  /** Detached jobs of this agent, and the text of each completion that is ready. */
  readonly completions: CompletionSource;
  /** Wraps a steering message for the model. */
  readonly steeringText: (message: string) => string;
  /** Aborted when the child is cancelled. */
  readonly signal: AbortSignal;
};

/** Completions of the agent's own detached jobs. */
export type CompletionSource = {
  /** Completions that are ready, at most one boundary's worth. */
  ready(): readonly { readonly text: string; readonly executionId: ExecutionId }[];
  /** The first `count` ready ones are in the durable record. */
  delivered(count: number): Promise<void>;
  /** True while detached jobs run whose completion continues this agent. */
  awaiting(): boolean;
  /** Resolves when completions are ready, or on abort. The agent's slot is lent meanwhile. */
  arrival(signal: AbortSignal): Promise<void>;
};

type Message = { readonly text: string; readonly options: UserMessageOptions };

/** The policy of one child run. Steering and completions are in the record before they are acknowledged. */
export function childBoundary(parts: ChildBoundaryParts): (turn: TurnEnd) => Promise<Continuation> {
  const { transcript, steering, yielding, completions, signal } = parts;
  let reminders = 0;
  return async ({ calledTools, settled }) => {
    yielding.observe(settled);
    if (yielding.accepted !== undefined || yielding.givenUp !== undefined) return "finish";
    const idle = !calledTools && steering.pendingCount === 0 && completions.ready().length === 0;
    if (idle && completions.awaiting()) await completions.arrival(signal);
    const waiting = steering.peek();
    const ready = completions.ready();
    const messages: Message[] = [
      ...waiting.map((message) => ({ text: parts.steeringText(message), options: {} })),
      ...ready.map(({ text, executionId }) => ({ text, options: { completionOf: executionId } })),
    ];
    if (messages.length === 0 && !calledTools && !signal.aborted && reminders < yieldReminderLimit) {
      reminders += 1;
      messages.push({ text: yieldReminder, options: {} });
    }
    for (const { text, options } of messages)
      await transcript.userMessage(text, { automatic: true, ...options });
    steering.acknowledge(waiting.length);
    await completions.delivered(ready.length);
    return messages.map(({ text }) => ({ type: "user-message", text }));
  };
}
