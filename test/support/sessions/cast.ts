/** Scripts for several agents at once: each is known by a word of its first user message, and has turns of its own. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RecordedRequest, type ScriptedTurn, answer, calls } from "../model-server/script.ts";

export type Part = readonly ((request: RecordedRequest) => ScriptedTurn)[];

/** Answers each agent with the next turn of its part. A prompt that nobody's word is in is the primary's: part `PRIMARY`. */
export function cast(parts: Readonly<Record<string, Part>>): (request: RecordedRequest) => ScriptedTurn {
  const turns = new Map<string, number>();
  return (request) => {
    const first = firstUserText(request);
    const name = Object.keys(parts).find((word) => first.includes(word)) ?? "PRIMARY";
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    return parts[name]?.[turn]?.(request) ?? answer(`nothing left to say for ${name}`);
  };
}

function firstUserText(request: RecordedRequest): string {
  const { input } = request.body as { input: { role?: string; content?: unknown }[] };
  return JSON.stringify(input.find((item) => item.role === "user")?.content ?? "");
}

/** The last tool result that a request carries. */
export function lastOutput(request: RecordedRequest | undefined): string {
  const body = request?.body as { input: { type?: string; output?: string }[] } | undefined;
  return body?.input.findLast((item) => item.type === "function_call_output")?.output ?? "";
}

/** One tool call by its wire name. */
export function tool(name: string, args: unknown): ScriptedTurn {
  return calls([{ name, arguments: args }]);
}

export function submit(text: string): ScriptedTurn {
  return tool("yield__submit", { status: "success", text });
}

/** Makes calls that start children of role `task` wait for them however long the machine takes, instead of handing them off after 10 s. */
export function waitForTasks(home: string): void {
  const directory = join(home, ".config/autolith/agents");
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    join(directory, "task.sexp"),
    '(:name "task" :description "d" :instructions "i" :tools :all :spawns :all :blocking-p t)',
  );
}
