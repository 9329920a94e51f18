/** Bounds of work: jobs, agents, tools, permissions. */
import { papercutContentLimit, papercutTitleLimit } from "../../papercuts/papercut.ts";
import { papercutLimit } from "../../papercuts/papercut-store.ts";
import { defaultOverflowLimits } from "../../record/overflow-retention.ts";
import { errorLimit } from "../../agents/agent-result.ts";
import { outstandingPromptLimit } from "../../agents/prompt-replies.ts";
import { threadLossLimit } from "../../agents/run-agent.ts";
import {
  steeringMessageCharacters,
  steeringMessageLimit,
  steeringTotalCharacters,
} from "../../agents/steering.ts";
import { labelLimit, repeatedRejectionLimit } from "../../agents/yield.ts";
import { continuityPageLimit, safetyLimit } from "../../continuity/index.ts";
import { defaultAgentLimits, outputEventCharacterLimit } from "../../contract/agent-limits.ts";
import { modelFailureMessageLimit } from "../../contract/model-failure.ts";
import {
  inputCharacterLimit,
  inputImageByteLimit,
  inputImageLimit,
  pendingCharacterLimit,
  pendingInputLimit,
} from "../../contract/session/input.ts";
import { updateTextLimit } from "../../contract/session/updates.ts";
import { blockingGraceMs } from "../../host/work-tools.ts";
import { taskPage, transcriptOffsetLimit, transcriptWindow } from "../../inspection/index.ts";
import { liveJobLimit, settledJobRetention, unresolvedCompletionLimit } from "../../jobs/job-table.ts";
import { completionHistoryLimit } from "../../tasks/completion-files.ts";
import { inlineResultLimit } from "../../jobs/journal-records.ts";
import { requestedNameLimit } from "../../jobs/names.ts";
import { hurryUpAdmissions } from "../../jobs/spawn-budget.ts";
import { toolArgumentDepth } from "../../model-exchange/tool-arguments.ts";
import { wireNameLimit } from "../../model-exchange/wire-names.ts";
import { peerIdLimit } from "../../peers/endpoint.ts";
import { grantLimit, mailboxLimit, messageLimit, rememberedGrantLimit } from "../../peers/peer-decisions.ts";
import { peerJournalLimitBytes } from "../../peers/peer-journal.ts";
import { peerTextLimit } from "../../peers/peer-records.ts";
import { mailPerBoundary } from "../../peers/peer-service.ts";
import { peerOffsetLimit, peerPageLimit, peerWaitLimitSeconds } from "../../peers/peer-tools.ts";
import { classifiedCommandLimit } from "../../permissions/classifier-prompt.ts";
import { chainLimit, depthLimit } from "../../permissions/command-chain.ts";
import { answerTokenLimit } from "../../permissions/model-classifier.ts";
import { overflowMaxBytes } from "../../record/overflow-store.ts";
import { windowLimitBytes } from "../../resources/context-scheme.ts";
import { uriLimit } from "../../resources/resource-scheme.ts";
import { operationLimit, resourceResultLimit } from "../../resources/resource-tools.ts";
import { completionWindowMs, completionsPerBoundary, summaryLimit } from "../../tasks/completions.ts";
import { waitLimitSeconds } from "../../tasks/job-tools.ts";
import { reportLimit } from "../../tasks/report-form.ts";
import { batchLimit } from "../../tasks/task-arguments.ts";
import { toolResultLimit } from "../../tools/dispatcher.ts";
import { toolNameLimit } from "../../tools/registry.ts";
import { registryLimit } from "../../worktrees/worktree-registry.ts";
import { artifactPathLimit, patchLimitBytes } from "../../worktrees/worktree.ts";
import { boundFrom, jobBounds, jobLimits } from "../job-limits.ts";
import { evaluationLimits } from "./evaluation-limits.ts";
import { type Limit, type LimitUnit, topicLimits } from "./limit.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Bounds that the environment changes, with the values in force. */
function changeableLimits(environment: Environment): Readonly<Record<"jobs" | "models", readonly Limit[]>> {
  const { concurrency, maxDepth, childTimeoutMs, spawn, output, modelRequests } = jobLimits(environment);
  const limit = (
    name: string,
    value: number,
    unit: LimitUnit,
    bound: (typeof jobBounds)[keyof typeof jobBounds],
    topic: "jobs" | "models" = "jobs",
  ): Limit => ({
    topic,
    name,
    value,
    unit,
    source: boundFrom(environment, bound) === undefined ? "default" : bound.variable,
    change: `${bound.variable}, ${bound.minimum} to ${bound.maximum}`,
  });
  return {
    jobs: [
      limit("children at once", concurrency.children, "items", jobBounds.children),
      limit("executions at once", concurrency.executions, "items", jobBounds.executions),
      limit("depth of children", maxDepth, "levels", jobBounds.depth),
      limit("children of one conversation", spawn.total, "items", jobBounds.spawnTotal),
      limit("children started within a minute", spawn.perMinute, "items", jobBounds.spawnRate),
      limit("output kept of a child", output.bytes, "bytes", jobBounds.outputBytes),
      limit("lines kept of a child's output", output.lines, "items", jobBounds.outputLines),
      limit("time of a child (0: none)", childTimeoutMs ?? 0, "milliseconds", jobBounds.childRuntimeMs),
    ],
    models: [
      limit("requests to a provider at once", modelRequests, "items", jobBounds.modelRequests, "models"),
    ],
  };
}

const fixedJobLimits = topicLimits("jobs", [
  ["live jobs of a kind", liveJobLimit, "items"],
  ["tasks of one call", batchLimit, "items"],
  ["children started in hurry-up mode", hurryUpAdmissions, "items"],
  ["one wait for a job", waitLimitSeconds, "seconds"],
  ["blocking call before it is handed off", blockingGraceMs, "milliseconds"],
  ["requested name", requestedNameLimit, "characters"],
  ["lost threads before an agent is given up", threadLossLimit, "items"],
  ["result inside the journal", inlineResultLimit, "characters"],
  ["error of a child", errorLimit, "characters"],
  ["patch of a worktree artifact, and list of paths of git", patchLimitBytes, "bytes"],
  ["paths of a worktree artifact", artifactPathLimit, "items"],
  ["registered worktrees", registryLimit, "items"],
  ["label of a result", labelLimit, "characters"],
  ["completion summary", summaryLimit, "characters"],
  ["unread completions of one conversation", unresolvedCompletionLimit, "items"],
  ["completions that its file remembers", completionHistoryLimit, "items"],
  ["completions in one boundary", completionsPerBoundary, "items"],
  ["window in which completions are joined", completionWindowMs, "milliseconds"],
  ["ended jobs of one class that job.list shows", settledJobRetention, "items"],
  ["job report", reportLimit, "characters"],
  ["tasks of one page", taskPage.most, "items"],
  ["window of a transcript", transcriptWindow.most, "characters"],
  ["offset into a transcript", transcriptOffsetLimit, "characters"],
  ["safety rationale of a restart", safetyLimit, "characters"],
  ["retained jobs of one page", continuityPageLimit, "items"],
  ["waiting steering messages", steeringMessageLimit, "items"],
  ["one steering message", steeringMessageCharacters, "characters"],
  ["unanswered prompts to children", outstandingPromptLimit, "items"],
  ["waiting steering messages together", steeringTotalCharacters, "characters"],
]);

const modelLimits = topicLimits("models", [
  ["responses of one run", defaultAgentLimits.maxTurns, "items"],
  ["identical refused submissions in a row", repeatedRejectionLimit, "items"],
  ["retries before output", defaultAgentLimits.retriesBeforeGeneration, "items"],
  ["retries after output", defaultAgentLimits.retriesAfterOutput, "items"],
  ["wait for a response", defaultAgentLimits.responseHeadTimeoutMs, "milliseconds"],
  ["silence inside a stream", defaultAgentLimits.streamIdleTimeoutMs, "milliseconds"],
  ["one response", defaultAgentLimits.maxResponseBytes, "bytes"],
  ["wait between attempts that a server may ask for", defaultAgentLimits.maxRetryAfterMs, "milliseconds"],
  ["first backoff", defaultAgentLimits.baseBackoffMs, "milliseconds"],
  ["longest backoff", defaultAgentLimits.maxBackoffMs, "milliseconds"],
  ["failure message", modelFailureMessageLimit, "characters"],
  ["text of one output event", outputEventCharacterLimit, "characters"],
]);

const toolLimits = topicLimits("tools", [
  ["result that a model sees", toolResultLimit, "characters"],
  ["resource that a model sees", resourceResultLimit, "characters"],
  ["text kept for later reading", overflowMaxBytes, "bytes"],
  ["kept texts together", defaultOverflowLimits.totalBytes, "bytes"],
  ["kept texts", defaultOverflowLimits.texts, "items"],
  ["age of a kept text that nobody uses", defaultOverflowLimits.ageMs, "milliseconds"],
  ["window of a kept text", windowLimitBytes, "bytes"],
  ["nesting of arguments", toolArgumentDepth, "levels"],
  ["operations of one edit", operationLimit, "items"],
  ["URI", uriLimit, "characters"],
  ["name", toolNameLimit, "characters"],
  ["name on the wire", wireNameLimit, "characters"],
]);

const permissionLimits = topicLimits("permissions", [
  ["commands of one chain", chainLimit, "items"],
  ["nesting of a chain", depthLimit, "levels"],
  ["command shown to the classifier", classifiedCommandLimit, "characters"],
  ["answer of the classifier", answerTokenLimit, "tokens"],
]);

const papercutLimits = topicLimits("papercuts", [
  ["papercuts", papercutLimit, "items"],
  ["title", papercutTitleLimit, "characters"],
  ["content", papercutContentLimit, "characters"],
]);

const mailLimits = topicLimits("mail", [
  ["text of a message", peerTextLimit, "characters"],
  ["id of a message or grant", peerIdLimit, "characters"],
  ["unsettled messages of one receiver", mailboxLimit, "items"],
  ["messages of a session", messageLimit, "items"],
  ["active grants of a session", grantLimit, "items"],
  ["remembered grants of a session", rememberedGrantLimit, "items"],
  ["messages handed over at one boundary", mailPerBoundary, "items"],
  ["messages of one page", peerPageLimit, "items"],
  ["offset of a page", peerOffsetLimit, "items"],
  ["one wait", peerWaitLimitSeconds, "seconds"],
  ["journal of a session's mail", peerJournalLimitBytes, "bytes"],
]);

const inputLimits = topicLimits("input", [
  ["one input", inputCharacterLimit, "characters"],
  ["images of one input", inputImageLimit, "items"],
  ["one image", inputImageByteLimit, "bytes"],
  ["waiting inputs", pendingInputLimit, "items"],
  ["waiting inputs together", pendingCharacterLimit, "characters"],
  ["text of one update", updateTextLimit, "characters"],
]);

/** The bounds in force under `environment`. */
export function workLimits(environment: Environment): readonly Limit[] {
  const { jobs, models } = changeableLimits(environment);
  return [
    ...jobs,
    ...fixedJobLimits,
    ...models,
    ...modelLimits,
    ...toolLimits,
    ...evaluationLimits,
    ...permissionLimits,
    ...inputLimits,
    ...papercutLimits,
    ...mailLimits,
  ];
}
