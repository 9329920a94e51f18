/** Invocation of operations by name: commands by their busy behaviour, tools through the dispatcher under the session's authority. */
import { randomUUID } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { z } from "zod";
import { primaryCaller } from "../../contract/caller.ts";
import { AutolithError, failureOf } from "../../contract/failure.ts";
import { issuesText } from "../../contract/issue-words.ts";
import type { ToolSchema } from "../../contract/model.ts";
import type { Authority } from "../../contract/permissions.ts";
import type { ToolDeclaration } from "../../contract/tool.ts";
import type { BusyBehaviour, Invocation, OperationRow } from "../../contract/session/catalogs.ts";
import type { Admission } from "../../contract/session/input.ts";
import type { SettledCall } from "../../tools/dispatcher.ts";
import { dispatchCalls } from "../../tools/dispatcher.ts";
import { absentOperator } from "../../tools/absent-operators.ts";
import { recordedAudit } from "../../tools/nested-calls.ts";
import type { ToolRegistry } from "../../tools/registry.ts";
import type { SessionCore } from "../session-core.ts";
import type { TurnEngine } from "../turns/turn-engine.ts";
import { sessionRecords } from "../view/session-records.ts";
import type { Command, CommandContext } from "./command.ts";
import type { SessionCommandSet } from "./session-command-set.ts";
import { checkWords } from "./command-table.ts";

export type InvokerParts = {
  readonly core: SessionCore;
  readonly engine: TurnEngine;
  readonly tools: ToolRegistry;
  readonly commands: Pick<SessionCommandSet, "find">;
  readonly authority: Authority;
  readonly context: () => CommandContext;
  readonly queueCommand: (text: string) => Promise<Admission>;
};

/** Arguments of a command: the text behind its name. */
const commandArguments = z
  .union([
    z.strictObject({ input: z.string().max(262_144) }),
    z.strictObject({ text: z.string().max(262_144) }),
    z.strictObject({}),
  ])
  .nullish();

/** Time a tool that a person called may take, in milliseconds. */
const toolTimeoutMs = 600_000;

export class Invoker {
  readonly #parts: InvokerParts;

  constructor(parts: InvokerParts) {
    this.#parts = parts;
  }

  /** Tools in the catalogue of operations. */
  toolRows(): readonly OperationRow[] {
    return this.#parts.tools.names().map((name) => {
      const tool = this.#parts.tools.get(name);
      return {
        name,
        aliases: [],
        kind: "tool",
        summary: tool?.description.split(/(?<=\.) /)[0] ?? name,
        usage: name,
        busy: tool === undefined ? "hold" : busyOfTool(tool),
        topic: "tools",
        terminalWithoutArguments: false,
        available: true,
      };
    });
  }

  toolSchemas(): readonly ToolSchema[] {
    return this.#parts.tools.schemas();
  }

  async invoke(operation: string, args: unknown): Promise<Invocation> {
    if (operation.includes(".")) {
      const tool = this.#parts.tools.get(operation);
      if (this.#parts.engine.running !== undefined && tool !== undefined && busyOfTool(tool) === "hold")
        throw new AutolithError("busy", `${operation} cannot be called by hand while a turn runs.`);
      const settled = await this.callTool(operation, args ?? {});
      if (settled.result.status === "ok") return { text: settled.result.output };
      throw new AutolithError(settled.code ?? "tool-failed", settled.result.output);
    }
    const checked = commandArguments.safeParse(args);
    if (!checked.success)
      throw new AutolithError(
        "invalid-argument",
        `A command takes {"input": "text"} or nothing: ${issuesText(checked.error, args)}`,
      );
    const given = (checked.data ?? {}) as { input?: string; text?: string };
    return this.invokeText(operation, (given.input ?? given.text ?? "").trim());
  }

  /** Invokes a command as its busy behaviour says. Rejects with `unknown-operation`, `invalid-argument`. */
  async invokeText(name: string, input: string): Promise<Invocation> {
    const command = this.#required(name);
    checkWords(command, input);
    if (this.#parts.engine.running === undefined || isImmediate(command, input))
      return command.run(input, this.#parts.context());
    if (command.busy === "hold") {
      await this.#parts.queueCommand(`/${command.name} ${input}`.trim());
      return { text: `${command.name} waits until the turn is over.`, delivery: "queued" };
    }
    this.#parts.engine.schedule(async () => {
      await this.#present(command, input);
      return true;
    });
    return { text: `${command.name} is applied at the next boundary.`, delivery: "scheduled" };
  }

  /** Runs a command whatever runs meanwhile: its turn has come. */
  runNow(name: string, input: string): Promise<Invocation> {
    return Promise.resolve().then(() => {
      const command = this.#required(name);
      checkWords(command, input);
      return command.run(input, this.#parts.context());
    });
  }

  /** Calls a tool as the person: same permissions, nothing of it in the conversation. Takes as long as `signal` lets it. */
  async callTool(
    tool: string,
    args: unknown,
    signal: AbortSignal = AbortSignal.timeout(toolTimeoutMs),
  ): Promise<SettledCall> {
    const { core, tools, authority } = this.#parts;
    const call = {
      type: "tool-call" as const,
      callId: `user-${randomUUID()}`,
      tool,
      arguments: JSON.stringify(args),
    };
    const [settled] = await dispatchCalls(
      [call],
      {
        caller: primaryCaller(core.id, "user"),
        workspace: core.workingDirectory,
        authority,
        signal,
      },
      {
        registry: tools,
        journal: core.host.journal,
        overflow: core.host.overflow,
        withoutSecrets: core.environment.withoutSecrets,
        now: core.environment.now,
        audit: recordedAudit((name, fields) => core.transcript.note(name, fields)),
        observer: { started: () => undefined, finished: () => undefined },
      },
    );
    if (settled === undefined) throw new AutolithError("internal-error", `${tool} gave no result.`);
    return settled;
  }

  /** Changes the working directory from the next boundary on; answers it. Rejects with `invalid-argument`. */
  async changeDirectory(path: string): Promise<string> {
    const { core } = this.#parts;
    const plain = path.replace(/^"(.*)"$/s, "$1");
    const expanded = plain === "~" || plain.startsWith("~/") ? homedir() + plain.slice(1) : plain;
    const wanted = resolve(core.workingDirectory, expanded);
    const found = await stat(wanted).catch(() => undefined);
    if (found?.isDirectory() !== true)
      throw new AutolithError("invalid-argument", `${wanted} is no directory.`);
    const real = await realpath(wanted);
    await core.note(sessionRecords.directory, { path: real });
    core.emit({ kind: "state" });
    return real;
  }

  /** Works in `wanted` from now on, if given; tells when the directory is gone. */
  async settleDirectory(wanted: string | undefined): Promise<void> {
    const { core } = this.#parts;
    if (wanted !== undefined && wanted !== core.workingDirectory) await this.changeDirectory(wanted);
    const found = await stat(core.workingDirectory).catch(() => undefined);
    if (found?.isDirectory() === true) return;
    core.openingNotice(
      "directory-missing",
      `The directory of this conversation, ${core.workingDirectory}, is not there any more. /cwd PATH chooses another one; until then commands fail.`,
    );
  }

  #required(name: string): Command {
    const command = this.#parts.commands.find(name);
    if (command !== undefined) return command;
    throw (
      absentOperator(name) ??
      new AutolithError(
        "unknown-operation",
        `There is no command /${name.slice(0, 80)}; /help lists them. Begin with // to send a message that starts with a slash.`,
      )
    );
  }

  async #present(command: Command, input: string): Promise<void> {
    const { core } = this.#parts;
    try {
      core.notice("info", "command", (await command.run(input, this.#parts.context())).text);
    } catch (error) {
      const { code, message } = failureOf(error);
      core.notice("error", code, message);
    }
  }
}

/** What a tool that a person calls does during a turn: what reaches outside of us waits. */
export function busyOfTool({ name, effects }: Pick<ToolDeclaration, "name" | "effects">): BusyBehaviour {
  // A REPL of one's own disturbs no turn (facts F).
  if (name.startsWith("lisp.")) return "execute";
  return effects === "external" ? "hold" : "execute";
}

/** Answered during a turn: what only looks, what may run beside it, and what stops it. */
function isImmediate({ busy }: Command, input: string): boolean {
  return busy === "inspect" || busy === "execute" || busy === "cancel" || (busy === "apply" && input === "");
}
