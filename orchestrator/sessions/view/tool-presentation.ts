/** How a tool call is shown: its title, kind and places, from its name and arguments alone. Pure; unknown tools get their name. */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import type { ToolContent, ToolKind, toolLocationSchema } from "../../contract/session/updates.ts";

type ToolLocation = z.infer<typeof toolLocationSchema>;

export type ToolPresentation = {
  readonly title: string;
  readonly kind: ToolKind;
  readonly locations: readonly ToolLocation[];
};

/** Longest title, in characters. */
const titleLimit = 160;

const kinds: Readonly<Record<string, ToolKind>> = {
  "resource.read": "read",
  "resource.edit": "edit",
  "fs.view-image": "read",
  "search.files": "search",
  "search.content": "search",
  "shell.run": "execute",
  "lisp.eval": "execute",
  "lisp.scratchpad-run": "execute",
  "lisp.load-system": "execute",
  "lisp.run-tests": "execute",
  "task.run": "think",
  "plan.update": "think",
};

/** The presentation of a call. `args` is the parsed argument value, or a string when it is no JSON. */
export function toolPresentation(tool: string, args: unknown, workspace: string): ToolPresentation {
  const fields = typeof args === "object" && args !== null ? (args as Readonly<Record<string, unknown>>) : {};
  const locations = locationsOf(fields, workspace);
  const kind = kinds[tool] ?? (tool.startsWith("search.") ? "search" : "other");
  return { title: cut(titleOf(tool, fields)), kind, locations };
}

function titleOf(tool: string, fields: Readonly<Record<string, unknown>>): string {
  const text = (name: string): string | undefined =>
    typeof fields[name] === "string" ? fields[name] : undefined;
  switch (tool) {
    case "shell.run":
      return text("description") ?? text("command") ?? tool;
    case "resource.read":
      return `Read ${text("uri") ?? "a resource"}`;
    case "resource.edit":
      return `Edit ${text("uri") ?? "a resource"}`;
    case "lisp.eval":
      return `Evaluate ${formsText(fields)}`;
    case "task.run":
      return `Start ${text("name") ?? text("agent") ?? "child agents"}`;
    default:
      return `${tool} ${text("query") ?? text("pattern") ?? text("id") ?? text("path") ?? text("designator") ?? text("system") ?? text("definition") ?? text("form") ?? text("symbol") ?? text("repl") ?? ""}`.trim();
  }
}

function formsText({ form, forms }: Readonly<Record<string, unknown>>): string {
  if (typeof form === "string") return form;
  return Array.isArray(forms) ? forms.filter((each) => typeof each === "string").join(" ") : "Lisp";
}

function cut(title: string): string {
  const line = title.replaceAll(/\s+/g, " ").trim();
  return line.length <= titleLimit ? line : `${line.slice(0, titleLimit - 1).toWellFormed()}…`;
}

function locationsOf(fields: Readonly<Record<string, unknown>>, workspace: string): readonly ToolLocation[] {
  const path = pathOf(fields["uri"] ?? fields["path"], workspace);
  if (path === undefined) return [];
  const line = fields["start-line"];
  return [{ path, ...(Number.isInteger(line) && (line as number) > 0 ? { line: line as number } : {}) }];
}

/** The file that a URI or path of a tool call names; undefined for other resources. */
function pathOf(name: unknown, workspace: string): string | undefined {
  if (typeof name !== "string" || name === "") return undefined;
  try {
    if (name.startsWith("workspace:")) return resolve(workspace, decodeURIComponent(name.slice(10)));
    if (name.startsWith("file:")) return fileURLToPath(name);
  } catch {
    // What is no valid URI names no place.
    return undefined;
  }
  return /^[a-z][a-z0-9-]*:/.test(name) ? undefined : resolve(workspace, name);
}

/** The change of a file when a finished call carries one, else the text that it shows: its output, unless it says otherwise. */
export function toolContent(output: string, details: unknown, limit: number): readonly ToolContent[] {
  const diff = diffOf(details);
  if (diff !== undefined) return [diff];
  const { shown } = (details ?? {}) as { shown?: unknown };
  return [{ type: "text", text: shortened(typeof shown === "string" ? shown : output, limit) }];
}

function diffOf(details: unknown): ToolContent | undefined {
  const diff = (details as { diff?: { path?: unknown; oldText?: unknown; newText?: unknown } } | undefined)
    ?.diff;
  if (diff === undefined || typeof diff.path !== "string" || typeof diff.newText !== "string")
    return undefined;
  const oldText = typeof diff.oldText === "string" ? diff.oldText : null;
  return { type: "diff", path: diff.path, oldText, newText: diff.newText };
}

/** Text cut to `limit` characters, saying how long it was. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const note = `\n… (${text.length} characters, shortened)`;
  return `${text.slice(0, limit - note.length).replace(/[\uD800-\uDBFF]$/, "")}${note}`;
}
