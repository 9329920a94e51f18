/**
 * A tool is declared once: name, zod arguments, effects, concurrency, audience, execution. The registry offers it to models (JSON
 * Schema, wire name), later to Lisp and ACP. Tools execute in the host, never in an agent's thread.
 */
import type { z } from "zod";
import type { ToolCaller } from "./caller.ts";
import type { ModelImage } from "./model.ts";
import type { Authority } from "./permissions.ts";

/** What a tool called for its caller came to. */
export type NestedOutcome = {
  readonly status: "ok" | "error" | "cancelled" | "unknown";
  /** Bounded as a model is shown it. */
  readonly content: string;
  readonly code: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
};

/** Calls that a tool makes for its caller: under the caller's registry, authority and record, as if the caller had made them. */
export type NestedCalls = {
  /** May the caller call this tool? */
  knows(name: string): boolean;
  /** Never rejects for what the tool does. Rejects when the call cannot be recorded. `arguments` is JSON text. */
  call(
    request: { readonly tool: string; readonly arguments: string; readonly callId: string },
    signal: AbortSignal,
  ): Promise<NestedOutcome>;
};

export type ToolContext = {
  readonly caller: ToolCaller;
  /** The provider's call id; unique within the conversation. */
  readonly callId: string;
  /** The arguments as the model wrote them, for a tool to whom `3` and `3.0` differ; absent where no model wrote them. */
  readonly argumentText?: string;
  /** Absolute real path of the directory the caller works in. */
  readonly workspace: string;
  readonly authority: Authority;
  /** Aborted by cancel or deadline. A tool stops its work and rejects or returns a cancelled outcome; it may not linger. */
  readonly signal: AbortSignal;
  /** Given by the dispatcher; absent where a tool is executed without one. */
  readonly nested?: NestedCalls;
};

export type ToolOutcome = {
  readonly status: "ok" | "error";
  /** Text for the model. The dispatcher bounds it to 8,000 characters and stores the overflow as `context:<sha256>`. */
  readonly content: string;
  /** Stable code of an error outcome. */
  readonly code?: string;
  /**
   * Structured facts kept with the durable record (not sent to the model). JSON values only. `shown`: text that people are shown in place of the
   * content.
   */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Pictures for the model; they reach it, and the record, as a message right behind the results of the turn. */
  readonly images?: readonly ModelImage[];
  /** References to durable results: `shell-log:…`, `workspace:…`, `context:…`. */
  readonly resourceUris?: readonly string[];
};

/**
 * How calls of one turn may overlap. `parallel`: with anything parallel. `exclusive`: alone among exclusive tools. `barrier`: alone,
 * everything before it settled, nothing after it started. A function names a mutable resource: calls with equal names run in wire order.
 */
export type ToolConcurrency<Arguments> =
  | "parallel"
  | "exclusive"
  | "barrier"
  | ((args: Arguments, context: Pick<ToolContext, "workspace">) => string);

export type ToolDeclaration<Schema extends z.ZodType = z.ZodType> = {
  /** `namespace.name`, each `[a-z][a-z0-9_-]*`. */
  readonly name: string;
  /** One or more sentences for the model. */
  readonly description: string;
  readonly arguments: Schema;
  /** What they must be besides, which models are not shown: providers refuse unions at the top. */
  readonly shapes?: z.ZodType;
  /** `none`: reads only. `local`: changes files or state of ours. `external`: effects outside our control (a command); its intent is synced to disk first. */
  readonly effects: "none" | "local" | "external";
  readonly concurrency: ToolConcurrency<z.infer<Schema>>;
  /** Characters of a result that the model sees before it overflows; 8,000 when absent. */
  readonly resultLimit?: number;
  /** `children`: only children (yield.submit). `primary`: never offered to children. */
  readonly audience: "all" | "primary" | "children";
  execute(args: z.infer<Schema>, context: ToolContext): Promise<ToolOutcome>;
};

/** Keeps the argument type of a declaration while erasing it for the registry. */
export function declareTool<Schema extends z.ZodType>(declaration: ToolDeclaration<Schema>): ToolDeclaration {
  return declaration;
}
