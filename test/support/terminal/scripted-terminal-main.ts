/**
 * The terminal on a scripted session, in one process, for tests of screens. Prompts are directives: `say TEXT`, `stream N`, `think TEXT`,
 * `tool`, `edit`, `ask COMMAND`, `hold`, `fail`, `markdown`; anything else is echoed.
 */
import { setTimeout as wait } from "node:timers/promises";
import { runTerminal } from "../../../cli/terminal/edge/run-terminal.ts";
import type { OperationRow, SettingRow } from "../../../orchestrator/contract/session.ts";
import { ScriptedService } from "../sessions/scripted-service.ts";
import type { ScriptedTurn } from "../sessions/scripted-session.ts";
import { scriptedLink } from "./scripted-link.ts";
import { markdownSample } from "./markdown-sample.ts";

const operation = (name: string, summary: string): OperationRow => ({
  name,
  aliases: [],
  kind: "command",
  summary,
  usage: `/${name}`,
  busy: "inspect",
  topic: "commands",
  terminalWithoutArguments: false,
  available: true,
});

function setting(name: string, value: boolean | string): SettingRow {
  return {
    name,
    type: typeof value === "boolean" ? "boolean" : "choice",
    value,
    ...(typeof value === "string" ? { choices: ["labels", "repl"] } : {}),
    scope: "durable",
    source: "default",
    group: "display",
    description: "A setting of the scripted session.",
    settable: true,
  };
}

/** Emits a text in pieces, each in a frame of its own. */
async function stream(turn: ScriptedTurn, id: string, pieces: readonly string[]): Promise<void> {
  for (const text of pieces) {
    if (turn.signal.aborted) return;
    turn.emit({ type: "message-chunk", messageId: id, text, at: 0 });
    await wait(1);
  }
  turn.emit({ type: "message-chunk", messageId: id, text: "", final: true, at: 0 });
}

function callTool(
  turn: ScriptedTurn,
  callId: string,
  tool: string,
  title: string,
  kind: "execute" | "edit",
): void {
  turn.emit({
    type: "tool-call",
    callId,
    tool,
    title,
    kind,
    status: "running",
    arguments: {},
    locations: [],
    at: 0,
  });
}

const directives: Readonly<Record<string, (rest: string, turn: ScriptedTurn, id: string) => Promise<void>>> =
  {
    say: (rest, turn, id) => stream(turn, id, [rest]),
    markdown: (_, turn, id) => stream(turn, id, markdownSample.split(/(?<=\s)/)),
    stream: (rest, turn, id) =>
      stream(
        turn,
        id,
        Array.from({ length: Number(rest) }, (_, index) => `line ${index + 1} of the stream\n\n`),
      ),
    think: async (rest, turn, id) => {
      turn.emit({ type: "thought-chunk", messageId: `${id}t`, text: rest, final: true, at: 0 });
      await stream(turn, id, ["Thought about it."]);
    },
    tool: async (_, turn, id) => {
      callTool(turn, `${id}c`, "shell.run", "ls -la", "execute");
      turn.emit({
        type: "tool-call-update",
        callId: `${id}c`,
        status: "completed",
        content: [{ type: "text", text: "one\ntwo\nthree\n" }],
        durationMs: 1_200,
        at: 0,
      });
      await stream(turn, id, ["Listed."]);
    },
    edit: async (_, turn, id) => {
      callTool(turn, `${id}c`, "resource.edit", "notes.txt", "edit");
      turn.emit({
        type: "tool-call-update",
        callId: `${id}c`,
        status: "completed",
        content: [{ type: "diff", path: "/w/notes.txt", oldText: "a\nb\nc\n", newText: "a\nB\nc\nd\n" }],
        at: 0,
      });
      await stream(turn, id, ["Edited."]);
    },
    ask: async (rest, turn, id) => {
      callTool(turn, `${id}c`, "shell.run", rest, "execute");
      const answer = await turn.ask({
        kind: "command",
        callId: `${id}c`,
        tool: "shell.run",
        asker: "primary",
        title: rest,
        command: rest,
        directory: "/w",
      });
      const status = answer === "allow-once" || answer === "allow-session" ? "completed" : "failed";
      turn.emit({ type: "tool-call-update", callId: `${id}c`, status, at: 0 });
      await stream(turn, id, [`The answer was ${answer}.`]);
    },
    count: (rest, turn, id) =>
      stream(turn, id, [`characters: ${rest.length}, lines: ${rest.split("\n").length}`]),
    hold: (_, turn) =>
      new Promise((resolve) => {
        turn.signal.addEventListener("abort", () => resolve());
      }),
    fail: () => Promise.reject(new Error("the scripted failure")),
  };

const service = new ScriptedService({
  operations: [
    operation("help", "what can be done"),
    operation("model", "the model"),
    operation("models", "all models"),
    operation("resume", "another conversation"),
    operation("quit", "the end"),
  ],
  settings: [
    setting("reasoning-traces-p", true),
    setting("compact-view-p", true),
    setting("transcript-style", process.env["SCRIPTED_STYLE"] ?? "labels"),
  ],
  invoke: (name) => {
    if (name === "help") return Promise.resolve({ text: "# Help\n\n`/help` shows this." });
    if (name === "quit") return Promise.resolve({ text: "", clientAction: "quit" });
    if (name === "resume") return Promise.resolve({ text: "", clientAction: "pick-conversation" });
    if (name === "settings") return Promise.resolve({ text: "", clientAction: "open-settings" });
    return Promise.reject(new Error(`There is no operation ${name}.`));
  },
  script: async (text, turn) => {
    const [word = "", ...rest] = text.split(" ");
    const run = Object.hasOwn(directives, word) ? directives[word] : undefined;
    const id = `r:${turn.epoch}:1`;
    await (run === undefined ? stream(turn, id, [text]) : run(rest.join(" "), turn, id));
  },
});

const fault = process.env["SCRIPTED_FAULT_SIGNAL"];
if (fault !== undefined)
  process.once(fault as NodeJS.Signals, () => {
    throw new Error("a fault of the program");
  });

let links = 0;
const end = await runTerminal({
  connect: () => {
    links += 1;
    const link = scriptedLink(service);
    // `SIGUSR2` is the death of the host.
    if (links === 1) process.once("SIGUSR2", () => link.lose("killed"));
    return Promise.resolve(link);
  },
  opening: { kind: "new", directory: process.cwd() },
  mode: undefined,
  model: undefined,
  isReadOnly: false,
  takeOver: false,
  stdin: process.stdin,
  stdout: process.stdout,
  environment: process.env,
});
process.stdout.write(`ended: ${end.reason}\n`);
if (end.error !== undefined) process.stderr.write(`${String((end.error as Error).stack)}\n`);
process.exit(0);
