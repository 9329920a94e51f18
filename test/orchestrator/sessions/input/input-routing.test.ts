import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkForm,
  formOperator,
  routedText,
  runsDuringTurn,
} from "../../../../orchestrator/sessions/input/input-routing.ts";

describe("what a submitted text is", () => {
  it.each([
    ["(+ 1 2)", { kind: "form", source: "(+ 1 2)" }],
    ["  \n(+ 1 2)\n", { kind: "form", source: "(+ 1 2)" }],
    ["? *package*", { kind: "background-form", source: "*package*" }],
    ["?\t(a)", { kind: "background-form", source: "(a)" }],
    ["?\n(a\nb)", { kind: "background-form", source: "(a\nb)" }],
    ["/model x", { kind: "command", name: "model", input: "x" }],
    ["//x", { kind: "text", text: "/x" }],
    ["/etc/hosts", { kind: "text", text: "/etc/hosts" }],
    ["??", { kind: "text", text: "??" }],
    ["?why", { kind: "text", text: "?why" }],
    ["? ", { kind: "background-form", source: "" }],
    ["*package*", { kind: "text", text: "*package*" }],
    ["a (b)", { kind: "text", text: "a (b)" }],
  ])("%j", (text, routed) => {
    expect(routedText(text)).toEqual(routed);
  });

  it("never throws, and prose stays what it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const routed = routedText(text);
        if (routed.kind === "text" && !text.startsWith("//")) expect(routed.text).toBe(text);
      }),
    );
  });
});

describe("a form that is not whole", () => {
  it.each([
    ["(a (b", "incomplete-form", 1, 4],
    ['(a\n  "b', "incomplete-form", 2, 3],
    ["(a #|", "incomplete-form", 1, 4],
    ["(a))", "invalid-form", 1, 4],
  ])("%j", (source, code, line, column) => {
    expect(() => checkForm(source)).toThrow(expect.objectContaining({ code, details: { line, column } }));
  });

  it("and one that is", () => {
    for (const source of ["(a)", "(a '(b . c) #'d \"(\" #\\( ; (\n )"]) checkForm(source);
  });

  it("and what is none, or several", () => {
    for (const source of ["(a) (b)", "", "; nothing"])
      expect(() => checkForm(source)).toThrow(expect.objectContaining({ code: "invalid-form" }));
  });
});

describe("the operator of a form, and what it does during a turn", () => {
  it.each([
    ["(resource.read :uri 1)", "resource.read"],
    ["( AUTOLITH:Help )", "help"],
    ["(autolith::help)", "help"],
    ["((lambda (x) x) 1)", ""],
    ['("a")', ""],
    ["; comment\n(info)", "info"],
  ])("%j", (source, operator) => {
    expect(formOperator(source)).toBe(operator);
  });

  it.each([
    ["(eval-now (setf x 1))", true],
    ['(prompt "x")', true],
    ["(vault-contents)", true],
    ['(setf (vault-contents 0) \'(:message "a"))', true],
    ["(setf (vault-contents) nil (vault-contents 1) (list :message (compute)))", true],
    ["(setf (vault-contents) nil x 1)", false],
    ["(setf x (vault-contents))", false],
    ["(setf (vault-contents))", false],
    ["(setf)", false],
    ["(look)", true],
    ["(wait)", false],
    ["(change 1)", true],
    ["(unknown)", false],
    ["(progn (look))", false],
  ])("%j", (source, atOnce) => {
    const busy = { look: "inspect", wait: "hold", change: "apply" } as const;
    expect(runsDuringTurn(source, (name) => busy[name as keyof typeof busy])).toBe(atOnce);
  });
});
