/** Which tools the evaluations under way may call, and for whom. Kept in memory: a call cannot outlive the host that answers it. */
import { randomUUID } from "node:crypto";
import { AutolithError } from "../contract/failure.ts";
import type { ExecutionId } from "../contract/identifiers.ts";
import type { HostCall, HostCalls, LispJson } from "../contract/lisp-image.ts";
import type { NestedCalls, ToolContext } from "../contract/tool.ts";
import { parseToolArguments } from "../model-exchange/tool-arguments.ts";
import { defaultRepl } from "./repl-limits.ts";
import { bridgeFunctions } from "./worker-bridge.ts";

/** What an evaluation with host tools was admitted with. */
export type HostTools = {
  readonly names: readonly string[];
  /** Where it runs; undefined in an image that is made for it alone. */
  readonly repl: string | undefined;
  /** REPLs that wait for this evaluation, its own included. */
  readonly held: readonly string[];
  readonly nested: NestedCalls | undefined;
  readonly context: Pick<ToolContext, "caller" | "callId" | "workspace">;
  /** What its context says besides. */
  readonly facts: Readonly<Record<string, LispJson>>;
};

/** Tools that need their REPL for themselves. */
const exclusiveTools: ReadonlySet<string> = new Set([
  "lisp.eval",
  "lisp.scratchpad-run",
  "lisp.load-system",
  "lisp.run-tests",
  "lisp.reset",
  "lisp.stop",
  "lisp.save-image",
]);

export class HostToolTable {
  readonly #byExecution = new Map<ExecutionId, HostTools>();
  /** By the call ids of the calls that evaluations are making. */
  readonly #calling = new Map<string, HostTools>();

  /** What an evaluation asks for, checked. Rejects with `host-tool-unknown` and `host-tools-unavailable`. */
  prepare(names: readonly string[], repl: string, context: ToolContext): HostTools | undefined {
    if (names.length === 0) return undefined;
    checkNames(names, context, "host-tools names");
    const held = [...this.heldBy(context.callId), repl];
    return { names, repl, held, nested: context.nested, context, facts: {} };
  }

  /** The same for the code of a skill, which always has a context. `who` begins the message about a tool that the caller has not. */
  prepareSkill(
    names: readonly string[],
    who: string,
    facts: HostTools["facts"],
    context: ToolContext,
  ): HostTools {
    if (names.length > 0) checkNames(names, context, who);
    const held = this.heldBy(context.callId);
    return { names, repl: undefined, held, nested: context.nested, context, facts };
  }

  /** The REPLs that wait for the call `callId`: using them in it would wait for ever. */
  heldBy(callId: string): readonly string[] {
    return this.#calling.get(callId)?.held ?? [];
  }

  admit(executionId: ExecutionId, tools: HostTools): void {
    this.#byExecution.set(executionId, tools);
  }

  ended(executionId: ExecutionId): void {
    this.#byExecution.delete(executionId);
  }

  /** Answers of the host to an evaluation; undefined when it was admitted without tools, or by a host that died. */
  answersFor(executionId: ExecutionId, jobName: string): HostCalls | undefined {
    const tools = this.#byExecution.get(executionId);
    if (tools === undefined) return undefined;
    return (args, call) =>
      call.name === bridgeFunctions.context
        ? contextAnswer(tools, executionId, jobName)
        : this.#call(tools, args, call);
  }

  async #call(tools: HostTools, args: readonly LispJson[], { signal }: HostCall): Promise<LispJson> {
    const [tool, text] = args;
    if (typeof tool !== "string" || typeof text !== "string")
      throw new AutolithError(
        "invalid-arguments",
        "worker-tool-call takes the name of a tool and its arguments as JSON text, both strings.",
      );
    const refusal = refusalOf(tool, text, tools);
    if (refusal !== undefined || tools.nested === undefined)
      return answer(false, refusal?.message ?? unavailable, refusal?.code ?? unavailableCode, undefined);
    const callId = `worker-${randomUUID()}`;
    this.#calling.set(callId, tools);
    try {
      const { status, content, code, details } = await tools.nested.call(
        { tool, arguments: text, callId },
        signal,
      );
      return answer(status === "ok", content, code ?? (status === "ok" ? undefined : status), details);
    } finally {
      this.#calling.delete(callId);
    }
  }
}

const unavailable = "No tools can be called from this evaluation.";
const unavailableCode = "host-tools-unavailable";

function checkNames(names: readonly string[], { nested }: ToolContext, who: string): void {
  if (nested === undefined) throw new AutolithError(unavailableCode, unavailable);
  const unknown = names.filter((name) => !nested.knows(name));
  if (unknown.length === 0) return;
  throw new AutolithError(
    "host-tool-unknown",
    `${who} ${unknown.join(", ")}, which you do not have. Name exactly tools that you can call yourself.`,
  );
}

function refusalOf(
  tool: string,
  text: string,
  { names, held }: HostTools,
): { readonly code: string; readonly message: string } | undefined {
  if (!names.includes(tool))
    return {
      code: "host-tool-not-declared",
      message: `${tool} is not among the host-tools of this evaluation: ${names.join(", ") || "it has none"}.`,
    };
  if (!exclusiveTools.has(tool)) return undefined;
  const parsed = parseToolArguments(text);
  const asked = parsed.ok ? (parsed.value as { readonly repl?: unknown } | null)?.repl : undefined;
  const repl = typeof asked === "string" ? asked : defaultRepl;
  if (!held.includes(repl)) return undefined;
  return { code: "repl-in-use", message: heldMessage(tool, repl) };
}

/** Said of a REPL that waits for the evaluation that wants to use it. */
export function heldMessage(tool: string, repl: string): string {
  return `${tool} cannot use REPL ${repl}, which waits for this evaluation. Name another repl.`;
}

/** `(mark success-p content code details)` in Lisp; absent parts are NIL. */
function answer(
  ok: boolean,
  content: string,
  code: string | undefined,
  details: Readonly<Record<string, unknown>> | undefined,
): LispJson {
  const data = details === undefined ? false : (JSON.parse(JSON.stringify(details)) as LispJson);
  return [ok, content, code ?? false, data];
}

function contextAnswer(
  { names, repl, context, facts }: HostTools,
  executionId: string,
  job: string,
): LispJson {
  const { caller, callId, workspace } = context;
  return {
    conversation: caller.conversationId,
    "root-conversation": caller.rootConversationId,
    caller: caller.jobName,
    role: caller.role,
    depth: caller.depth,
    lineage: [...caller.lineage],
    job,
    execution: executionId,
    "call-id": callId,
    ...(repl === undefined ? {} : { repl }),
    workspace,
    tools: [...names],
    ...facts,
  };
}
