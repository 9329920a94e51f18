import { describe, expect, it } from "vitest";
import type { Completion, SessionUpdate } from "../../../../orchestrator/contract/session.ts";
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
import { attached, sessionState } from "./any-state.ts";

const nothing: Completion = { from: 0, to: 0, candidates: [], omitted: 0 };
const running = sessionState({
  turn: { state: "running", epoch: 1, source: "prompt", startedAt: 0, lastOutcome: null },
});

class Screen {
  state: ScreenState = initialScreen({ columns: 60, rows: 20 }, "client");
  readonly commands: Command[] = [];

  do(...actions: readonly Action[]): this {
    for (const action of actions) {
      const done = update(this.state, action);
      this.state = done.state;
      this.commands.push(...done.commands);
    }
    return this;
  }

  type(text: string, at = 2_000): this {
    return this.do({ type: "key", press: keyPress("text", text), at });
  }

  press(name: "enter" | "tab" | "escape" | "page-up" | "page-down", at = 2_000): this {
    return this.do({ type: "key", press: keyPress(name), at });
  }

  /** The host's answer to Tab. */
  answers(completion: Completion | undefined): this {
    return this.do({ type: "completion", token: this.state.completing?.token ?? 0, completion });
  }

  get submissions(): readonly (readonly [string, string, string])[] {
    return this.commands.flatMap((each) =>
      each.type === "submit" ? [[each.text, each.as, each.orElse] as const] : [],
    );
  }

  get rows(): readonly string[] {
    const { tail, jobs, pending, input, menu, modeline } = screenLines(this.state);
    return [tail, jobs, pending, input, menu, modeline].flat().map((line) => lineText(line).trimEnd());
  }
}

function open(state = sessionState()): Screen {
  const view = {
    state,
    history: { updates: [], firstSeq: null, lastSeq: null, hasOlder: false, hasNewer: false },
    live: [],
    clients: [],
  };
  return new Screen().do(attached({ view }));
}

describe("Tab", () => {
  it("asks for any word, and sends what has no completion; while a turn runs it queues", () => {
    const idle = open().type("look at notes").press("tab");
    expect(idle.submissions).toEqual([]);
    expect(idle.answers(nothing).submissions).toEqual([["look at notes", "prompt", "queue"]]);
    expect(open(running).type("then this").press("tab").answers(nothing).submissions).toEqual([
      ["then this", "queue", "queue"],
    ]);
    expect(open(running).type("then ").press("tab").submissions).toEqual([["then ", "queue", "queue"]]);
  });

  it("completes a path without a slash, and sends it when it is whole", () => {
    const found = { from: 8, to: 11, candidates: [{ text: "notes.txt" }], omitted: 0 };
    const screen = open().type("look at not").press("tab").answers(found);
    expect(screen.state.composer.buffer.text).toBe("look at notes.txt");
    screen.press("tab").answers({ ...found, to: 17 });
    expect(screen.submissions).toEqual([["look at notes.txt", "prompt", "queue"]]);
  });

  it("holds what is typed behind it until it is known what it did", () => {
    const screen = open(running).type("first").press("tab").type("second").press("enter").type("rest");
    expect(screen.submissions).toEqual([]);
    screen.answers(nothing);
    expect(screen.submissions).toEqual([
      ["first", "queue", "queue"],
      ["second", "steer", "steer"],
    ]);
    expect(screen.state.composer.buffer.text).toBe("rest");
  });

  it("waits for two seconds at most, and not at all for a host that cannot say", () => {
    const late = open().type("first").press("tab").type("a").type("b", 5_000);
    expect(late.state.composer.buffer.text).toBe("firstab");
    expect(late.answers(nothing).submissions).toEqual([]);
    const lost = open().type("first").press("tab").type("a").answers(undefined);
    expect(lost.state.composer.buffer.text).toBe("firsta");
  });
});

describe("stopping", () => {
  it("is said at once, by Escape with steering going on, by Ctrl-C with everything held", () => {
    const escaped = open(running).press("escape");
    expect(escaped.commands).toContainEqual({ type: "cancel", continueSteering: true });
    expect(escaped.rows).toContain("stopping…");
    const later = escaped.do({ type: "tick", at: 6_000 });
    expect(later.rows).toContain("stopping… 0:04, waiting for what runs to end");
    const interrupted = open(running).do({
      type: "key",
      press: keyPress("control", "c", { ctrl: true }),
      at: 2_000,
    });
    expect(interrupted.commands).toContainEqual({ type: "cancel", continueSteering: false });
    expect(interrupted.rows).toContain("stopping…");
  });
});

describe("earlier messages", () => {
  const message = (seq: number): SessionUpdate => ({
    type: "user-message",
    messageId: `m:${seq}`,
    text: `message ${seq}`,
    origin: "prompt",
    at: 0,
  });
  const page = (from: number, to: number, hasOlder: boolean): Action => ({
    type: "page",
    sessionId: sessionState().sessionId,
    page: {
      updates: Array.from({ length: to - from + 1 }, (_, index) => ({
        recordSeq: from + index,
        update: message(from + index),
      })),
      firstSeq: from,
      lastSeq: to,
      hasOlder,
      hasNewer: true,
    },
  });

  it("are looked at by Page Up, page by page, until Escape", () => {
    const screen = new Screen().do(
      attached({
        view: {
          state: sessionState(),
          history: {
            updates: [{ recordSeq: 41, update: message(41) }],
            firstSeq: 41,
            lastSeq: 41,
            hasOlder: true,
            hasNewer: false,
          },
          live: [],
          clients: [],
        },
      }),
    );
    screen.press("page-up");
    expect(screen.commands).toContainEqual({ type: "page", before: 41 });
    screen.do(page(31, 40, true));
    expect(screen.rows).toContain("  message 40");
    expect(screen.rows).not.toContain("  message 31");
    screen.press("page-up").press("page-up");
    expect(screen.rows).toContain("  message 31");
    expect(screen.commands).toContainEqual({ type: "page", before: 31 });
    screen.do(page(1, 30, false)).press("page-up");
    expect(screen.rows.join("\n")).toMatch(/earlier messages · lines \d+–\d+ of 119 · Page Up/);
    expect(screen.type("x").rows).toContain("❯ x");
  });

  it("are all above when nothing is older", () => {
    expect(open().press("page-up").rows.join("\n")).toContain("Everything is above");
  });
});

describe("a slash command", () => {
  /** What stands in the transcript of a command that was sent and answered so. */
  function printedOf(answer: (inputId: string) => Action): readonly string[] {
    const screen = open().type("/mine").press("enter");
    const sent = screen.commands.findLast(({ type }) => type === "submit");
    screen.do(answer(sent?.type === "submit" ? sent.inputId : ""));
    expect(screen.state.composer.buffer.text).toBe("");
    expect(screen.state.sending).toEqual([]);
    return screen.commands
      .flatMap((command) => (command.type === "print" ? command.entries : []))
      .flatMap(({ entry }) => (entry.kind === "notice" && entry.code !== "opened" ? [entry.text] : []));
  }

  it("is shown when it has no output, too", () => {
    expect(printedOf((inputId) => ({ type: "submitted", inputId, invocation: { text: "" } }))).toEqual([
      "/mine",
    ]);
  });

  it("that ends with a condition leaves both in the transcript", () => {
    expect(
      printedOf((inputId) => ({
        type: "refused",
        inputId,
        text: "/mine",
        code: "lisp-condition",
        message: "SIMPLE-ERROR: no",
        at: 2_000,
      })),
    ).toEqual(["/mine", "SIMPLE-ERROR: no"]);
  });
});
