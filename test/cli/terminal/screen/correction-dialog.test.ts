import { describe, expect, it } from "vitest";
import { keyPress } from "../../../../cli/terminal/screen/key-press.ts";
import { screenLines } from "../../../../cli/terminal/screen/screen-lines.ts";
import {
  type Action,
  type Command,
  type ScreenState,
  initialScreen,
} from "../../../../cli/terminal/screen/screen-state.ts";
import { update } from "../../../../cli/terminal/screen/screen-update.ts";
import { lineText } from "../../../../cli/terminal/text/styled-line.ts";
import { attached } from "./any-state.ts";

const candidate = { id: "result-first", instruction: "Give the result first.", trigger: "Let me explain" };

class Screen {
  state: ScreenState = initialScreen({ columns: 60, rows: 24 }, "client");
  commands: Command[] = [];

  constructor() {
    this.do(attached());
    this.commands = [];
  }

  do(action: Action): this {
    const done = update(this.state, action);
    this.state = done.state;
    this.commands.push(...done.commands);
    return this;
  }

  keys(...names: readonly Parameters<typeof keyPress>[0][]): this {
    for (const name of names) this.do({ type: "key", press: keyPress(name), at: 5_000 });
    return this;
  }

  writes(text: string): this {
    return this.do({ type: "key", press: keyPress("text", text), at: 5_000 });
  }

  complains(complaint?: string): this {
    const invocation = {
      text: "A review of the correction is opened; what becomes of it is said at its end.",
      clientAction: "review-correction" as const,
      ...(complaint === undefined ? {} : { complaint }),
    };
    return this.do({ type: "invoked", invocation });
  }

  proposed(matched = true, existing: readonly ("global" | "workspace")[] = []): this {
    const proposal = { candidate, matched, existing: [...existing] };
    return this.do({ type: "correction", answer: { kind: "proposed", proposal }, at: 5_000 });
  }

  refused(code: string, message: string): this {
    return this.do({ type: "correction", answer: { kind: "refused", code, message }, at: 5_000 });
  }

  /** What was asked of the session since the last look. */
  get asked(): readonly unknown[] {
    const asked = this.commands.flatMap((command) =>
      command.type === "correction" ? [command.request] : [],
    );
    this.commands = [];
    return asked;
  }

  get text(): string {
    const { input } = screenLines(this.state);
    return input.map(lineText).join("\n");
  }
}

describe("the review of a correction", () => {
  it("asks for a proposal, lets it be amended, and saves it where it is told", () => {
    const screen = new Screen().complains("Your explanations are too long.");
    expect(screen.asked).toEqual([{ kind: "propose", complaint: "Your explanations are too long." }]);
    expect(screen.text).toContain("▏ Your explanations are too long.\nEsc cancels it.");
    screen.proposed();
    expect(screen.text).toContain("The trigger occurs in what the model wrote last.");
    expect(screen.text).toContain("▸ 1 Instruction: Give the result first.");
    expect(screen.text).toContain("  5 Save for all workspaces\n  6 Discard");
    screen.keys("enter").writes(" Always.").keys("enter");
    expect(screen.text).toContain("▸ 1 Instruction: Give the result first. Always.");
    screen.writes("2").keys("enter");
    expect(screen.text).toContain("Trigger Enter takes it, Esc goes back\n❯ Let me explain");
    // Escape leaves it as it was.
    screen.writes("ed").keys("escape");
    expect(screen.text).toContain("  2 ".replace("  ", "▸ ") + "Trigger: Let me explain\n");
    screen.keys("down", "down", "enter");
    expect(screen.asked).toEqual([
      {
        kind: "save",
        candidate: { ...candidate, instruction: "Give the result first. Always." },
        scope: "workspace",
      },
    ]);
    const saved = { id: "result-first", scope: "workspace", path: "/d/r.sexp", replaced: false } as const;
    screen.do({ type: "correction", answer: { kind: "saved", saved }, at: 5_000 });
    expect(screen.state.correction).toBeUndefined();
  });

  it("confirms an unmatched trigger and a replacement each for itself", () => {
    const screen = new Screen().complains("too long").proposed(false, ["global"]);
    expect(screen.text).toContain("does not occur in what the model wrote last");
    expect(screen.text).toContain("saved already (global)");
    screen.writes("5").keys("enter");
    expect(screen.asked.at(-1)).toEqual({ kind: "save", candidate, scope: "global" });
    screen.refused("correction-unmatched", "The trigger does not occur.");
    expect(screen.text).toContain("The trigger does not match");
    // Going back is what Enter does at first.
    screen.keys("enter");
    expect(screen.asked).toEqual([]);
    screen.keys("enter").refused("correction-unmatched", "The trigger does not occur.").keys("up", "enter");
    expect(screen.asked.at(-1)).toEqual({ kind: "save", candidate, scope: "global", confirmUnmatched: true });
    screen.refused("correction-exists", "One is saved already.");
    expect(screen.text).toContain("Replace what is saved?");
    screen.writes("1").keys("enter");
    expect(screen.asked).toEqual([
      { kind: "save", candidate, scope: "global", confirmUnmatched: true, confirmReplace: true },
    ]);
    screen.refused("context-rule-limit", "The file is full.");
    expect(screen.state.correction?.phase).toBe("review");
    expect(screen.state.flash?.text).toBe("The file is full.");
  });

  it("asks for the complaint when none was said, and gives it back when the model has no answer", () => {
    const screen = new Screen().complains();
    expect(screen.asked).toEqual([]);
    screen.keys("enter").do({ type: "paste", text: "too\nlong", at: 5_000 });
    expect(screen.text).toContain("What was wrong? Enter asks for a correction, Esc leaves\n❯ too long");
    screen.keys("enter");
    expect(screen.asked).toEqual([{ kind: "propose", complaint: "too long" }]);
    screen.refused("correction-unreadable", "No correction came.");
    expect(screen.text).toContain("❯ too long");
    expect(screen.state.flash?.text).toBe("No correction came.");
    screen.keys("escape");
    expect(screen.state.correction).toBeUndefined();
  });

  it("is discarded by Escape; a proposal that comes late changes nothing", () => {
    const screen = new Screen().complains("too long").keys("escape");
    expect(screen.asked.at(-1)).toEqual({ kind: "cancel" });
    screen.proposed();
    expect(screen.state.correction).toBeUndefined();
    screen.complains("again").proposed();
    void screen.asked;
    screen.writes("6").keys("enter");
    expect(screen.state.correction).toBeUndefined();
    expect(screen.asked).toEqual([]);
    screen.complains("again").proposed().keys("escape");
    expect(screen.state.correction).toBeUndefined();
  });

  it("says at its end that nothing was saved, once; what was saved is told as such", () => {
    const left = (screen: Screen): number =>
      screen.commands
        .flatMap((command) => (command.type === "print" ? command.entries : []))
        .filter(({ entry }) => "text" in entry && entry.text.includes("nothing was saved")).length;
    expect(left(new Screen().complains("too long").keys("escape"))).toBe(1);
    expect(left(new Screen().complains("too long").proposed().keys("escape"))).toBe(1);
    const saving = new Screen().complains("too long").proposed().writes("5").keys("enter");
    const saved = { id: "result-first", scope: "global", path: "/d/r.sexp", replaced: false } as const;
    saving.do({ type: "correction", answer: { kind: "saved", saved }, at: 5_000 });
    expect(saving.state.correction).toBeUndefined();
    expect(left(saving)).toBe(0);
  });

  it("opens for the form of this terminal, and for no other", () => {
    const action = (inputId: string): Action => ({
      type: "events",
      at: 5_000,
      events: [
        {
          seq: 9,
          at: 0,
          kind: "form-action",
          formId: "form:1",
          inputId,
          action: "review-correction",
          complaint: "too long",
        },
      ],
    });
    const screen = new Screen().do(action("other:1"));
    expect(screen.state.correction).toBeUndefined();
    screen.do(action("client:1"));
    expect(screen.asked).toEqual([{ kind: "propose", complaint: "too long" }]);
  });

  it("fits in any window", () => {
    const long = "word ".repeat(400);
    for (const columns of [10, 24, 60])
      for (const rows of [4, 8, 24]) {
        const screen = new Screen().do({ type: "resize", columns, rows }).complains(long);
        const proposal = { candidate: { ...candidate, instruction: long }, matched: false, existing: [] };
        screen.do({ type: "correction", answer: { kind: "proposed", proposal }, at: 5_000 });
        for (const each of [
          screen,
          screen.keys("enter"),
          screen.keys("enter", "down", "down", "down", "enter"),
        ]) {
          const { tail, jobs, pending, input, menu, modeline, cursor } = screenLines(each.state);
          const all = [...tail, ...jobs, ...pending, ...input, ...menu, ...modeline];
          expect(all.length).toBeLessThanOrEqual(Math.max(3, rows - 1));
          if (cursor !== undefined) expect(cursor.y).toBeLessThan(all.length);
        }
      }
  });
});
