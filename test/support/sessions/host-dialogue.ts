/** Lets the primaries of host processes make one tool call a prompt, as a test says; their children follow scripts. */
import { type ScriptedTurn, answer, calls } from "../model-server/script.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { type Part, cast } from "./cast.ts";
import type { HostProcess } from "./session-host-process.ts";

export type HostDialogue = {
  readonly server: ModelServer;
  /** Prompts the primary of a host to make this call, and answers the result that its model saw. */
  readonly ask: (host: HostProcess, tool: string, args: object) => Promise<string>;
  /** The same, without waiting for anything. */
  readonly begin: (host: HostProcess, tool: string, args: object) => void;
  [Symbol.asyncDispose](): Promise<void>;
};

type Item = {
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
  readonly output?: string;
  readonly call_id?: string;
};

const idleTurns = ({ lines }: HostProcess): number =>
  lines.filter((line) => line.kind === "turn" && line["state"] === "idle").length;

/** `children`: their turns, by a word of their assignment. */
export async function hostDialogue(children: Readonly<Record<string, Part>> = {}): Promise<HostDialogue> {
  const outputs: string[] = [];
  const known = new Set<string>();
  let pending: ScriptedTurn | undefined;
  const child = cast(children);
  const server = await startModelServer((request) => {
    const { input, tools } = request.body as { input: Item[]; tools?: unknown[] };
    if (isChild(input, Object.keys(children))) return child(request);
    // A completion may follow the result that is new.
    const fresh = input.filter(
      ({ type, call_id: callId = "" }) => type === "function_call_output" && !known.has(callId),
    );
    for (const { call_id: callId = "", output = "" } of fresh) {
      known.add(callId);
      outputs.push(output);
    }
    // Titles and summaries are asked for without tools.
    if (pending === undefined || tools === undefined || fresh.length > 0) return answer("done");
    const turn = pending;
    pending = undefined;
    return turn;
  });
  const begin: HostDialogue["begin"] = (host, tool, args) => {
    pending = calls([{ name: tool, arguments: args }]);
    host.send("prompt go");
  };
  return {
    server,
    begin,
    ask: async (host, tool, args) => {
      const [before, turns] = [outputs.length, idleTurns(host)];
      begin(host, tool, args);
      await host.seen(() => idleTurns(host) > turns);
      return outputs[before] ?? "";
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function isChild(input: readonly Item[], words: readonly string[]): boolean {
  const first = JSON.stringify(input.find(({ role }) => role === "user")?.content ?? "");
  return words.some((word) => first.includes(word));
}
