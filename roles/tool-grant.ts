/** Which tools a role grants. */
export type ToolGrant =
  | { readonly kind: "none" }
  | { readonly kind: "all" }
  | { readonly kind: "patterns"; readonly patterns: readonly string[] };

/** The provider's own search, which is not a registered tool; without it (or `:all`) web search is off for the child. */
export const webSearchGrant = "web_search";

/** Namespaces no role can grant: a child gets `task.*` by its `:spawns`, `yield.submit` always, and `self.*` never. */
export const ungrantableNamespaces: readonly string[] = ["self", "task", "yield"];

const pattern = /^[a-z][a-z0-9_-]*\.(?:[a-z][a-z0-9_-]*|\*)$/;

/** Why a text cannot be a tool grant, or `undefined` when it can. */
export function grantProblem(text: string): string | undefined {
  if (text === webSearchGrant) return undefined;
  if (!pattern.test(text)) {
    return `must be "namespace.name", "namespace.*" or "${webSearchGrant}" in lower case, got ${JSON.stringify(text.slice(0, 80))}`;
  }
  const namespace = namespaceOf(text);
  if (!ungrantableNamespaces.includes(namespace)) return undefined;
  return `must not grant ${namespace}.* tools, got ${JSON.stringify(text)}`;
}

/** Does the grant cover the tool called `tool` (or `web_search`)? */
export function grantsTool(grant: ToolGrant, tool: string): boolean {
  if (ungrantableNamespaces.includes(namespaceOf(tool))) return false;
  switch (grant.kind) {
    case "none":
      return false;
    case "all":
      return true;
    case "patterns":
      return grant.patterns.some((candidate) => patternMatches(candidate, tool));
    default:
      return grant satisfies never;
  }
}

/** Does one pattern (`resource.read`, `search.*`) cover the tool? */
export function patternMatches(candidate: string, tool: string): boolean {
  if (!candidate.endsWith(".*")) return candidate === tool;
  return tool.startsWith(candidate.slice(0, -1));
}

/**
 * The patterns of a grant that no registered tool satisfies and that name nothing autolith knows. A known tool that is
 * not installed here, and everything of MCP servers, is no mistake of the role.
 */
export function unsatisfiedPatterns(grant: ToolGrant, registeredTools: readonly string[]): string[] {
  if (grant.kind !== "patterns") return [];
  return grant.patterns.filter(
    (candidate) =>
      candidate !== webSearchGrant &&
      !isKnownPattern(candidate) &&
      !registeredTools.some((tool) => patternMatches(candidate, tool)),
  );
}

function isKnownPattern(candidate: string): boolean {
  const namespace = namespaceOf(candidate);
  if (namespace === "mcp" || namespace.startsWith("mcp__")) return true;
  const names = knownTools[namespace];
  return (
    names !== undefined && (candidate.endsWith(".*") || names.includes(candidate.slice(namespace.length + 1)))
  );
}

function namespaceOf(tool: string): string {
  return tool.split(".", 1)[0] as string;
}

/** The tools of autolith by namespace (facts E), installed or not. */
const knownTools: Readonly<Record<string, readonly string[]>> = {
  resource: ["read", "edit"],
  fs: ["view-image"],
  shell: ["run"],
  web: ["run"],
  web_extra: ["gist"],
  search: ["files", "glob", "content"],
  session: ["search", "read"],
  papercut: ["report"],
  agenda: ["transport"],
  plan: ["list", "update", "expand"],
  lisp: [
    ...["eval", "scratchpad-run", "paren-check", "load-system", "run-tests", "describe", "source", "apropos"],
    ...["start", "reset", "stop", "repls", "images", "save-image"],
  ],
  rlm: ["infer", "map", "complete"],
  skill: ["load", "invoke", "verify"],
  lsp: ["status", "restart", "query", "diagnostics", "semantic"],
  structural: ["query", "rewrite", "apply"],
  debug: [
    ...[
      "status",
      "launch",
      "attach",
      "breakpoints",
      "continue",
      "pause",
      "step",
      "threads",
      "stack",
      "scopes",
    ],
    ...["variables", "evaluate", "events", "cancel", "terminate"],
  ],
  emacs: ["visit", "eval", "context", "read-buffer"],
  procedure: ["run"],
  diagnosis: ["run"],
  job: ["list", "get", "wait", "cancel", "send", "continuity"],
  peer: ["grant", "revoke", "discover", "send", "receive", "ack", "wait", "inspect", "resolve"],
  mission: ["status", "verify", "stop", "invalidate"],
  "mission-schedule": ["add", "event", "inspect", "cancel", "resolve"],
  "mission-review": ["configure", "trigger", "decide", "inspect"],
};
