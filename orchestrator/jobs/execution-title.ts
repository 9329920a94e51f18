/** What rows and records say an execution is: the tool that asked for it, and what it does. Pure. */
import { jobCatalog } from "../contract/job-catalog.ts";
import type { Job } from "./job-table.ts";

/** The tool that asked: `shell.run`, `lisp.eval`, `form` for a form of a person. */
export function executionTool({ kind, payload }: Pick<Job, "kind" | "payload">): string {
  if (kind === "shell") return "shell.run";
  if (kind !== "lisp") return kind;
  const lisp = jobCatalog.lisp.payload.safeParse(payload);
  return lisp.success ? lisp.data.tool : kind;
}

/** Its description, else the command or the source; empty when the payload says nothing of the kind. */
export function executionText(payload: unknown): string {
  const fields = (typeof payload === "object" && payload !== null ? payload : {}) as Record<string, unknown>;
  const { description, command, forms } = fields;
  if (typeof description === "string") return description;
  if (typeof command === "string") return command;
  return Array.isArray(forms) ? forms.filter((form) => typeof form === "string").join(" ") : "";
}
