/** Puts the parts of one session together: record, jobs, authority, waiting input, completions. */
import { realpath } from "node:fs/promises";
import { type AutolithError, failureOf } from "../contract/failure.ts";
import { updateTextLimit } from "../contract/session/updates.ts";
import type { PermissionMode } from "../contract/permissions.ts";
import { ConversationHost, type ConversationHostParts } from "../host/conversation-host.ts";
import { papercutScheme, papercutTool } from "../papercuts/papercut-access.ts";
import { judgementText } from "../permissions/headless-authority.ts";
import { modelClassifier } from "../permissions/model-classifier.ts";
import type { Conversation } from "../record/conversation.ts";
import type { ConversationRecord, StoredRecord } from "../record/conversation-record.ts";
import { EventLog } from "./event-log.ts";
import { InputFile } from "./input/input-file.ts";
import type { StoredInputs } from "./input/waiting.ts";
import { PendingInputs } from "./input/pending-inputs.ts";
import { OpenSession } from "./open-session.ts";
import type { SessionHooks } from "./session-parts.ts";
import { PermissionBroker } from "./permissions/permission-broker.ts";
import { sessionAuthority } from "./permissions/session-authority.ts";
import { conversationScheme } from "./catalog/conversation-scheme.ts";
import { reachableModel } from "./settings/model-choice.ts";
import { SessionCore } from "./session-core.ts";
import type { SessionEnvironment } from "./session-environment.ts";
import { selfTools } from "../self/self-tools.ts";
import { skillTools } from "../skills/skill-tools.ts";
import { planTools } from "./session-tools.ts";
import type { SessionSettings } from "./settings/settings-store.ts";
import { CompletionFeed } from "./turns/completion-feed.ts";
import { interruptedJobsText } from "./view/interrupted-jobs-text.ts";
import { sessionRecords } from "./view/session-records.ts";
import { endOfCutTurn, turnEndFields } from "./view/turn-ends.ts";
import { shortened } from "./view/tool-presentation.ts";

export type OpeningParts = {
  readonly environment: SessionEnvironment;
  readonly conversation: Conversation;
  readonly records: readonly StoredRecord[];
  /** What was wrong with the record, for people. */
  readonly problems: readonly string[];
  readonly settings: SessionSettings;
  readonly mode: PermissionMode;
  readonly workingDirectory: string;
  readonly isNew: boolean;
  readonly hooks: SessionHooks;
};

/** Opens the session; the conversation is closed again when that fails. */
export async function openSession(parts: OpeningParts): Promise<OpenSession> {
  try {
    return await assemble(parts);
  } catch (error) {
    await parts.conversation.close();
    throw error;
  }
}

async function assemble(parts: OpeningParts): Promise<OpenSession> {
  const { environment, conversation, records, settings, hooks } = parts;
  const workingDirectory = await realpath(parts.workingDirectory).catch(() => parts.workingDirectory);
  takeConfiguration(parts);
  // The host's tools and authority speak of the session, which is made of the host: known when anything is called.
  let session: OpenSession | undefined;
  let core: SessionCore | undefined;
  const events = new EventLog(environment.now);
  const broker = new PermissionBroker({
    canAsk: () => session?.canAsk === true,
    emit: (event) => events.append(event),
    callWaits: (callId, waits) => core?.callWaits(callId, waits),
    now: environment.now,
  });
  const authority = sessionAuthority({
    mode: () => core?.mode ?? parts.mode,
    workspace: () => core?.workingDirectory ?? workingDirectory,
    epoch: () => session?.runningEpoch ?? null,
    broker,
    rules: environment.permissionRules,
    warn: (warning) => core?.notice("warning", "permission", warning),
    sandboxProblem: environment.sandboxProblem,
    searchPath: environment.searchPath,
    classify: (request, signal) =>
      modelClassifier({
        runner: environment.runner,
        choice: environment.models.reach(settings.text("model")),
        jobPrompt: latestPrompts(core),
        replay: environment.replay,
        observe: environment.observeAgent,
      })(request, signal),
    judged: (judgement) =>
      core?.notice("info", "permission", `Permission mode auto: ${judgementText(judgement)}`),
  });
  const hostParts: ConversationHostParts = {
    dataRoot: environment.dataRoot,
    runner: environment.runner,
    worktrees: environment.worktrees,
    mail: environment.mail,
    lisp: environment.lisp,
    evaluateForm: (job) => opened(session).evaluateForm(job),
    activeImage: () => session?.activeImage(),
    executableSkill: (name) => opened(core).skills.executable(name),
    schemes: (mayInspect) => [
      ...environment.schemes(mayInspect),
      conversationScheme({ dataRoot: environment.dataRoot, current: conversation.id }),
      papercutScheme(environment.papercuts),
    ],
    machineTools: [
      ...environment.machineTools,
      papercutTool(environment.papercuts),
      ...skillTools(() => core?.skills),
      ...selfTools({ self: () => session?.self, ...environment.initialization }),
      ...planTools({
        plan: () => core?.plan ?? [],
        replace: async (entries, explanation) => {
          await core?.note(sessionRecords.plan, {
            entries,
            ...(explanation === undefined ? {} : { explanation }),
          });
        },
      }),
    ],
    roles: () => environment.roles(core?.workingDirectory ?? workingDirectory),
    models: environment.models,
    authority,
    permissionNote: () => environment.permissionNote(core?.mode ?? parts.mode),
    primaryModel: () => settings.text("model"),
    withoutSecrets: environment.withoutSecrets,
    maxDepth: environment.maxDepth,
    childTimeoutMs: environment.childTimeoutMs,
    spawnLimits: environment.spawnLimits,
    hurryUp: () => settings.boolean("hurry-up-p"),
    replay: environment.replay,
    announce: (announcement) => {
      const { job } = announcement;
      core?.emit({ kind: "job", jobId: job.executionId, name: job.name, state: job.life.state });
      if (announcement.kind === "settled") session?.jobSettled(announcement);
    },
    observe: (observation) => {
      if (observation.kind === "agent-event") environment.observeAgent(observation.event);
    },
    handedOver: environment.handedOver,
    replied: ({ job, promptIds, text }) => {
      core
        ?.note(sessionRecords.childReply, {
          job: job.name,
          text: shortened(text, updateTextLimit),
          prompts: promptIds,
        })
        .catch((error: unknown) => environment.report(failureOf(error)));
    },
    report: environment.report,
    now: environment.now,
  };
  const host = await ConversationHost.open(hostParts, environment.jobs.supervisor, conversation, records);
  environment.jobs.add(host);
  const completions = new CompletionFeed(host, environment.handedOver, environment.now);
  core = new SessionCore(
    {
      environment,
      host,
      records,
      settings,
      broker,
      events,
      mode: parts.mode,
      workingDirectory,
      interrupted: parts.isNew ? undefined : host.inventory.interrupted.map(({ name }) => name),
    },
    completions,
  );
  const file = new InputFile(environment.stateRoot, conversation.id);
  const stored = withoutDelivered(await file.read(), records);
  core.pending = new PendingInputs(file, stored, () => session?.pendingChanged());
  for (const problem of parts.problems) core.openingNotice("record-repaired", problem);
  const died = host.inventory.interrupted.map(({ name }) => name);
  if (!parts.isNew && died.length > 0) core.openingNotice("interrupted-jobs", interruptedJobsText(died));
  session = new OpenSession(core, authority, hooks);
  if (!parts.isNew) {
    await completions.adopt(records);
    const end = endOfCutTurn(records);
    if (end !== undefined) await core.note(sessionRecords.turnEnd, turnEndFields(end));
    await session.takenOver();
  }
  await environment.jobs.supervisor.resume(conversation.id);
  await initialized(session, parts);
  return session;
}

/** Loads initialization; a session that cannot be initialized is closed again. */
async function initialized(session: OpenSession, parts: OpeningParts): Promise<void> {
  try {
    await session.begin();
  } catch (error) {
    await session.close("closed");
    await session.release();
    throw error;
  }
  // Its provider may be one that initialization has registered.
  takeConfiguration(parts);
}

/** The conversation's own model and effort go before the saved ones, when they can still be reached. */
function takeConfiguration({ records, settings, conversation, environment, isNew }: OpeningParts): void {
  if (isNew) return;
  const last = records.findLast(({ record }) => record.kind === "configuration")?.record as
    | Extract<ConversationRecord, { kind: "configuration" }>
    | undefined;
  const { model, reasoningEffort } = last ?? conversation.header;
  if (settings.row("model").source === "explicit") return;
  try {
    reachableModel(environment, model);
    settings.choose("model", model);
    settings.choose("reasoning-effort", reasoningEffort);
  } catch (error) {
    // A model that is not there any more is dropped; the saved one answers.
    environment.report({
      code: (error as AutolithError).code,
      message: `The conversation's model ${model} cannot be used: ${(error as AutolithError).message}`,
      retry: "terminal",
    });
  }
}

/** What waits without what is in the conversation already: its removal from the file was lost. */
function withoutDelivered(stored: StoredInputs, records: readonly StoredRecord[]): StoredInputs {
  const receipts = new Set(
    records.flatMap(({ record }) => (record.kind === "message" ? (record.pendingInputIdentifier ?? []) : [])),
  );
  return {
    vault: stored.vault,
    steering: stored.steering.filter(({ inputId }) => !receipts.has(inputId)),
    queued: stored.queued.filter(({ inputId }) => !receipts.has(inputId)),
  };
}

/** Prompts that the classifier of mode auto judges by: the latest ones, newest last. */
const classifierPrompts = 4;

function latestPrompts(core: SessionCore | undefined): string {
  const prompts = (core?.log.records ?? []).flatMap(({ record }) =>
    record.kind === "message" && record.automatic !== true ? [record.content] : [],
  );
  return prompts.slice(-classifierPrompts).join("\n\n").slice(-32_768).toWellFormed();
}

/** Jobs of a conversation begin, and tools are called, when its session is there. */
function opened<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new TypeError("a form began before its session was opened");
  return part;
}
