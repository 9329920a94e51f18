/**
 * Executes the tool calls of one turn: exactly one result for each call, whatever happens, in wire order. An intent is recorded
 * before a tool runs (synced to disk for external effects) and the result is bounded for the model.
 */
import { failureOf } from "../contract/failure.ts";
import type { ModelImage, ToolCallItem, ToolResultItem } from "../contract/model.ts";
import type { NestedOutcome, ToolContext, ToolDeclaration, ToolOutcome } from "../contract/tool.ts";
import type { JobJournal } from "../jobs/journal-records.ts";
import { parseToolArguments } from "../model-exchange/tool-arguments.ts";
import { jsonArgumentProblem } from "../prompt/argument-refusal.ts";
import { type SecretRemover, removeSecrets } from "../secrets/secret-removal.ts";
import { type NestedAudit, nestedCalls } from "./nested-calls.ts";
import type { ToolRegistry } from "./registry.ts";
import { type CallConcurrency, planWaves } from "./waves.ts";

/** Characters of one tool result that a model sees (facts E). */
export const toolResultLimit = 8_000;

/** Stores text too long for a result and names it `context:<sha256>`. */
export interface OverflowSink {
  put(text: string): Promise<string>;
}

/** A finished call: what the model gets, and what the record keeps beside it. */
export type SettledCall = {
  readonly call: ToolCallItem;
  readonly result: ToolResultItem;
  readonly code: string | undefined;
  readonly details: ToolOutcome["details"];
  readonly resourceUris: readonly string[];
  /** Pictures that the model is shown behind the results. */
  readonly images?: readonly ModelImage[];
  readonly durationMs: number;
};

export type ToolObserver = {
  started(call: ToolCallItem): void;
  finished(settled: SettledCall): void;
};

export type DispatchOptions = {
  readonly registry: ToolRegistry;
  readonly journal: JobJournal;
  readonly overflow: OverflowSink;
  readonly observer: ToolObserver;
  /** Applied to what tools return before anything keeps or sends it: a command may print a password of its environment. */
  readonly withoutSecrets: SecretRemover;
  /** Keeps what tools call for their caller in the caller's record; absent where there is none. */
  readonly audit?: NestedAudit | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

type CallContext = Omit<ToolContext, "callId">;

type Prepared =
  | {
      readonly kind: "ready";
      readonly tool: ToolDeclaration;
      readonly args: unknown;
      readonly concurrency: CallConcurrency;
    }
  | { readonly kind: "refused"; readonly outcome: ToolOutcome };

/** Runs all calls and resolves with one settled call for each, in wire order. Never rejects for what a tool does. */
export async function dispatchCalls(
  calls: readonly ToolCallItem[],
  context: CallContext,
  options: DispatchOptions,
): Promise<readonly SettledCall[]> {
  const prepared = calls.map((call) => prepare(call, context, options.registry));
  const settled: SettledCall[] = [];
  for (const wave of planWaves(prepared.map(concurrencyOf))) {
    await Promise.all(
      wave.map(async (index) => {
        const call = calls[index];
        const entry = prepared[index];
        if (call === undefined || entry === undefined) return;
        settled[index] = await settleCall(call, entry, context, options);
      }),
    );
  }
  return settled;
}

function prepare(call: ToolCallItem, context: CallContext, registry: ToolRegistry): Prepared {
  const tool = registry.get(call.tool);
  if (tool === undefined) return refuse("unknown-tool", registry.absence(call.tool));
  const parsed = parseToolArguments(call.arguments);
  if (!parsed.ok) return refuse("invalid-arguments", `${call.tool}: ${parsed.problem}`);
  const checked = tool.arguments.safeParse(parsed.value);
  if (!checked.success)
    return refuse(
      "invalid-arguments",
      jsonArgumentProblem(tool.name, tool.arguments, parsed.value, checked.error),
    );
  try {
    return {
      kind: "ready",
      tool,
      args: checked.data,
      concurrency: toolConcurrency(tool, checked.data, context),
    };
  } catch (error) {
    // The tool cannot name what the call is about, such as a URI of an unknown scheme.
    const failure = failureOf(error);
    return refuse(failure.code, failure.message);
  }
}

function toolConcurrency(tool: ToolDeclaration, args: unknown, context: CallContext): CallConcurrency {
  const { concurrency } = tool;
  if (typeof concurrency !== "function") return { kind: concurrency };
  return { kind: "resource", resource: concurrency(args, context) };
}

function refuse(code: string, content: string): Prepared {
  return { kind: "refused", outcome: { status: "error", code, content } };
}

function concurrencyOf(entry: Prepared): CallConcurrency {
  return entry.kind === "refused" ? { kind: "parallel" } : entry.concurrency;
}

async function settleCall(
  call: ToolCallItem,
  entry: Prepared,
  context: CallContext,
  options: DispatchOptions,
): Promise<SettledCall> {
  const startedAt = options.now();
  options.observer.started(call);
  const outcome = withoutSecrets(
    entry.kind === "refused" ? entry.outcome : await perform(call, entry, context, options),
    options.withoutSecrets,
  );
  const limit = (entry.kind === "ready" ? entry.tool.resultLimit : undefined) ?? toolResultLimit;
  const output = await bounded(outcome.content, limit, options.overflow);
  const settled: SettledCall = {
    call,
    result: {
      type: "tool-result",
      callId: call.callId,
      status: resultStatus(outcome, context.signal),
      output,
    },
    code: outcome.code,
    details: outcome.details,
    resourceUris: outcome.resourceUris ?? [],
    ...(outcome.images === undefined ? {} : { images: outcome.images }),
    durationMs: Math.max(0, options.now() - startedAt),
  };
  options.observer.finished(settled);
  return settled;
}

function withoutSecrets(outcome: ToolOutcome, remove: SecretRemover): ToolOutcome {
  const { content, details } = outcome;
  return {
    ...outcome,
    content: remove(content),
    ...(details === undefined ? {} : { details: removeSecrets(details, remove) }),
  };
}

function resultStatus(outcome: ToolOutcome, signal: AbortSignal): ToolResultItem["status"] {
  if (outcome.status === "ok") return "ok";
  return signal.aborted || outcome.code === "cancelled" ? "cancelled" : "error";
}

async function perform(
  call: ToolCallItem,
  entry: Extract<Prepared, { kind: "ready" }>,
  context: CallContext,
  options: DispatchOptions,
): Promise<ToolOutcome> {
  const { tool, args } = entry;
  const { caller, signal } = context;
  if (signal.aborted) return cancelledBeforeStart(tool.name);
  try {
    const recorded = options.journal.append(
      [
        {
          kind: "intent",
          at: options.now(),
          conversationId: caller.conversationId,
          callId: call.callId,
          tool: tool.name,
          effects: tool.effects,
          ...(caller.executionId === undefined ? {} : { executionId: caller.executionId }),
        },
      ],
      { sync: tool.effects === "external" },
    );
    // A call without effects may run while its intent is being written; nothing else may.
    if (tool.effects !== "none") await recorded;
    const [outcome] = await Promise.all([
      tool.execute(args, {
        ...context,
        callId: call.callId,
        argumentText: call.arguments,
        nested: nestedCalls(call.callId, options, (nested, within) =>
          dispatchNested(nested, { ...context, signal: within }, options),
        ),
      }),
      recorded,
    ]);
    return outcome;
  } catch (error) {
    const failure = failureOf(error);
    return { status: "error", code: failure.code, content: failure.message };
  }
}

const unobserved: ToolObserver = { started: () => undefined, finished: () => undefined };

/** A call that a tool makes: observers see the tool's own call only. */
async function dispatchNested(
  call: ToolCallItem,
  context: CallContext,
  options: DispatchOptions,
): Promise<NestedOutcome> {
  const [settled] = await dispatchCalls([call], context, { ...options, observer: unobserved });
  if (settled === undefined) throw new TypeError(`${call.tool} gave no result`);
  const { result, code, details } = settled;
  return { status: result.status, content: result.output, code, details };
}

function cancelledBeforeStart(name: string): ToolOutcome {
  return { status: "error", code: "cancelled", content: `${name} was not started: the work was cancelled.` };
}

async function bounded(content: string, limit: number, overflow: OverflowSink): Promise<string> {
  if (content.length <= limit) return content;
  const note = await overflowNote(content, overflow);
  const room = Math.max(0, limit - note.length - 16);
  const head = Math.floor(room * 0.6);
  return `${wellFormedHead(content, head)}\n${note}\n${wellFormedTail(content, room - head)}`;
}

async function overflowNote(content: string, overflow: OverflowSink): Promise<string> {
  try {
    const uri = await overflow.put(content);
    return `[… ${content.length} characters in all; read the rest with resource.read ${uri} …]`;
  } catch (error) {
    return `[… ${content.length} characters in all; the rest could not be kept: ${failureOf(error).message} …]`;
  }
}

function wellFormedHead(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}

function wellFormedTail(text: string, length: number): string {
  return length <= 0 ? "" : text.slice(-length).replace(/^[\uDC00-\uDFFF]/, "");
}
