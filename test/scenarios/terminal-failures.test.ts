/** Cases of the developers' log of real failures as a person sees them: whole screens of the terminal, by their ids. */
import { mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { answer, calls, status } from "../support/model-server/script.ts";
import { type HostScene, openHostScene } from "../support/terminal/host-terminal.ts";
import type { Tmux } from "../support/terminal/tmux.ts";

/** Each test starts several programs from source. */
const patience = { timeout: 300_000 };

const full = ["--permissions", "full"];
const usage = { input: 12_000, output: 300 };

/** All rows above the prompt, without what differs from run to run: directories, ids and times. */
async function transcript(scene: HostScene, terminal: Tmux): Promise<readonly string[]> {
  const rows = await terminal.history();
  const above = rows.slice(
    0,
    rows.findLastIndex((row) => row.startsWith("❯ ")),
  );
  return above.slice(0, above.findLastIndex((row) => row !== "") + 1).map((row) =>
    row
      .replaceAll(scene.pit.workspace, "/w")
      .replace(/p-[1-9A-HJ-NP-Za-km-z]{6}/, "ID")
      .replace(/^─ [\d.]+ s · /, "─ ")
      .replace(/ \([\d.]+ s\)$/, "")
      .replace(/in [\d.]+ s\.$/, "in N s."),
  );
}

/** Sends a prompt and waits until its turn has ended. */
async function say(terminal: Tmux, text: string, answered: string): Promise<void> {
  await terminal.type(text);
  await terminal.shows(`❯ ${text}`);
  await terminal.keys("Enter");
  await eventually(async () => {
    const rows = await terminal.history();
    const from = rows.findLastIndex((row) => row === `  ${text}`);
    return from < 0 ? "" : rows.slice(from).join("\n");
  }).toMatch(new RegExp(`${answered}[\\s\\S]*❯ Ask for`));
}

async function leave(terminal: Tmux): Promise<void> {
  await terminal.keys("C-d");
  await terminal.ended();
}

async function stopHosts(scene: HostScene): Promise<void> {
  for (const pid of scene.hosts()) process.kill(pid, "SIGTERM");
  await eventually(() => scene.hosts()).toEqual([]);
}

function conversations(scene: HostScene): string {
  return join(scene.pit.home, ".local/share/autolith/conversations");
}

/** The one conversation of the scene. */
function conversationId(scene: HostScene): string {
  return readdirSync(conversations(scene)).find((name) => /^\w{7}$/.test(name)) ?? "none";
}

describe("a person at the terminal", patience, () => {
  it("C073: two calls under one id are two calls, each with its own result", async () => {
    await using scene = await openHostScene({
      script: (request) =>
        request.text.includes("function_call_output")
          ? answer("Both ran.", { usage })
          : calls(
              ["one", "two"].map((word) => ({
                name: "shell__run",
                arguments: { command: `echo ${word}` },
                callId: "same",
              })),
              { usage },
            ),
    });
    await using terminal = await scene.terminal(full);
    await terminal.shows("❯ Ask for");
    await say(terminal, "run both", "Both ran.");
    await eventually(() => transcript(scene, terminal)).toEqual([
      "∙ autolith · openai-api/gpt-5.6 · /w · ID",
      "",
      "❯ you",
      "  run both",
      "",
      "✓ shell.run echo one",
      "  │ one",
      "✓ shell.run echo two",
      "  │ two",
      "",
      "● autolith",
      "  Both ran.",
      "",
      "─ 2 requests · 24k in · 600 out",
    ]);
  });

  it("C075: overload and rate limits are named, tried again within bounds, and the answer comes", async () => {
    await using scene = await openHostScene({
      script: ({ number }) => {
        if (number <= 2) return status(529, { type: "overloaded_error", message: "Overloaded" });
        return number === 3
          ? status(429, { message: "Slow down" }, { "retry-after": "1" })
          : answer("At last.", { usage });
      },
    });
    await using terminal = await scene.terminal(full);
    await terminal.shows("❯ Ask for");
    await say(terminal, "hello", "At last.");
    await eventually(() => transcript(scene, terminal)).toEqual([
      "∙ autolith · openai-api/gpt-5.6 · /w · ID",
      "",
      "❯ you",
      "  hello",
      "",
      "! Attempt 1 of the request failed (overloaded: Status 529: Overloaded); trying",
      "  again in N s.",
      "! Attempt 2 of the request failed (overloaded: Status 529: Overloaded); trying",
      "  again in N s.",
      "! Attempt 3 of the request failed (rate-limited: Status 429: Slow down); trying",
      "  again in N s.",
      "",
      "● autolith",
      "  At last.",
      "",
      "─ 12k in · 300 out",
    ]);
    expect(scene.model.requests).toHaveLength(4);
  });

  it("C077: a compaction that brings nothing stops the turn with what to do, after one try", async () => {
    await using scene = await openHostScene({
      environment: { AUTOLITH_CONTEXT_WINDOW: "8000" },
      script: ({ text }) => answer(text.includes("You compact the conversation") ? "" : "short", { usage }),
    });
    await using terminal = await scene.terminal(full);
    await terminal.shows("❯ Ask for");
    await say(terminal, "hello", "short");
    await say(terminal, "again", "✗ The model gave an empty summary");
    await eventually(() => transcript(scene, terminal)).toEqual([
      "∙ autolith · openai-api/gpt-5.6 · /w · ID",
      "",
      "❯ you",
      "  hello",
      "",
      "● autolith",
      "  short",
      "",
      "─ 12k in · 300 out",
      "",
      "❯ you",
      "  again",
      "",
      "✗ The model gave an empty summary, so the conversation was not compacted. Try",
      "  compact again, choose another model, or start a new conversation.",
    ]);
    expect(scene.model.requests).toHaveLength(2);
  });

  it("C117: damage in the middle of a record costs itself alone and is told; the conversation goes on", async () => {
    await using scene = await openHostScene();
    {
      await using terminal = await scene.terminal(full);
      await terminal.shows("❯ Ask for");
      await say(terminal, "shell echo one", "The tool has answered.");
      await say(terminal, "second", "You said: second");
      await leave(terminal);
    }
    await stopHosts(scene);
    const id = conversationId(scene);
    const folder = join(conversations(scene), id);
    const chunk = join(folder, readdirSync(folder).find((name) => name.endsWith(".sexp")) ?? "");
    const lines = readFileSync(chunk, "utf8").split("\n");
    const result = lines.findIndex((line) => /:tool-result/i.test(line));
    lines[result] = "}{ rubbish";
    lines.splice(result + 2, 0, "\0".repeat(500), lines[1] ?? "");
    writeFileSync(chunk, lines.join("\n"));
    await using terminal = await scene.terminal([...full, "resume", id]);
    await terminal.shows("❯ Ask for");
    await say(terminal, "third", "You said: third");
    await eventually(() => transcript(scene, terminal)).toEqual([
      "∙ autolith · openai-api/gpt-5.6 · /w · ID",
      "",
      "❯ you",
      "  shell echo one",
      "",
      "? shell.run echo one (outcome unknown)",
      "",
      "● autolith",
      "  The tool has answered.",
      "",
      "─ 2 requests · 26k in · 600 out",
      "",
      "❯ you",
      "  second",
      "",
      "● autolith",
      "  You said: second",
      "",
      "─ 14k in · 300 out",
      "",
      "! 4 damaged place(s) of the record were left out: unreadable, missing,",
      "  duplicate. Everything else is here.",
      "",
      "❯ you",
      "  third",
      "",
      "● autolith",
      "  You said: third",
      "",
      "─ 14k in · 300 out",
    ]);
  });

  it("C119: a conversation is resumed in its own directory, and says when that is gone", async () => {
    await using scene = await openHostScene();
    const [own, other] = [join(scene.pit.workspace, "own"), join(scene.pit.workspace, "other")];
    for (const path of [own, other]) mkdirSync(path);
    const size = { columns: 80, rows: 30 };
    {
      await using terminal = await scene.terminal(full, size, own);
      await terminal.shows("❯ Ask for");
      await say(terminal, "shell pwd", "The tool has answered.");
      await leave(terminal);
    }
    await stopHosts(scene);
    const first = ["", "❯ you", "  shell pwd", "", "✓ shell.run pwd", "  │ /w/own", "", "● autolith"];
    const answered = ["  The tool has answered.", "", "─ 2 requests · 26k in · 600 out"];
    const opened = ["∙ autolith · openai-api/gpt-5.6 · /w/own · ID", ...first, ...answered];
    {
      await using terminal = await scene.terminal([...full, "resume", conversationId(scene)], size, other);
      await terminal.shows("❯ Ask for");
      await eventually(() => transcript(scene, terminal)).toEqual(opened);
      await leave(terminal);
    }
    await stopHosts(scene);
    renameSync(own, join(scene.pit.workspace, "moved"));
    await using terminal = await scene.terminal([...full, "resume", conversationId(scene)], size, other);
    await terminal.shows("❯ Ask for");
    const gone = [
      "",
      "! The directory of this conversation, /w/own, is not there any",
      "  more. /cwd PATH chooses another one; until then commands fail.",
    ];
    await eventually(() => transcript(scene, terminal)).toEqual([...opened, ...gone]);
    await say(terminal, "shell date", "The tool has answered.");
    await eventually(() => transcript(scene, terminal)).toEqual([
      ...opened,
      ...gone,
      "",
      "❯ you",
      "  shell date",
      "",
      "✗ shell.run date (failed)",
      "  │ exit unavailable (not started: Cannot use the directory /w/ow",
      "  │ n (ENOENT).)",
      "",
      "● autolith",
      ...answered.toSpliced(2, 1, "─ 2 requests · 28k in · 600 out"),
    ]);
  });

  it("C121: two terminals on one conversation see one order of turns, before and after their host is killed", async () => {
    await using scene = await openHostScene();
    await using one = await scene.terminal(full);
    await one.shows("❯ Ask for");
    await say(one, "from one", "You said: from one");
    await using two = await scene.terminal(["resume", conversationId(scene)]);
    await two.shows("❯ Ask for");
    await say(two, "from two", "You said: from two");
    const turn = (text: string, tokens: string): readonly string[] => [
      "",
      "❯ you",
      `  ${text}`,
      "",
      "● autolith",
      `  You said: ${text}`,
      "",
      `─ ${tokens} in · 300 out`,
    ];
    const before = [
      "∙ autolith · openai-api/gpt-5.6 · /w · ID",
      ...turn("from one", "13k"),
      ...turn("from two", "13k"),
    ];
    for (const terminal of [one, two]) await eventually(() => transcript(scene, terminal)).toEqual(before);
    const [host = 0] = scene.hosts();
    process.kill(host, "SIGKILL");
    for (const terminal of [one, two]) await terminal.shows("Connected again.");
    await say(one, "after", "You said: after");
    const after = [
      ...before,
      "",
      "✗ The session host is gone (it ended the connection). Starting it again; what",
      "  you write is kept.",
      "",
      "∙ Connected again.",
      ...turn("after", "14k"),
    ];
    for (const terminal of [one, two]) await eventually(() => transcript(scene, terminal)).toEqual(after);
    expect(scene.hosts()).toHaveLength(1);
  });

  it("C123: opening and leaving writes nothing, however often", async () => {
    await using scene = await openHostScene();
    const sizes = (): readonly (readonly [string, number])[] =>
      readdirSync(conversations(scene), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith(".sexp"))
        .map((entry) => [entry.name, statSync(join(entry.parentPath, entry.name)).size] as const)
        .toSorted(([left], [right]) => left.localeCompare(right));
    {
      await using terminal = await scene.terminal(["--permissions", "auto"]);
      await terminal.shows("❯ Ask for");
      await say(terminal, "only this", "You said: only this");
      await leave(terminal);
    }
    const written = sizes();
    for (let times = 0; times < 4; times += 1) {
      if (times === 2) await stopHosts(scene);
      const mode = times < 2 ? ["--permissions", "auto"] : [];
      await using terminal = await scene.terminal([...mode, "resume", conversationId(scene)]);
      await terminal.shows("❯ Ask for");
      await eventually(() => transcript(scene, terminal)).toEqual([
        "∙ autolith · openai-api/gpt-5.6 · /w · ID",
        "",
        "❯ you",
        "  only this",
        "",
        "● autolith",
        "  You said: only this",
        "",
        "─ 13k in · 300 out",
      ]);
      await leave(terminal);
      expect(sizes()).toEqual(written);
    }
  });
});
