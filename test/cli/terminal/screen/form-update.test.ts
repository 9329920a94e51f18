import { describe, expect, it } from "vitest";
import type { SessionEvent, SessionUpdate } from "../../../../orchestrator/contract/session.ts";
import { entryLines, plainLook } from "../../../../cli/terminal/transcript/entry-lines.ts";
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

type EventBody = SessionEvent extends infer Each
  ? Each extends SessionEvent
    ? Omit<Each, "seq" | "at">
    : never
  : never;

class Screen {
  state: ScreenState = initialScreen({ columns: 60, rows: 20 }, "client");
  readonly commands: Command[] = [];

  do(action: Action): this {
    const done = update(this.state, action);
    this.state = done.state;
    this.commands.push(...done.commands);
    return this;
  }

  event(body: EventBody): this {
    const event = { seq: 1, at: 0, ...body } as SessionEvent;
    return this.do({ type: "events", events: [event], at: 3_000 });
  }

  shows(...updates: readonly SessionUpdate[]): this {
    for (const each of updates) this.event({ kind: "update", update: each });
    return this;
  }

  get text(): string {
    const { tail, jobs, pending, input, menu, modeline } = screenLines(this.state);
    return [...tail, ...jobs, ...pending, ...input, ...menu, ...modeline].map(lineText).join("\n");
  }

  /** What was printed, as text. */
  get printed(): string {
    return this.commands
      .flatMap((command) => (command.type === "print" ? command.entries : []))
      .flatMap(({ entry }) => entryLines(entry, 60, plainLook))
      .map(lineText)
      .join("\n");
  }
}

const begun: SessionUpdate = { type: "form", formId: "form:1", source: "(work\n  1)", at: 0 };
const result = { omittedValues: 0, omittedOutput: 0, durationMs: 1, at: 0 };

describe("a form on the screen", () => {
  it("is told to stop, and whoever asks again is told how it ends when its cleanup does not", () => {
    const screen = new Screen().do(attached()).shows(begun);
    const escape = (): Screen => screen.do({ type: "key", press: keyPress("escape"), at: 3_000 });
    expect(escape().state.flash?.text).toBe("Stopping the form.");
    expect(escape().state.flash?.text).toBe(
      "The form's cleanup runs on: 5 s after the cancel its image is ended, with the definitions that forms made.",
    );
    screen.shows({
      type: "form-result",
      formId: "form:1",
      status: "lost",
      values: [],
      output: "",
      ...result,
    });
    screen.shows({ ...begun, formId: "form:2" });
    expect(escape().state.flash?.text).toBe("Stopping the form.");
  });

  it("is shown with its output as it comes; Escape stops it, and its end is printed once", () => {
    const screen = new Screen().do(attached()).shows(begun);
    screen.shows({ type: "form-output", formId: "form:1", stream: "output", text: "half\nway\n", at: 0 });
    expect(screen.text).toContain("❯ (work\n    1)\n│ half\n│ way");
    expect(screen.text).toContain("evaluating… Esc stops");
    screen.do({ type: "key", press: keyPress("escape"), at: 3_000 });
    expect(screen.commands.at(-1)).toEqual({ type: "cancel", continueSteering: true });
    const values = [
      { text: "1", report: false, cut: false },
      { text: "two\nlines", report: true, cut: false },
    ];
    const end: SessionUpdate = {
      type: "form-result",
      formId: "form:1",
      status: "values",
      values,
      output: "half\nway\n",
      ...result,
    };
    screen.shows(end, end, begun);
    const [, ...printed] = screen.printed.split("\n");
    expect(printed.join("\n")).toBe("❯ (work\n    1)\n│ half\n│ way\n⇒ 1\n⇒\ntwo\nlines");
    expect(screen.text).not.toContain("evaluating");
  });

  it("says in the first line of a result which job it is of, above it where there is no room", () => {
    const shown = (text: string) => {
      const screen = new Screen().do(attached());
      screen.shows(
        { ...begun, job: "exec:7" },
        {
          type: "form-result",
          formId: "form:1",
          status: "values",
          values: [{ text, report: false, cut: false }],
          output: "",
          ...result,
        },
      );
      return screen.printed;
    };
    expect(shown("(1\n2)")).toContain("\nexec:7 ⇒ (1\n  2)");
    expect(shown("x".repeat(57))).toContain(`\nexec:7\n⇒ ${"x".repeat(57)}`);
  });

  it("is shown once behind its question mark, holds nothing up, and its result stands where it ends", () => {
    const screen = new Screen().do(attached());
    screen.do({ type: "paste", text: "? (work\n  1)", at: 3_000 });
    screen.do({ type: "key", press: keyPress("enter"), at: 3_000 });
    const sent = screen.commands.findLast(({ type }) => type === "submit");
    const inputId = sent?.type === "submit" ? sent.inputId : "";
    const invocation = { text: "exec:7 evaluates the form." };
    screen.do({ type: "submitted", inputId, invocation }).shows({ ...begun, job: "exec:7" });
    expect(screen.state.transcript.live).toEqual([]);
    expect(screen.text).toContain(invocation.text);
    const news: SessionUpdate = { type: "notice", level: "info", code: "news", text: "news", at: 0 };
    const end: SessionUpdate = {
      type: "form-result",
      formId: "form:1",
      status: "values",
      values: [{ text: "1", report: false, cut: false }],
      output: "half\n",
      ...result,
    };
    screen.shows(
      { type: "form-output", formId: "form:1", stream: "output", text: "half\n", at: 0 },
      news,
      end,
      end,
    );
    const [, ...printed] = screen.printed.split("\n");
    expect(printed).toEqual([
      "? (work",
      "    1)",
      "  exec:7 evaluates it",
      "∙ news",
      "? (work … (1 more line)",
      "│ half",
      "exec:7 ⇒ 1",
    ]);
    expect(screen.state.transcript.live).toEqual([]);
  });

  it("shows a condition with what it knows", () => {
    const screen = new Screen().do(attached()).shows(begun, {
      type: "form-result",
      formId: "form:1",
      status: "condition",
      values: [],
      output: "",
      condition: { type: "TYPE-ERROR", text: "no list", details: [{ name: "DATUM", value: "5" }] },
      ...result,
    });
    expect(screen.printed).toContain("; TYPE-ERROR: no list\n;   DATUM: 5");
  });

  it("goes on in the next line when it is not complete, and is sent with the width of the window", () => {
    const screen = new Screen().do(attached());
    screen.do({ type: "paste", text: "(+ 1", at: 3_000 });
    screen.do({ type: "key", press: keyPress("enter"), at: 3_000 });
    expect(screen.commands.filter(({ type }) => type === "submit")).toEqual([]);
    expect(screen.state.composer.buffer).toEqual({ text: "(+ 1\n", cursor: 5 });
    screen.do({ type: "paste", text: "2)", at: 3_000 });
    screen.do({ type: "key", press: keyPress("enter"), at: 3_000 });
    const sent = screen.commands.findLast(({ type }) => type === "submit");
    expect(sent).toMatchObject({ text: "(+ 1\n2)", columns: 60 });
    const inputId = sent?.type === "submit" ? sent.inputId : "";
    // The host's image knows more of reading than the terminal: what it calls incomplete comes back.
    screen.do({
      type: "refused",
      inputId,
      text: "(+ 1\n2)",
      code: "incomplete-form",
      message: "not complete",
      at: 3_100,
    });
    expect(screen.state.composer.buffer.text).toBe("(+ 1\n2)\n");
    expect(screen.state.flash).toBeUndefined();
    // Typed before the answer came.
    const quick = new Screen().do(attached()).do({ type: "paste", text: "2)", at: 3_000 });
    quick.do({ type: "refused", inputId, text: "(+ 1", code: "incomplete-form", message: "", at: 3_100 });
    expect(quick.state.composer.buffer).toEqual({ text: "(+ 1\n2)", cursor: 7 });
  });

  it("does what its own forms ask of it, and nothing of others'", () => {
    const screen = new Screen().do(attached());
    screen.event({ kind: "form-action", formId: "form:1", inputId: "other:1", action: "quit" });
    expect(screen.commands).not.toContainEqual({ type: "leave", reason: "quit" });
    screen.event({ kind: "form-action", formId: "form:2", inputId: "client:1", action: "quit" });
    expect(screen.commands).toContainEqual({ type: "leave", reason: "quit" });
  });
});
