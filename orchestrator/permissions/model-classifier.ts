/** Judges commands of mode auto with a model: one question, one word, recorded and replayable like every other request. */
import { defaultAgentLimits } from "../contract/agent-limits.ts";
import type { AgentEvent, AgentRunner, ReplayReply, ReplayRequest } from "../contract/agent-thread.ts";
import { AutolithError } from "../contract/failure.ts";
import type { CommandRequest } from "../contract/permissions.ts";
import { completeOnce } from "../model-exchange/single-completion.ts";
import type { ModelChoice } from "../models/model-directory.ts";
import {
  classifiedCommandLimit,
  classifierInstructions,
  classifierQuestion,
  verdictOf,
} from "./classifier-prompt.ts";
import type { Verdict } from "./headless-authority.ts";

/** Answers of a classifier are one word; a model that reasons needs room before it. */
export const answerTokenLimit = 4_096;

export type ModelClassifierParts = {
  readonly runner: AgentRunner;
  readonly choice: ModelChoice;
  /** The job's prompt; never its input. */
  readonly jobPrompt: string;
  readonly replay: (request: ReplayRequest) => Promise<ReplayReply>;
  readonly observe: (event: AgentEvent) => void;
};

/** A classifier for {@link headlessAuthority}. Rejects when the model gives no answer; that denies. */
export function modelClassifier(
  parts: ModelClassifierParts,
): (request: CommandRequest, signal: AbortSignal) => Promise<Verdict> {
  return async (request, signal) => {
    if (request.command.length > classifiedCommandLimit)
      throw new AutolithError(
        "command-too-long",
        `the command has ${request.command.length} characters; at most ${classifiedCommandLimit} can be judged`,
      );
    const response = await completeOnce(
      parts.runner,
      {
        executionId: request.caller.executionId ?? request.caller.conversationId,
        lineage: `${request.caller.position}/${request.callId}`,
        purpose: "classifier",
        source: parts.choice.source,
        model: parts.choice.model,
        reasoningEffort: "low",
        maxOutputTokens: answerTokenLimit,
        instructions: classifierInstructions,
        tools: [],
        items: [{ type: "user-message", text: classifierQuestion(request, parts.jobPrompt) }],
        firstRequestNumber: 1,
        limits: { ...defaultAgentLimits, maxTurns: 1 },
        streamOutput: false,
      },
      { event: parts.observe, replay: parts.replay },
      signal,
    );
    const answer = response.items
      .flatMap((item) => (item.type === "assistant-message" ? [item.text] : []))
      .join(" ");
    return verdictOf(answer);
  };
}
