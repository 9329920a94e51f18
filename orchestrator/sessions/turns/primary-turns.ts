/** What happens within one turn: the primary's requests, its boundaries, and what they deliver. When turns begin and end is the engine's. */
import { setImmediate } from "node:timers/promises";
import type { TurnEnd } from "../../agents/agent-host.ts";
import { defaultAgentLimits } from "../../contract/agent-limits.ts";
import type { AdviceEntry, AgentOutcome, AgentSpec, Boundary } from "../../contract/agent-thread.ts";
import type { ToolCaller } from "../../contract/caller.ts";
import type { HostItem, ReasoningEffort } from "../../contract/model.ts";
import type { Authority } from "../../contract/permissions.ts";
import type { PromptOutcome } from "../../contract/session/service.ts";
import { recordedAudit } from "../../tools/nested-calls.ts";
import { type ToolRegistry, toolSchemaOf } from "../../tools/registry.ts";
import type { SessionCore } from "../session-core.ts";
import type { StoredRecord } from "../../record/conversation-record.ts";
import { sessionRecords } from "../view/session-records.ts";
import type { Compactor } from "./compactor.ts";
import { runPrimary } from "./primary-agent.ts";
import { jobReferences } from "./compaction.ts";
import { failedExchanges } from "./precompaction.ts";
import { primaryInstructions, resumeNotice } from "./primary-instructions.ts";
import { TurnView } from "./turn-view.ts";
import { estimatedTokens } from "./usage-meter.ts";

type UserMessage = Extract<HostItem, { type: "user-message" }>;

export type PrimaryTurnsParts = {
  readonly core: SessionCore;
  readonly authority: Authority;
  readonly compactor: Compactor;
  readonly tools: ToolRegistry;
  /** Does what was put off to a boundary; true when the next request must be made anew. */
  readonly applyScheduled: () => Promise<boolean>;
};

export class PrimaryTurns {
  readonly #parts: PrimaryTurnsParts;
  readonly #core: SessionCore;
  readonly #view: TurnView;
  #resumeTurn = false;
  #toolCharacters: number | undefined;
  /** True when the next request finds no prompt cache: failed exchanges of earlier turns may go. */
  #cacheIsCold = true;

  constructor(parts: PrimaryTurnsParts) {
    this.#parts = parts;
    this.#core = parts.core;
    this.#view = new TurnView(parts.core);
  }

  /** The prompt cache helps nobody any more. */
  resetCache(): void {
    this.#view.resetCache();
    this.#cacheIsCold = true;
  }

  /** Told when a turn is over. */
  ended(): void {
    this.#resumeTurn = false;
  }

  /** Runs one turn whose input is in the record. Rejects for failures of the host, and when no request can be made. */
  async run(signal: AbortSignal): Promise<Pick<PromptOutcome, "outcome" | "failure">> {
    const { transcript, completions, environment } = this.#core;
    this.#resumeTurn = this.#core.interrupted !== undefined;
    this.#core.skills.turnBegan();
    this.#core.advice.turnBegan(latestUserText(this.#core.log.records));
    if (this.#resumeTurn) this.#core.trace.happened("resumed");
    if (this.#resumeTurn) this.resetCache();
    await completions.deliver(transcript);
    await this.#core.host.mail.deliver(undefined, transcript);
    const outcome = await runPrimary(
      {
        runner: environment.runner,
        transcript,
        dispatch: () => ({
          registry: this.#parts.tools,
          journal: this.#core.host.journal,
          overflow: this.#core.host.overflow,
          withoutSecrets: environment.withoutSecrets,
          now: environment.now,
          audit: recordedAudit((name, fields) => transcript.note(name, fields)),
          observer: {
            started: (call) => this.#view.callStarted(call.callId),
            finished: (settled) => {
              this.#view.callFinished(settled);
              this.#core.trace.called(
                settled.call,
                this.#core.workingDirectory,
                settled.result.status === "ok",
              );
            },
          },
        }),
        context: (abort) => ({
          caller: this.#caller(),
          workspace: this.#core.workingDirectory,
          authority: this.#parts.authority,
          signal: abort,
        }),
        observe: (event) => this.#view.observe(event),
        replay: environment.replay,
        spec: () => this.#spec(),
        prepare: (abort) => this.#prepare(abort),
        advice: async (itemCount) => [...(await this.#core.advice.next(itemCount)), ...this.#jobReferences()],
        responded: ({ items }) => this.#remember(items),
        boundary: (turn) => this.#boundary(turn, signal),
      },
      signal,
    );
    this.#core.interrupted = undefined;
    return turnEnd(outcome, signal);
  }

  /** Jobs as they stand, with each request whose history was compacted: a summary knows them only as they stood. */
  #jobReferences(): readonly AdviceEntry[] {
    const form = this.#core.isCompacted ? jobReferences(this.#core.host.jobs()) : undefined;
    if (form === undefined) return [];
    return [
      {
        text: `Jobs of this conversation at this moment, from the host's records (job.get, job.wait, job.continuity tell more); not a message of the person:\n${form}`,
      },
    ];
  }

  #caller(): ToolCaller {
    const { id } = this.#core;
    return {
      kind: "primary",
      conversationId: id,
      rootConversationId: id,
      executionId: undefined,
      lineage: [],
      position: "primary",
      jobName: "primary",
      depth: 0,
      role: "primary",
    };
  }

  #spec(): Omit<AgentSpec, "items"> {
    const { environment, settings, host } = this.#core;
    const choice = environment.models.reach(this.#core.model);
    return {
      executionId: host.id,
      lineage: "primary",
      purpose: "agent",
      source: choice.source,
      model: choice.model,
      reasoningEffort: settings.text("reasoning-effort") as ReasoningEffort,
      promptCacheKey: host.id,
      streamOutput: true,
      instructions: this.#instructions(),
      tools: [...this.#parts.tools.schemas()],
      limits: defaultAgentLimits,
      firstRequestNumber: this.#core.lastRequest + 1,
    };
  }

  #instructions(): string {
    const { settings, environment, workingDirectory, mode } = this.#core;
    return primaryInstructions({
      workspace: workingDirectory,
      platform: process.platform,
      permissionNote: environment.permissionNote(mode),
      hurryUp: settings.boolean("hurry-up-p"),
      relax: settings.boolean("relax-p"),
      simpleEnglish: settings.boolean("simple-technical-english-p"),
      resumeNotice: this.#resumeTurn ? resumeNotice(this.#core.interrupted ?? []) : undefined,
    });
  }

  async #prepare(signal: AbortSignal): Promise<void> {
    this.#pruneWhenCold();
    const compacted = await this.#parts.compactor.compactWhenFull(
      { instructions: this.#instructions(), toolCharacters: this.#countTools() },
      signal,
    );
    if (compacted) this.#view.resetCache();
  }

  /** Mechanical precompaction, where it costs no cached prefix. */
  #pruneWhenCold(): void {
    const core = this.#core;
    const expired = core.cacheExpiresAt !== undefined && core.environment.now() >= core.cacheExpiresAt;
    if (!this.#cacheIsCold && !expired) return;
    this.#cacheIsCold = false;
    const failed = failedExchanges(core.log.records);
    if (failed.size > core.prunedCalls.size)
      core.notice(
        "info",
        "precompaction",
        `${failed.size} failed tool call(s) of earlier turns are left out of what the model is sent; the record keeps them.`,
      );
    core.prunedCalls = failed;
  }

  /** The model ended its turn without a word while jobs run that will call it again: people are told how many. */
  async #yielded(): Promise<void> {
    const jobs = this.#core.wakingJobs();
    if (jobs > 0 && endsWithoutText(this.#core.log.records))
      await this.#core.note(sessionRecords.yield, { jobs });
  }

  /** What the model wrote, for the notes of the requests that follow. */
  #remember(items: Boundary["items"]): void {
    for (const item of items) {
      if (item.type === "assistant-message") this.#core.trace.wrote(item.text);
      if (item.type === "tool-call") this.#core.trace.wrote(item.arguments);
    }
  }

  /** A safe boundary: everything so far is in the record and no tool runs. */
  async #boundary(
    { calledTools, usage }: TurnEnd,
    signal: AbortSignal,
  ): ReturnType<Parameters<typeof runPrimary>[0]["boundary"]> {
    this.#countTools();
    this.#view.answered(usage, () => this.estimatedContext() ?? 0);
    const anew = await this.#parts.applyScheduled();
    if (signal.aborted) return "finish";
    const forms = () => this.#core.forms.deliver(this.#core.transcript);
    const messages = [
      ...(calledTools ? await forms() : []),
      ...(await this.#deliverSteering()),
      ...(await this.#core.completions.deliver(this.#core.transcript)),
      ...(await this.#deliverMail()),
    ];
    if (!calledTools && messages.length === 0) {
      await this.#yielded();
      return "finish";
    }
    // Forms make no request by themselves; they come along with one that is made.
    messages.push(...(await forms()));
    return anew || this.#parts.compactor.isFull() ? "restart" : messages;
  }

  async #deliverMail(): Promise<readonly UserMessage[]> {
    const texts = await this.#core.host.mail.deliver(undefined, this.#core.transcript);
    return texts.map((text) => ({ type: "user-message", text }));
  }

  async #deliverSteering(): Promise<readonly UserMessage[]> {
    const waiting = this.#core.pending.steering;
    const messages: UserMessage[] = [];
    for (const { text, inputId, images } of waiting) {
      await this.#core.transcript.userMessage(text, { inputId, images });
      this.#core.trace.said(text);
      this.#core.trace.happened("steering");
      messages.push({
        type: "user-message",
        text: text || "(image)",
        ...(images.length === 0 ? {} : { images: [...images] }),
      });
    }
    await this.#core.pending.delivered(waiting);
    return messages;
  }

  /**
   * The context in tokens by its characters, for what nobody has counted. Null until the tools' schemas have been made once: making them all
   * at a time would hold up everything else.
   */
  estimatedContext(): number | null {
    if (this.#toolCharacters === undefined) return null;
    return estimatedTokens({
      instructions: this.#instructions(),
      toolCharacters: this.#toolCharacters,
      items: this.#core.modelHistory().items,
    });
  }

  /** Makes the schemas of the tools, one after the other with everything else between; the first turn and the estimate then find them. */
  async prepareTools(): Promise<void> {
    const { tools } = this.#parts;
    for (const name of tools.names()) {
      const tool = tools.get(name);
      if (tool !== undefined) toolSchemaOf(tool);
      await setImmediate();
    }
    this.#countTools();
    this.#core.emit({ kind: "state" });
  }

  #countTools(): number {
    this.#toolCharacters ??= JSON.stringify(this.#parts.tools.schemas()).length;
    return this.#toolCharacters;
  }
}

function turnEnd(outcome: AgentOutcome, signal: AbortSignal): Pick<PromptOutcome, "outcome" | "failure"> {
  if (signal.aborted || outcome.status === "cancelled") return { outcome: "cancelled" };
  if (outcome.status === "finished") return { outcome: "end-turn" };
  const { code, message, model } = outcome.failure;
  return {
    outcome: "condition",
    failure: {
      code: model?.code ?? code,
      message,
      retry: "terminal",
      ...(model?.status === undefined ? {} : { details: { status: model.status } }),
    },
  };
}

/** What the person said last; empty when nobody has said anything. */
function latestUserText(records: readonly StoredRecord[]): string {
  const last = records.findLast(
    ({ record }) => record.kind === "message" && record.automatic !== true,
  )?.record;
  return last?.kind === "message" ? last.content : "";
}

/** True when the last response of the record has no text. */
function endsWithoutText(records: readonly StoredRecord[]): boolean {
  for (let index = records.length - 1; index >= 0; index -= 1) {
    const record = records[index]?.record;
    if (record?.kind === "message" || record?.kind === "tool-result") return true;
    if (record?.kind === "provider-item" && record.item.type === "assistant-message") return false;
  }
  return true;
}
