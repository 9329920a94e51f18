/** What a child is told at its boundaries, and when its run is over: submission, steering, completions, the reminder to submit. */
import type { ExecutionId } from "../contract/identifiers.ts";
import type { Continuation, TurnEnd } from "./agent-host.ts";
import type { PromptReplies } from "./prompt-replies.ts";
import type { SteeringMailbox, SteeringMessage } from "./steering.ts";
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
  readonly mail: MailSource;
  /** Wraps a steering message for the model. */
  readonly steeringText: (message: SteeringMessage) => string;
  readonly replies: PromptReplies;
  /** Aborted when the child is cancelled. */
  readonly signal: AbortSignal;
};

/** Mail that comes by itself, under grants with context. */
export type MailSource = {
  /** True while some waits. */
  waits(): boolean;
  /** Resolves when some waits, or on abort. */
  arrival(signal: AbortSignal): Promise<void>;
  /** Puts what waits into the record and acknowledges it; answers the texts. */
  deliver(transcript: AgentTranscript): Promise<readonly string[]>;
};

/** Completions of the agent's own detached jobs. */
export type CompletionSource = {
  /** Completions that are ready, at most one boundary's worth. */
  ready(): readonly { readonly text: string; readonly executionId: ExecutionId }[];
  /** The first `count` ready ones are in the durable record. */
  delivered(count: number): Promise<void>;
  /** True while detached jobs run whose completion continues this agent. */
  awaiting(): boolean;
  /** Resolves when completions are ready or a message waits, or on abort. The agent's slot is lent meanwhile. */
  arrival(signal: AbortSignal, steering: Pick<SteeringMailbox, "arrival" | "pendingCount">): Promise<void>;
};

type Message = { readonly text: string; readonly options: UserMessageOptions };

/** The policy of one child run. Steering and completions are in the record before they are acknowledged. */
export function childBoundary(parts: ChildBoundaryParts): (turn: TurnEnd) => Promise<Continuation> {
  const { transcript, steering, yielding, completions, mail, replies, signal } = parts;
  let reminders = 0;
  return async ({ calledTools, settled }) => {
    yielding.observe(settled);
    if (yielding.accepted !== undefined || yielding.givenUp !== undefined) return "finish";
    const idle =
      !calledTools && steering.pendingCount === 0 && completions.ready().length === 0 && !mail.waits();
    if (idle && completions.awaiting()) await completions.arrival(signal, messagesOf(steering, mail));
    const waiting = await steering.read(signal);
    const ready = completions.ready();
    const messages: Message[] = [
      ...waiting.map((message) => ({
        text: parts.steeringText(message),
        options: { automatic: message.from === "parent", inputId: message.id },
      })),
      ...ready.map(({ text, executionId }) => ({ text, options: { completionOf: executionId } })),
    ];
    const letters = await mail.deliver(transcript);
    const mayRemind = replies.answeredNow || reminders < yieldReminderLimit;
    if (messages.length + letters.length === 0 && !calledTools && !signal.aborted && mayRemind) {
      // An answer to a person is no attempt to end.
      if (!replies.answeredNow) reminders += 1;
      messages.push({ text: yieldReminder, options: {} });
    }
    for (const { text, options } of messages)
      await transcript.userMessage(text, { automatic: true, ...options });
    steering.acknowledge(waiting);
    replies.read(waiting.filter(({ from }) => from === "person").map(({ id }) => id));
    await completions.delivered(ready.length);
    return [...letters, ...messages.map(({ text }) => text)].map((text) => ({ type: "user-message", text }));
  };
}

/** What ends a wait for completions: a message of the parent, of a person or of a peer. */
function messagesOf(
  steering: SteeringMailbox,
  mail: MailSource,
): Pick<SteeringMailbox, "arrival" | "pendingCount"> {
  return {
    get pendingCount() {
      return steering.pendingCount + (mail.waits() ? 1 : 0);
    },
    arrival: async (signal) => {
      const enough = new AbortController();
      const either = AbortSignal.any([signal, enough.signal]);
      await Promise.race([steering.arrival(either), mail.arrival(either)]);
      enough.abort();
    },
  };
}
