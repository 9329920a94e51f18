/** Calls that a tool makes for its caller, each with its request and its outcome in the caller's record. */
import type { ToolCallItem } from "../contract/model.ts";
import type { NestedCalls, NestedOutcome } from "../contract/tool.ts";
import type { ToolRegistry } from "./registry.ts";

/** Characters of arguments and of an outcome that the record keeps. */
export const auditTextLimit = 4_000;

/** A nested call as the record has it. `unknown`: it was interrupted and may have taken effect. */
export type NestedAudit = {
  /** Durable when it resolves; only then the call is made. */
  asked(entry: AuditEntry & { readonly arguments: string }): Promise<void>;
  answered(
    entry: AuditEntry & { readonly outcome: "ok" | "error" | "unknown"; readonly output: string },
  ): Promise<void>;
};

export type AuditEntry = {
  readonly callId: string;
  readonly parentCallId: string;
  readonly tool: string;
};

/** Records of a conversation that keep nested calls. */
export const auditRecords = { asked: "worker-tool-call", answered: "worker-tool-result" } as const;

/** An audit that adds extension records through `note`, which resolves when the record is durable. */
export function recordedAudit(
  note: (name: string, fields: Readonly<Record<string, string>>) => Promise<void>,
): NestedAudit {
  return {
    asked: (entry) => note(auditRecords.asked, { ...fieldsOf(entry), arguments: cut(entry.arguments) }),
    answered: (entry) =>
      note(auditRecords.answered, {
        ...fieldsOf(entry),
        outcome: entry.outcome,
        output: cut(entry.output),
      }),
  };
}

function fieldsOf({ callId, parentCallId, tool }: AuditEntry): Record<string, string> {
  return { "call-id": callId, "parent-call-id": parentCallId, tool };
}

function cut(text: string): string {
  if (text.length <= auditTextLimit) return text;
  return `${text.slice(0, auditTextLimit).toWellFormed()}… [${text.length} characters]`;
}

/** What the dispatcher gives to the tool of the call `parentCallId`. `dispatch` does one call for the same caller. */
export function nestedCalls(
  parentCallId: string,
  { registry, audit }: { readonly registry: ToolRegistry; readonly audit?: NestedAudit | undefined },
  dispatch: (call: ToolCallItem, signal: AbortSignal) => Promise<NestedOutcome>,
): NestedCalls {
  return {
    knows: (name) => registry.get(name) !== undefined,
    call: async ({ tool, arguments: text, callId }, signal) => {
      const entry = { callId, parentCallId, tool };
      await audit?.asked({ ...entry, arguments: text });
      const done = await dispatch({ type: "tool-call", callId, tool, arguments: text }, signal);
      const { status, content } = done;
      // What was interrupted may have taken effect, whatever is said of it.
      const outcome = status === "ok" || (status === "error" && !signal.aborted) ? status : "unknown";
      await audit?.answered({ ...entry, outcome, output: content });
      return done;
    },
  };
}
