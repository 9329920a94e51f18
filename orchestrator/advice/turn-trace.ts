/** What has happened in the turn that runs, as advice sees it: bounded, kept in memory, forgotten when the next turn begins. */
import { isAbsolute, relative } from "node:path";
import type { ToolCallItem } from "../contract/model.ts";
import type { StoredRecord } from "../record/conversation-record.ts";
import { type RequestSnapshot, type TurnEvent, languageOf, snapshotLimits } from "./request-snapshot.ts";

/** Names of arguments that hold a file, directly or as the path of a URI. */
const pathArguments = ["uri", "path", "source", "directory", "new-path", "new_path", "file"] as const;
/** Arguments that are looked at, in characters. */
const argumentCharacterLimit = 262_144;

export class TurnTrace {
  #requests = 0;
  readonly #paths = new Set<string>();
  readonly #tools = new Set<string>();
  readonly #events = new Set<TurnEvent>();
  readonly #diagnostics = new Set<string>();
  #output = "";
  #userText = "";

  /** A turn begins. What was said before it stays readable for {@link RequestSnapshot.recentOutput}. */
  begin(userText: string): void {
    this.#requests = 0;
    this.#paths.clear();
    this.#tools.clear();
    this.#events.clear();
    this.#diagnostics.clear();
    this.said(userText);
  }

  /** The person said something: in the first place, or as steering. */
  said(userText: string): void {
    if (userText !== "") this.#userText = userText.slice(0, snapshotLimits.userTextCharacters);
  }

  /** What it has written last, with what was written before the conversation was opened; at most {@link snapshotLimits}. */
  get recentOutput(): string {
    return this.#output;
  }

  /** The model wrote something: text or the arguments of a call. */
  wrote(text: string): void {
    this.#output = `${this.#output}\n${text}`.slice(-snapshotLimits.outputCharacters);
  }

  /** Takes up what the model had written when the conversation was opened. */
  recall(records: readonly StoredRecord[]): void {
    const texts: string[] = [];
    let room: number = snapshotLimits.outputCharacters;
    for (let index = records.length - 1; index >= 0 && room > 0; index -= 1) {
      const text = writtenIn(records[index]);
      if (text === undefined) continue;
      texts.push(text);
      room -= text.length;
    }
    for (const text of texts.toReversed()) this.wrote(text);
  }

  happened(event: TurnEvent): void {
    this.#events.add(event);
  }

  diagnosed(severity: string): void {
    this.#diagnostics.add(severity);
  }

  /** A call was authorized and has ended. */
  called(
    { tool, arguments: text }: Pick<ToolCallItem, "tool" | "arguments">,
    workspace: string,
    isOk: boolean,
  ): void {
    this.#tools.add(tool);
    this.#events.add(isOk ? "tool-success" : "tool-error");
    for (const path of pathsIn(text)) {
      this.#paths.delete(path);
      this.#paths.add(isAbsolute(path) ? withinWorkspace(path, workspace) : path);
    }
    for (const oldest of this.#paths) {
      if (this.#paths.size <= snapshotLimits.paths) break;
      this.#paths.delete(oldest);
    }
  }

  /** The request that is about to be made. */
  next(session: Pick<RequestSnapshot, "conversationId" | "workspace" | "role" | "model">): RequestSnapshot {
    this.#requests += 1;
    const paths = [...this.#paths];
    const tools = [...this.#tools];
    return {
      ...session,
      requestOfTurn: this.#requests,
      latestUserText: this.#userText,
      paths,
      languages: [...new Set(paths.flatMap((path) => languageOf(path) ?? []))],
      tools,
      namespaces: [...new Set(tools.map((tool) => tool.slice(0, tool.indexOf("."))))],
      diagnostics: [...this.#diagnostics],
      events: [...this.#events],
      recentOutput: this.#output,
    };
  }
}

/** What the model wrote: its words, or the arguments of a call. */
function writtenIn(stored: StoredRecord | undefined): string | undefined {
  if (stored?.record.kind !== "provider-item") return undefined;
  const { item } = stored.record;
  if (item.type === "assistant-message") return item.text;
  return item.type === "tool-call" ? item.arguments : undefined;
}

function pathsIn(argumentText: string): readonly string[] {
  if (argumentText.length > argumentCharacterLimit) return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(argumentText);
  } catch {
    return [];
  }
  if (typeof parsed !== "object" || parsed === null) return [];
  const fields = parsed as Readonly<Record<string, unknown>>;
  return pathArguments.flatMap((name) => {
    const value = fields[name];
    return typeof value === "string" ? (pathOf(value) ?? []) : [];
  });
}

/** The path that a URI of the workspace or the file system names; a text without scheme is a path. */
function pathOf(text: string): string | undefined {
  const scheme = /^([a-z][a-z-]*):(.*)$/s.exec(text);
  if (scheme === null) return text;
  const [, name, rest = ""] = scheme;
  if (name !== "workspace" && name !== "file") return undefined;
  try {
    return decodeURIComponent(rest.replace(/^\/\//, ""));
  } catch {
    return rest;
  }
}

function withinWorkspace(path: string, workspace: string): string {
  const inside = relative(workspace, path);
  return inside === "" || inside.startsWith("..") ? path : inside;
}
