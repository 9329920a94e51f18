import { describe, expect, it } from "vitest";
import { conversationIdSchema } from "../../orchestrator/contract/identifiers.ts";
import { statusSexp } from "../../cli/localgroup/status-text.ts";
import { type KeyPress, keyPress } from "../../cli/terminal/screen/key-press.ts";
import { type ScreenState, initialScreen } from "../../cli/terminal/screen/screen-state.ts";
import { update } from "../../cli/terminal/screen/screen-update.ts";
import { attached } from "../cli/terminal/screen/any-state.ts";
import { launch, makeSandpit } from "../support/cli/launch.ts";
import { examplesOf, tableColumn } from "./documented-examples.ts";

const page = "terminal.md";

/** The press that the page names. */
function pressOf(name: string): KeyPress {
  const [modifier, key = ""] = name.includes("-") ? name.split("-") : ["", name];
  const keys: Readonly<Record<string, KeyPress["name"]>> = {
    Enter: "enter",
    Tab: "tab",
    Up: "up",
    Down: "down",
    Left: "left",
    Right: "right",
    Home: "home",
    End: "end",
    Escape: "escape",
    "Page Up": "page-up",
  };
  const named = keys[key];
  if (named !== undefined)
    return keyPress(named, "", { alt: modifier === "Alt", shift: modifier === "Shift" });
  const letter = key.toLowerCase();
  return modifier === "Alt"
    ? keyPress("text", letter, { alt: true })
    : keyPress("control", letter, { ctrl: true });
}

/** Something is written on three lines, the cursor within a word of the second one; a word was killed before, and a turn runs. */
function writingScreen(): ScreenState {
  const running = {
    kind: "turn",
    state: "running",
    epoch: 1,
    source: "prompt",
    outcome: null,
    seq: 1,
    at: 0,
  } as const;
  const killed = keyPress("control", "w", { ctrl: true });
  const actions = [
    attached(),
    { type: "events", events: [running], at: 0 },
    { type: "paste", text: "killed", at: 0 },
    { type: "key", press: killed, at: 0 },
    { type: "paste", text: "one two three\nfour five six\nseven", at: 0 },
    { type: "key", press: keyPress("up"), at: 0 },
    { type: "key", press: keyPress("left"), at: 0 },
  ] as const;
  return actions.reduce<ScreenState>(
    (state, action) => update(state, action).state,
    initialScreen({ columns: 80, rows: 24 }, "c"),
  );
}

/** Each command line is a program that starts from source. */
const patience = { timeout: 240_000 };

describe("docs/terminal.md", patience, () => {
  it("its command lines are taken", async () => {
    using pit = makeSandpit();
    const lines = examplesOf(page, "sh", "lines").flatMap(({ text }) => text.split("\n"));
    expect(lines).toHaveLength(15);
    for (const line of lines) {
      const [program, ...argv] = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));
      expect(program).toBe("autolith");
      const ended = await launch(pit, [...argv, "--help"], { stdin: "ignore" }).ended;
      expect(ended, line).toMatchObject({ status: 0, stderr: "" });
      expect(ended.stdout).toContain("Usage: autolith");
    }
  });

  it("every key of its table does something", () => {
    const keys = tableColumn(page, "key").flatMap((cell) => cell.split(", "));
    expect(keys.length).toBeGreaterThan(25);
    const state = writingScreen();
    // Steps through candidates that are there, and leaves when nothing is written.
    const candidates = [{ text: "one" }, { text: "other" }];
    const completion = { from: 0, to: 0, candidates, omitted: 0 };
    const asked = update(state, { type: "key", press: keyPress("tab"), at: 0 }).state;
    const token = asked.completing?.token ?? 0;
    const withMenu = update(asked, { type: "completion", token, completion }).state;
    const older = { ...state, older: { before: 7, loose: [] } };
    const empty = { ...state, composer: { ...state.composer, buffer: { text: "", cursor: 0 } } };
    for (const key of keys) {
      const special = { "Shift-Tab": withMenu, "Ctrl-D": empty, "Page Up": older } as const;
      const from = key in special ? special[key as keyof typeof special] : state;
      const { state: next, commands } = update(from, { type: "key", press: pressOf(key), at: 1 });
      const isChanged = commands.length > 0 || next.composer !== from.composer;
      expect(isChanged, key).toBe(true);
    }
  });

  it("its status form is what lg status --sexp prints", () => {
    const at = Date.parse("2026-11-30T14:18:04Z");
    const session = {
      sessionId: conversationIdSchema.parse("b6uouHJ"),
      title: "Repair the failing test",
      cwd: "/home/me/project",
      model: "openai-api/gpt-5.6",
      mode: "ask",
      status: "running",
      liveJobs: 2,
      runningForms: 0,
      waitingInputs: 0,
      createdAt: at,
      lastActivityAt: Date.parse("2026-11-30T14:22:57Z"),
      clients: [{ name: "terminal", readOnly: false, answersPermissions: true, attachedAt: at, self: false }],
    } as const;
    const rows = [
      {
        session: { ...session, clients: [...session.clients] },
        hostId: "22b3879d",
        processId: 13_193,
        launch: { mode: "usual" } as const,
      },
    ];
    expect(examplesOf(page, "lisp", "status").map(({ text }) => `${text}\n`)).toEqual([statusSexp(rows)]);
  });

  it("its completion scripts are printed", async () => {
    using pit = makeSandpit();
    const text = examplesOf(page, "sh", "completion")[0]?.text ?? "";
    const shells = [...text.matchAll(/autolith completion (\w+)/g)].map((match) => match[1] ?? "");
    expect(shells).toEqual(["bash", "zsh", "fish"]);
    for (const shell of shells) {
      const ended = await launch(pit, ["completion", shell], { stdin: "ignore" }).ended;
      expect(ended).toMatchObject({ status: 0, stderr: "" });
      expect(ended.stdout).toContain("autolith");
    }
  });
});
