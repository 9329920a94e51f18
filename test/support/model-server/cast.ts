/** A scripted model that plays several agents at once. */
import { type RecordedRequest, type ScriptedAnswer, type ScriptedTurn, answer, calls } from "./script.ts";

/** What one agent does: its turns in order. */
export type Part = readonly ((request: RecordedRequest) => ScriptedTurn)[];

/** The agents, by a word of the first message of each. */
export type Parts = Readonly<Record<string, Part>>;

/** A script for several agents at once: each is known by a word in its own first message. Requests for titles get one. */
export function cast(parts: Parts): (request: RecordedRequest) => ScriptedTurn {
  const turns = new Map<string, number>();
  return (request) => {
    if (request.text.includes("below a title")) return answer("A title");
    const first = firstUserText(request);
    const name = Object.keys(parts).find((word) => first.includes(word)) ?? "nobody";
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    return parts[name]?.[turn]?.(request) ?? answer(`nothing left to say for ${name}`);
  };
}

type Item = {
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
  readonly output?: string;
};

export function itemsOf(request: RecordedRequest): readonly Item[] {
  return (request.body as { input: readonly Item[] }).input;
}

function firstUserText(request: RecordedRequest): string {
  return JSON.stringify(itemsOf(request).find((item) => item.role === "user")?.content ?? "");
}

/** Output of the last tool result of a request. */
export function lastOutput(request: RecordedRequest | undefined): string {
  if (request === undefined) return "";
  return itemsOf(request).findLast((item) => item.type === "function_call_output")?.output ?? "";
}

/** A turn that calls one tool (its name on the wire). */
export function tool(name: string, args: unknown, more: Partial<ScriptedAnswer> = {}): ScriptedAnswer {
  return { ...calls([{ name, arguments: args }]), ...more };
}

/** A child's successful end. */
export function submit(text: string, more: Partial<ScriptedAnswer> = {}): ScriptedAnswer {
  return tool("yield__submit", { status: "success", text }, more);
}

/** The root's successful end under the contract of the usual test job. */
export function submitAnswer(text: string): ScriptedAnswer {
  return tool("yield__submit", { status: "success", data: { answer: text } });
}
