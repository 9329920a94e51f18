/** What all tools of named REPLs share: their arguments, their REPL, and the answer that a job's outcome is. */
import { z } from "zod";
import { type LispJobResult, replNameSchema } from "../contract/job-catalog.ts";
import type { ToolContext, ToolOutcome } from "../contract/tool.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import { defaultRepl } from "./repl-limits.ts";
import type { ReplPlace } from "./repls.ts";

export const replArgument = replNameSchema
  .default(defaultRepl)
  .describe(
    `The REPL: an isolated image of yours, started when it does not run. ${defaultRepl} when absent.`,
  );

/** The caller's REPL of that name, with the access to files that the caller has now. */
export function replPlace(name: string, { caller, authority, workspace }: ToolContext): ReplPlace {
  return {
    name,
    agent: caller.conversationId,
    access: authority.mode === "full" ? "full" : "workspace",
    workspace,
  };
}

/** A Lisp string literal. */
export function lispString(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

export function evaluationOutcome(outcome: Outcome<unknown>): ToolOutcome {
  const result = outcome.result as LispJobResult | undefined;
  const kept = [result?.skill?.outputUri, result?.outputUri].filter((uri) => uri !== undefined);
  const uris = kept.length === 0 ? {} : { resourceUris: kept };
  const content =
    result?.content ??
    (outcome.state === "failed" ? outcome.failure.message : "The evaluation was cancelled.");
  if (outcome.state === "completed") return { status: "ok", content, ...uris };
  const code = outcome.state === "failed" ? outcome.failure.code : (result?.ending ?? "cancelled");
  return { status: "error", content, code, ...uris };
}

/** Bounded text that must be one object of Lisp, such as a symbol. */
export const designatorSchema = z.string().trim().min(1).max(512);
