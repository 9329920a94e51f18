import { describe, expect, it } from "vitest";
import { composedText } from "../../../../cli/terminal/composer/composer.ts";
import type { RestartRequest } from "../../../../orchestrator/contract/session.ts";
import { keyPress } from "../../../../cli/terminal/screen/key-press.ts";
import { screenLines } from "../../../../cli/terminal/screen/screen-lines.ts";
import {
  type Action,
  type Command,
  type ScreenState,
  initialScreen,
} from "../../../../cli/terminal/screen/screen-state.ts";
import { update } from "../../../../cli/terminal/screen/screen-update.ts";
import { type Line, lineText } from "../../../../cli/terminal/text/styled-line.ts";
import { attached, sessionState } from "./any-state.ts";

const request: RestartRequest = {
  requestId: "restarts-1",
  formId: "form:1",
  source: "(+ 1 (car 2))",
  condition: {
    type: "TYPE-ERROR",
    text: "The value 2 is not of type LIST.",
    details: [
      { name: "DATUM", value: "2" },
      { name: "EXPECTED-TYPE", value: "LIST" },
    ],
  },
  restarts: [
    { index: 0, name: "USE-VALUE", text: "Use another value.", parameters: "value" },
    { index: 1, name: "CONTINUE", text: "Go on without it." },
    { index: 2, name: "ABORT", text: "Abort." },
  ],
  askedAt: 1,
};

type Key = Parameters<typeof keyPress>[0];

class Screen {
  state: ScreenState = initialScreen({ columns: 60, rows: 24 }, "client");
  readonly commands: Command[] = [];
  at = 10_000;

  do(...actions: readonly Action[]): this {
    for (const action of actions) {
      const done = update(this.state, action);
      this.state = done.state;
      this.commands.push(...done.commands);
    }
    return this;
  }

  type(text: string): this {
    for (const character of text) this.do({ type: "key", press: keyPress("text", character), at: this.at });
    return this;
  }

  press(...names: readonly Key[]): this {
    this.at += 2_000;
    for (const name of names) this.do({ type: "key", press: keyPress(name), at: this.at });
    return this;
  }

  asks(...requests: readonly RestartRequest[]): this {
    const events = requests.map((each, index) => ({
      kind: "restarts-requested" as const,
      seq: 100 + index,
      at: this.at,
      request: each,
    }));
    return this.do({ type: "events", events, at: this.at });
  }

  get input(): readonly Line[] {
    return screenLines(this.state).input;
  }

  get rows(): readonly string[] {
    return this.input.map((line) => lineText(line).trimEnd());
  }

  get choices(): readonly unknown[] {
    return this.commands.flatMap((each) => (each.type === "restart" ? [each.choice] : []));
  }
}

function open(): Screen {
  return new Screen().do(attached(sessionState()));
}

describe("the restart debugger", () => {
  it("shows type, report, details, form and choices", () => {
    const screen = open().asks(request);
    expect(screen.rows.slice(1, -1)).toEqual([
      "TYPE-ERROR",
      "▏ The value 2 is not of type LIST.",
      "  datum: 2",
      "  expected-type: LIST",
      "in (+ 1 (car 2))",
      "▸ 1 use-value: Use another value.  takes a form",
      "  2 continue: Go on without it.",
      "  3 Ask Autolith why this failed  the form waits meanwhile",
      "  4 Evaluate the whole form again  nothing that it did is …",
      "  5 Return other values  of a form that you write",
      "  6 Abort  ends the form with its condition",
    ]);
  });

  it("takes a form for a restart that needs one; Escape in it goes back", () => {
    const screen = open().asks(request).press("enter").type("(list 1");
    expect(screen.rows.at(-2)).toBe("❯ (list 1");
    screen.press("escape");
    expect(screen.choices).toEqual([]);
    screen.press("enter").type("'(7)").press("enter");
    expect(screen.choices).toEqual([{ kind: "restart", index: 0, argument: "'(7)" }]);
  });

  it("asks for what any restart takes, by its parameters; nothing is an answer where nothing is needed", () => {
    const restarts = [
      { index: 0, name: "PICK", text: "Pick.", parameters: "place &optional count" },
      { index: 1, name: "ANY", text: "Any.", parameters: "&rest values" },
    ];
    const screen = open().asks({ ...request, restarts });
    expect(screen.rows.find((row) => row.includes("pick"))).toContain("takes (place &optional count)");
    screen.press("enter");
    expect(screen.rows.at(-3)).toContain("forms for (place &optional count); Enter");
    expect(screen.press("enter").choices).toEqual([]);
    expect(screen.type("1 2").press("enter").choices).toEqual([
      { kind: "restart", index: 0, argument: "1 2" },
    ]);
    const any = open()
      .asks({ ...request, restarts })
      .press("down", "enter", "enter");
    expect(any.choices).toEqual([{ kind: "restart", index: 1, argument: "" }]);
  });

  it("takes nothing for text that was meant for the prompt: it goes into the draft, and Enter does nothing behind it", () => {
    const bare = { ...request, restarts: request.restarts.slice(2) };
    const slow = open().asks(bare);
    for (const character of "x y 2 z") {
      slow.at += 700;
      slow.type(character);
    }
    expect(slow.press("enter", "enter").choices).toEqual([]);
    expect(composedText(slow.state.composer)).toBe("x y 2 z");
    expect(slow.press("down").press("enter").choices).toHaveLength(1);

    for (const burst of ["x y 2 z", "42", "2"]) {
      const screen = open().asks(bare);
      screen.at += 2_000;
      screen.type(burst).do({ type: "key", press: keyPress("enter"), at: screen.at });
      expect(screen.press("enter").choices).toEqual([]);
      expect(composedText(screen.state.composer)).toBe(burst);
    }
  });

  it("goes to a row by its number, invokes by Enter, and aborts by Escape", () => {
    expect(open().asks(request).press("down", "enter").choices).toEqual([{ kind: "restart", index: 1 }]);
    const screen = open().asks(request);
    screen.at += 2_000;
    expect(screen.type("4").choices).toEqual([]);
    expect(screen.press("enter").choices).toEqual([{ kind: "retry" }]);
    const bare = open().asks({ ...request, restarts: request.restarts.slice(2) });
    expect(bare.press("enter").choices).toEqual([{ kind: "abort" }]);
    expect(open().asks(request).press("escape").choices).toEqual([{ kind: "abort" }]);
  });

  it("gives nothing to somebody who is still typing", () => {
    const screen = open().type("hello").asks(request).type("4");
    expect(screen.choices).toEqual([]);
    expect(screen.state.composer.buffer.text).toBe("hello4");
  });

  it("asks for a diagnosis; Escape ends only that; its ways out come first", () => {
    const screen = open().asks(request).press("down", "down", "enter");
    expect(screen.choices).toEqual([{ kind: "diagnose" }]);
    expect(screen.rows.join("\n")).toContain("Autolith is looking for the reason.");
    screen.press("escape");
    expect(screen.choices).toEqual([{ kind: "diagnose" }, { kind: "cancel-diagnosis" }]);
    const diagnosis = {
      requestId: request.requestId,
      explanation: "2 is a number.",
      recoveries: [
        { title: "Use a list", reason: "CAR wants one.", action: { kind: "retry" as const } },
        {
          title: "Define it",
          reason: "",
          repair: Array.from({ length: 12 }, (_, line) => `(do-${line})`).join("\n"),
          action: { kind: "restart" as const, index: 0, argument: "(list 2)" },
        },
      ],
    };
    screen.do({ type: "diagnosed", requestId: request.requestId, diagnosis });
    expect(screen.rows).toContain("2 is a number.");
    expect(screen.rows).toContain("▸ 1 Recover: Use a list  CAR wants one.");
    expect(screen.rows).toContain("It evaluates the whole form again");
    expect(screen.rows.join("\n")).toContain("Ask again why this failed");
    // What the other one would run is on show before it is chosen, and counted where it is cut.
    const rows = screen.press("down").rows.join("\n");
    expect(rows).toContain("It evaluates first:\n▏ (do-0)\n▏ (do-1)");
    expect(rows).toContain(
      "▏ (do-6)\n  … (5 more lines)\nThen it invokes the restart use-value with (list 2)",
    );
    expect(screen.press("enter").choices.at(-1)).toEqual({ kind: "recovery", index: 1 });
  });

  it("goes to the next condition when one is settled, and away with the last", () => {
    const second = { ...request, requestId: "restarts-2", source: "(second)" };
    const screen = open().asks(request, second);
    expect(screen.rows.join("\n")).toContain("1 more waiting");
    const settle = (requestId: string): Action => ({
      type: "events",
      events: [{ kind: "restarts-resolved", seq: 200, at: screen.at, requestId, outcome: "chosen" }],
      at: screen.at,
    });
    screen.do({ type: "flash", level: "error", text: "The repair did not return.", at: screen.at });
    screen.do(settle("restarts-1"));
    expect(screen.state.flash).toBeUndefined();
    expect(screen.rows).toContain("in (second)");
    screen.do(settle("restarts-2"));
    expect(screen.state.restart).toBeUndefined();
  });

  it("stays within a small terminal", () => {
    for (const [columns, rows] of [
      [20, 8],
      [40, 10],
      [200, 50],
    ] as const) {
      const screen = open().do({ type: "resize", columns, rows }).asks(request);
      for (const line of screen.rows) expect(line.length).toBeLessThan(columns);
      expect(screen.rows.length).toBeLessThan(rows);
      expect(screen.rows.join("\n")).toContain("TYPE-ERROR");
    }
  });
});

describe("Lisp in the composer", () => {
  it("Enter continues a form that is not whole, and sends a whole one", () => {
    const screen = open().do({ type: "paste", text: "(list 1", at: 1 }).press("enter");
    expect(screen.state.composer.buffer.text).toBe("(list 1\n");
    screen.type(" 2)").press("enter");
    expect(screen.commands.flatMap((each) => (each.type === "submit" ? [each.text] : []))).toEqual([
      "(list 1\n 2)",
    ]);
    expect(
      open()
        .type("prose (and")
        .press("enter")
        .commands.map(({ type }) => type),
    ).toContain("submit");
  });

  it("Tab in half a form never sends it", () => {
    const screen = open().do({ type: "paste", text: "(job.continuity :", at: 1 }).press("tab");
    const asked = screen.commands.find((each) => each.type === "complete");
    expect(asked).toMatchObject({ text: "(job.continuity :" });
    screen.do({
      type: "completion",
      token: screen.state.completing?.token ?? 0,
      completion: { from: 16, to: 17, candidates: [], omitted: 0 },
    });
    expect(screen.commands.some(({ type }) => type === "submit")).toBe(false);
  });

  it("the question mark of ? form stands in place of the mark", () => {
    const screen = open().do({ type: "paste", text: "? (sleep 1)", at: 1 });
    expect(screen.rows).toEqual(["? (sleep 1)"]);
    expect(screenLines(screen.state).cursor?.x).toBe(11);
    expect(open().do({ type: "paste", text: "?? why", at: 1 }).rows).toEqual(["❯ ?? why"]);
  });

  it("colours a form by what the reader takes it for, and the pair at the cursor", () => {
    const screen = open().do({ type: "paste", text: '(find :key "s" 12) ; c', at: 1 });
    const inks = screen.input.flat().map(({ text, style }) => [text, style.ink]);
    expect(inks).toEqual(
      expect.arrayContaining([
        ["find", "code"],
        [":key", "keyword"],
        ['"s"', "string"],
        ["12", "number"],
        ["; c", "comment"],
      ]),
    );
    const pair = open().do({ type: "paste", text: "(a (b))", at: 1 });
    expect(
      pair.input
        .flat()
        .filter(({ style }) => style.underline === true)
        .map(({ text }) => text),
    ).toEqual(["(", ")"]);
    expect(
      open()
        .do({ type: "paste", text: "plain (a)", at: 1 })
        .input.flat()
        .map(({ text }) => text),
    ).toContain("plain (a)");
  });
});
