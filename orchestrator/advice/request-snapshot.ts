/** What sources of advice see of the request that is about to be made: read-only, bounded. */

export type TurnEvent = "tool-success" | "tool-error" | "steering" | "completion" | "resumed";

export type RequestSnapshot = {
  readonly conversationId: string;
  /** Absolute directory the session works in. */
  readonly workspace: string;
  readonly role: string;
  readonly model: string;
  /** 1 for the first request of the turn. */
  readonly requestOfTurn: number;
  /** The person's last message, at most 16,000 characters; empty when there is none. */
  readonly latestUserText: string;
  /** Files that tools of this turn named, relative to the workspace where they are inside it; at most 256, newest last. */
  readonly paths: readonly string[];
  /** Languages of those files. */
  readonly languages: readonly string[];
  /** Tools called in this turn. */
  readonly tools: readonly string[];
  readonly namespaces: readonly string[];
  /** Severities of diagnostics that language servers gave in this turn. */
  readonly diagnostics: readonly string[];
  readonly events: readonly TurnEvent[];
  /** Assistant text and tool arguments of this turn and the one before, newest last; at most 32,000 characters. */
  readonly recentOutput: string;
};

/** Bounds of what is remembered of a turn. */
export const snapshotLimits = { userTextCharacters: 16_000, paths: 256, outputCharacters: 32_000 } as const;

const languageOfExtension: Readonly<Record<string, string>> = {
  asd: "common-lisp",
  lisp: "common-lisp",
  lsp: "common-lisp",
  cl: "common-lisp",
  c: "c",
  h: "c",
  cc: "cpp",
  cpp: "cpp",
  hpp: "cpp",
  cs: "csharp",
  css: "css",
  el: "emacs-lisp",
  ex: "elixir",
  go: "go",
  hs: "haskell",
  html: "html",
  java: "java",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  json: "json",
  kt: "kotlin",
  lua: "lua",
  md: "markdown",
  ml: "ocaml",
  org: "org",
  php: "php",
  py: "python",
  rb: "ruby",
  rs: "rust",
  scm: "scheme",
  sh: "shell",
  bash: "shell",
  sql: "sql",
  swift: "swift",
  toml: "toml",
  ts: "typescript",
  mts: "typescript",
  tsx: "typescript",
  yaml: "yaml",
  yml: "yaml",
  zig: "zig",
};

/** The language of a path by its extension; undefined for one that is not known. */
export function languageOf(path: string): string | undefined {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase();
  return extension === undefined ? undefined : languageOfExtension[extension];
}
