/** Figures of session hosts: opening a long conversation, and the event loop while many children stream. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ConversationRecord } from "../../orchestrator/record/conversation-record.ts";
import { createConversation } from "../../orchestrator/record/conversation.ts";
import { answer, calls } from "../../test/support/model-server/script.ts";
import { startModelServer } from "../../test/support/model-server/server.ts";
import type { ChildrenReport, ResumeReport } from "./session-program.ts";

const program = fileURLToPath(new URL("./session-program.ts", import.meta.url));

type Place = { readonly home: string; readonly workspace: string; [Symbol.dispose](): void };

function makePlace(): Place {
  const home = mkdtempSync(join(tmpdir(), "als-"));
  const workspace = join(home, "w");
  mkdirSync(workspace);
  return { home, workspace, [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }) };
}

async function run(place: Place, argv: readonly string[], baseUrl: string): Promise<unknown> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program, ...argv], {
    env: { PATH: process.env["PATH"] ?? "", HOME: place.home, AUTOLITH_OPENAI_BASE_URL: baseUrl },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const status = await new Promise((resolve) => child.once("close", resolve));
  if (status !== 0) throw new Error(`the measured host ended with status ${String(status)}`);
  return JSON.parse(printed);
}

/** The four records of one tool turn. */
function turnRecords(turn: number): readonly ConversationRecord[] {
  const callId = `call_${turn}`;
  return [
    turn % 5 === 0
      ? { kind: "message", content: `Question ${turn}: ${"word ".repeat(20)}` }
      : {
          kind: "provider-item",
          item: { type: "assistant-message", text: `Answer ${turn}: ${"text ".repeat(40)}` },
        },
    {
      kind: "provider-item",
      item: { type: "tool-call", callId, tool: "shell.run", arguments: `{"command":"echo ${turn}"}` },
    },
    {
      kind: "provider",
      metadata: { requestNumber: turn + 1, usage: { inputTokens: 1_000, outputTokens: 10 } },
    },
    {
      kind: "tool-result",
      callId,
      tool: "shell.run",
      status: "ok",
      output: `exit 0\n${"a line of output\n".repeat(15)}`,
    },
  ];
}

/** Opens a stored conversation of so many records in a fresh host. */
export async function resumeFigures(records: number): Promise<ResumeReport> {
  using place = makePlace();
  const data = join(place.home, ".local/share/autolith");
  mkdirSync(data, { recursive: true });
  const conversation = await createConversation(
    { directory: join(data, "conversations"), now: Date.now },
    { directory: place.workspace, model: "openai-api/gpt-5.6", reasoningEffort: "low" },
  );
  let waiting: Promise<number>[] = [];
  for (let turn = 0; turn < records / 4; turn += 1) {
    waiting.push(...turnRecords(turn).map((record) => conversation.append(record)));
    if (waiting.length >= 4_000) await Promise.all(waiting.splice(0));
  }
  await Promise.all(waiting);
  waiting = [];
  await conversation.close();
  return (await run(place, ["resume", conversation.id], "http://127.0.0.1:9/v1")) as ResumeReport;
}

/** Characters that a child streams in each of its turns, in so many pieces, and its turns. */
const streamedCharacters = 20_000;
const streamedPieces = 400;
const childTurns = 2;

/** So many children stream at once. */
export async function childrenFigures(children: number): Promise<ChildrenReport> {
  using place = makePlace();
  await using server = await startModelServer((request) => {
    const { input } = request.body as {
      readonly input: readonly { readonly type: string; readonly role?: string }[];
    };
    const results = input.filter(({ type }) => type === "function_call_output").length;
    if (request.text.includes(`start ${children} children`)) {
      if (results > 0) return answer("They run.");
      const tasks = Array.from({ length: children }, (_, index) => ({ task: `Stream number ${index}.` }));
      return calls([
        { name: "task__run", arguments: { context: "Part of a measurement.", tasks, blocking: false } },
      ]);
    }
    const text = "text ".repeat(streamedCharacters / 5);
    if (results < childTurns)
      return calls([{ name: "resource__read", arguments: { uri: "workspace:." } }], {
        text,
        pieces: streamedPieces,
      });
    return calls([{ name: "yield__submit", arguments: { status: "success", data: {} } }]);
  });
  return (await run(
    place,
    ["children", place.workspace, String(children)],
    server.baseUrl,
  )) as ChildrenReport;
}
