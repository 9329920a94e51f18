/**
 * The scripted session of a mail drill: the primary starts thirty children, half of which write to the other half along grants that it
 * makes meanwhile; some work in worktrees. Every child leaves lines in a file of what it has seen. The model answers by what it is sent,
 * never by how often it was asked.
 */
import { answer, calls } from "../../../test/support/model-server/script.ts";
import type {
  RecordedRequest,
  ScriptedCall,
  ScriptedTurn,
} from "../../../test/support/model-server/script.ts";

/** Pairs of a sender and a receiver. */
export const pairs: readonly string[] = Array.from({ length: 15 }, (_, index) =>
  String(index + 1).padStart(2, "0"),
);
/** What the first host is told, and the last one. */
export const crowdInput = "typed-crowd";
export const mailLastInput = "typed-last";
/** Where children leave their lines; commands of every directory reach it. */
export const mailEffectLog = "effects.log";
const logPath = `"$HOME/../w/${mailEffectLog}"`;
/** Items of one `task.run`. */
const batch = 8;
/** Looks at the mail, or for a grant, before a child gives up. */
const patience = 16;

/** Receivers of these pairs get their mail at a boundary; the others ask for it. */
export function hasContext(pair: string): boolean {
  return Number(pair) % 2 === 1;
}

/** Senders of these pairs work in a worktree. */
function isIsolated(pair: string): boolean {
  return Number(pair) % 5 === 0;
}

export function messageId(pair: string): string {
  return `m${pair}`;
}

export function letterText(pair: string): string {
  return `letter ${pair}`;
}

type Item = {
  readonly type?: string;
  readonly role?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly content?: unknown;
  readonly output?: unknown;
};

export function answerMail(request: RecordedRequest): ScriptedTurn {
  if (request.text.includes("Give the conversation below a title")) return answer("A title");
  const { input } = request.body as { readonly input: readonly Item[] };
  const first = JSON.stringify(input.find(({ role }) => role === "user")?.content ?? "");
  const [, part, pair = ""] = /(SENDER|RECEIVER) (\d\d)/.exec(first) ?? [];
  const seen = new Seen(input);
  if (part === "SENDER") return senderTurn(pair, seen);
  if (part === "RECEIVER") return hasContext(pair) ? heedTurn(pair, seen) : receiverTurn(pair, seen);
  return primaryTurn(seen);
}

/** What an agent has called and heard so far. */
class Seen {
  readonly #input: readonly Item[];

  constructor(input: readonly Item[]) {
    this.#input = input;
  }

  has(callId: string): boolean {
    return this.#input.some((item) => item.type === "function_call" && item.call_id === callId);
  }

  count(prefix: string): number {
    return this.#input.filter(
      (item) => item.type === "function_call" && item.call_id?.startsWith(prefix) === true,
    ).length;
  }

  /** Results of calls whose id begins so. */
  outputs(prefix: string): readonly string[] {
    return this.#input
      .filter((item) => item.type === "function_call_output" && item.call_id?.startsWith(prefix) === true)
      .map(({ output }) => String(output));
  }

  heard(text: string): boolean {
    return this.#input.some(({ role, content }) => role === "user" && JSON.stringify(content).includes(text));
  }
}

function primaryTurn(seen: Seen): ScriptedTurn {
  if (!seen.heard(crowdInput) || seen.heard(mailLastInput)) return answer("Nothing more.");
  const batches = Array.from({ length: Math.ceil(pairs.length / batch) }, (_, index) => ({
    callId: `T${index + 1}`,
    members: pairs.slice(index * batch, (index + 1) * batch),
  }));
  const open = batches.filter(({ callId }) => !seen.has(callId));
  if (open.length > 0) return calls(open.map(({ callId, members }) => startCall(callId, members)));
  const started = seen.outputs("T").join("\n");
  const jobOf = (name: string): string | undefined => new RegExp(`:ID "(${name}-\\d+)"`).exec(started)?.[1];
  const grants = pairs.flatMap((pair): ScriptedCall[] => {
    const [sender, receiver, callId] = [jobOf(`s${pair}`), jobOf(`r${pair}`), `G${pair}`];
    if (sender === undefined || receiver === undefined || seen.has(callId)) return [];
    return [
      {
        name: "peer__grant",
        callId,
        arguments: { id: `g${pair}`, sender, receiver, context: hasContext(pair) },
      },
    ];
  });
  return grants.length > 0 ? calls(grants) : answer("Waiting for them.");
}

function startCall(callId: string, members: readonly string[]): ScriptedCall {
  const tasks = members.flatMap((pair) => [
    {
      name: `s${pair}`,
      task: `You are SENDER ${pair}.`,
      ...(isIsolated(pair) ? { isolation: { dirtyPolicy: "ignore" } } : {}),
    },
    { name: `r${pair}`, task: `You are RECEIVER ${pair}.` },
  ]);
  return { name: "task__run", callId, arguments: { context: "A drill.", tasks } };
}

function senderTurn(pair: string, seen: Seen): ScriptedTurn {
  if (!seen.has("begin")) return effect("begin", `s${pair}-begin`);
  const receiver = seen
    .outputs("look")
    .map((text) => /:RECEIVER "([^"]+)"/.exec(text)?.[1])
    .find((each) => each !== undefined);
  if (receiver === undefined && seen.count("look") < patience)
    return look(seen, { name: "peer__discover", arguments: {} });
  if (receiver !== undefined && !seen.has("send"))
    return calls([
      {
        name: "peer__send",
        callId: "send",
        arguments: { id: messageId(pair), receiver, text: letterText(pair) },
      },
    ]);
  if (seen.outputs("send").some((text) => text.includes(":STATE")) && !seen.has("sent"))
    return effect("sent", `s${pair}-sent`);
  return done(pair);
}

/** A receiver that asks. */
function receiverTurn(pair: string, seen: Seen): ScriptedTurn {
  if (!seen.has("begin")) return effect("begin", `r${pair}-begin`);
  const token = seen
    .outputs("look")
    .map((text) => /:TOKEN (\d+)/.exec(text)?.[1])
    .find((each) => each !== undefined);
  if (token === undefined && seen.count("look") < patience)
    return look(seen, { name: "peer__receive", arguments: {} });
  if (token === undefined) return done(pair);
  if (!seen.has("got")) return effect("got", `r${pair}-got`);
  if (!seen.has("ack"))
    return calls([
      { name: "peer__ack", callId: "ack", arguments: { id: messageId(pair), token: Number(token) } },
    ]);
  if (seen.outputs("ack").some((text) => text.includes("ACKNOWLEDGED")) && !seen.has("acked"))
    return effect("acked", `r${pair}-acked`);
  return done(pair);
}

/** A receiver whose mail comes by itself. */
function heedTurn(pair: string, seen: Seen): ScriptedTurn {
  if (!seen.has("begin")) return effect("begin", `r${pair}-begin`);
  if (!seen.heard(letterText(pair)) && seen.count("pause") < patience)
    return calls([
      { name: "shell__run", callId: `pause${seen.count("pause")}`, arguments: { command: "sleep 0.1" } },
    ]);
  if (seen.heard(letterText(pair)) && !seen.has("got")) return effect("got", `r${pair}-got`);
  return done(pair);
}

/** Asks once more, a moment after the last time. */
function look(seen: Seen, call: Omit<ScriptedCall, "callId">): ScriptedTurn {
  const number = seen.count("look");
  const pause = { name: "shell__run", callId: `pause${number}`, arguments: { command: "sleep 0.1" } };
  return calls([...(number === 0 ? [] : [pause]), { ...call, callId: `look${number}` }]);
}

function effect(callId: string, line: string): ScriptedTurn {
  return calls([{ name: "shell__run", callId, arguments: { command: `echo ${line} >> ${logPath}` } }]);
}

function done(pair: string): ScriptedTurn {
  return calls([
    { name: "yield__submit", callId: "yield", arguments: { status: "success", text: `${pair} is done.` } },
  ]);
}
