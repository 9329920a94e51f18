/** The parts of one open session, put together: each knows the others it works with. */
import type { Authority } from "../contract/permissions.ts";
import type { Session } from "../contract/session/service.ts";
import type { CommandContext } from "./commands/command.ts";
import { helpText } from "./commands/help.ts";
import { Invoker } from "./commands/invoker.ts";
import { SessionCommandSet } from "./commands/session-command-set.ts";
import { SessionInput } from "./input/session-input.ts";
import { SessionClients } from "./session-clients.ts";
import type { SessionCore } from "./session-core.ts";
import { SessionJobs } from "./session-jobs.ts";
import { SessionPrompt } from "./session-prompt.ts";
import { SessionUpkeep } from "./session-upkeep.ts";
import { SessionConfiguration } from "./settings/session-configuration.ts";
import { Compactor } from "./turns/compactor.ts";
import { TurnEngine } from "./turns/turn-engine.ts";

/** What a session needs of the host that serves it. */
export type SessionHooks = Pick<CommandContext, "openNew" | "openExisting" | "fork" | "conversations"> & {
  /** Told when clients, turns or jobs changed: the host may have become idle. */
  readonly activity: () => void;
};

export type SessionParts = {
  readonly commands: SessionCommandSet;
  readonly jobs: SessionJobs;
  readonly engine: TurnEngine;
  readonly invoker: Invoker;
  readonly prompt: SessionPrompt;
  readonly input: SessionInput;
  readonly configuration: SessionConfiguration;
  readonly clients: SessionClients;
  readonly upkeep: SessionUpkeep;
};

export type SessionPartsOptions = {
  readonly core: SessionCore;
  readonly authority: Authority;
  readonly hooks: SessionHooks;
  /** The session that is made of them. */
  readonly session: Session;
  readonly hasDraft: () => boolean;
};

export function sessionParts(options: SessionPartsOptions): SessionParts {
  const { core, authority, hooks, session, hasDraft } = options;
  const commands = new SessionCommandSet(() => core.extensions().commands);
  const compactor = new Compactor(core);
  const jobs = new SessionJobs(core.host, core.environment.dataRoot);
  const tools = core.host.registry.select((tool) => tool.audience !== "children");
  const engine = new TurnEngine({
    core,
    authority,
    compactor,
    tools,
    command: (text) => input.runWaiting(text),
    form: (source, asks, taken) => input.runWaitingForm(source, asks, taken),
    began: () => {
      core.turnBegan();
      upkeep.turnBegan();
    },
    ended: () => {
      upkeep.turnEnded();
      hooks.activity();
    },
    rested: () => hooks.activity(),
  });
  const invoker = new Invoker({
    core,
    commands,
    engine,
    tools,
    authority,
    context: () => commandContext(options, parts),
    queueCommand: (text) => input.queueCommand(text),
  });
  const prompt = new SessionPrompt({
    core,
    commands,
    session,
    tools,
    invoker,
    say: (text, images) => input.say(text, images),
    canDebug: () => clients.canDebug,
    changed: () => hooks.activity(),
  });
  core.forms = prompt.forms;
  const input = new SessionInput(core, engine, invoker, prompt);
  const configuration = new SessionConfiguration(core, () => {
    engine.resetCache();
    // A running turn meets it at its next boundary.
    if (engine.running !== undefined) engine.schedule(() => Promise.resolve(true));
  });
  const clients = new SessionClients({
    core,
    state: () => session.state(),
    tail: (limit) => core.historyPage({}, limit),
    clientLeft: () => prompt.restarts.clientLeft(),
    changed: () => hooks.activity(),
  });
  const frame = () => ({ instructions: "", toolCharacters: JSON.stringify(tools.schemas()).length });
  const upkeep = new SessionUpkeep({ core, engine, compactor, frame, hasDraft });
  const parts = { commands, jobs, engine, invoker, prompt, input, configuration, clients, upkeep };
  return parts;
}

function commandContext(
  { core, hooks, session }: SessionPartsOptions,
  { commands, jobs, engine, invoker, prompt, clients, upkeep }: SessionParts,
): CommandContext {
  return {
    ...hooks,
    session,
    core,
    tasks: jobs.inspector,
    compact: () => upkeep.compact(),
    changeDirectory: (path) => invoker.changeDirectory(path),
    approvals: () => core.broker.approvals(),
    clearApprovals: () => core.broker.clear(),
    stop: async () => {
      await engine.cancel(false);
    },
    canReview: () => clients.canReview,
    help: (topic) => helpText(topic, { commands: commands.all(), tools: invoker.toolSchemas() }),
    skippedDefinitions: () => prompt.self.skipped,
    callLisp: (name, args) => prompt.callLisp(name, args),
    callTool: async (name, args) => (await invoker.invoke(name, args)).text,
  };
}
