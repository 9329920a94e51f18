import { beforeAll, describe, expect, it } from "vitest";
import { type LispImage, createImage } from "../../../lisp/host/lisp-image.ts";
import type { EvaluateOptions } from "../../../lisp/host/evaluation.ts";

let lisp: LispImage;
beforeAll(() => {
  lisp = createImage();
});

async function previews(source: string, options: EvaluateOptions = {}): Promise<unknown> {
  const result = await lisp.evaluate(source, options).result;
  return result.kind === "values" ? result.values.map(({ preview }) => preview) : result.kind;
}

describe("evaluation for a host", () => {
  it("gives all values of the last form, printed", async () => {
    expect(await previews('(setq a 1) (values 1 :a "x")')).toEqual(["1", ":A", '"x"']);
  });

  it("captures output apart from values", async () => {
    let output = "";
    expect(await previews('(format t "hello") nil', { onOutput: (text) => (output += text) })).toEqual([
      "NIL",
    ]);
    expect(output).toBe("hello");
  });

  it("keeps the package an evaluation ended in, unless one was asked for", async () => {
    const other = createImage();
    const first = await other.evaluate("(defpackage :p (:use :cl)) (in-package :p)").result;
    expect(first.package).toBe("P");
    const second = await other.evaluate("(package-name *package*)").result;
    expect(second.kind === "values" && second.values[0]!.preview).toBe('"P"');
  });

  it("reports a condition with its slots", async () => {
    const result = await lisp.evaluate("(car 5)").result;
    expect(result).toMatchObject({
      kind: "failed",
      condition: {
        type: "TYPE-ERROR",
        text: "The value 5 is not of type LIST.",
        slots: [{ value: "5" }, { value: "LIST" }],
      },
    });
  });

  it("invokes a live restart from outside, with arguments evaluated in Lisp", async () => {
    const source = '(list 1 (restart-case (error "boo") (use-value (x) (list :used x))))';
    const onCondition: EvaluateOptions["onCondition"] = async (report) => ({
      kind: "restart",
      index: report.restarts.findIndex(({ name }) => name === "USE-VALUE"),
      arguments: ["(+ 1 41)"],
    });
    expect(await previews(source, { onCondition })).toEqual(["(1 (:USED 42))"]);
  });

  it("asks again, restarts still live, when an argument has no value; the end is the condition itself", async () => {
    const source = '(list 1 (restart-case (error "boo") (use-value (x) (list :used x))))';
    const answering = (...given: readonly (string | undefined)[]) => {
      const texts: string[] = [];
      const onCondition: EvaluateOptions["onCondition"] = async ({ text, restarts }) => {
        const argument = given[texts.push(text) - 1];
        if (argument === undefined) return { kind: "abort" };
        const index = restarts.findIndex(({ name }) => name === "USE-VALUE");
        return { kind: "restart", index, arguments: [argument] };
      };
      return { texts, onCondition };
    };
    const repaired = answering("(car 5)", "(list 1", "(+ 1 41)");
    expect(await previews(source, repaired)).toEqual(["(1 (:USED 42))"]);
    expect(repaired.texts).toEqual([
      "boo",
      expect.stringMatching(/^boo\nThe argument \(car 5\) has no value: TYPE-ERROR: .*LIST/),
      expect.stringMatching(/^boo\nThe argument \(list 1 has no value: END-OF-FILE: /),
    ]);
    const given = answering("(car 5)", undefined);
    expect(await lisp.evaluate(source, given).result).toMatchObject({
      kind: "failed",
      condition: { type: "SIMPLE-ERROR", text: "boo" },
    });
    expect(given.texts).toHaveLength(2);
  });

  it("asks again when a restart would get other arguments than it takes, and never about two conditions at a time", async () => {
    const told: string[] = [];
    const choosing =
      (
        name: string,
        ...given: readonly (string | undefined)[]
      ): NonNullable<EvaluateOptions["onCondition"]> =>
      async ({ text, restarts }) => {
        const argument = given[told.push(text.split("\n")[1] ?? "") - 1];
        const index = restarts.findIndex((each) => each.name === name);
        return { kind: "restart", index, ...(argument === undefined ? {} : { arguments: [argument] }) };
      };
    const use = '(list 1 (restart-case (error "boo") (use-value (x) (list :used x))))';
    const used = { onCondition: choosing("USE-VALUE", undefined, "1 2", "(break)", "(+ 1 2)") };
    expect(await previews(use, used)).toEqual(["(1 (:USED 3))"]);
    expect(told.splice(0)).toEqual([
      "",
      "USE-VALUE takes 1 argument, and none came. Its parameters are (x).",
      "USE-VALUE takes 1 argument, and 2 came. Its parameters are (x).",
      "The argument (break) has no value: SIMPLE-CONDITION: break",
    ]);
    const bound =
      "(catch 'x (restart-bind ((pick (lambda (a &optional b) (throw 'x (list a b))))) (error \"boo\")))";
    expect(await previews(bound, { onCondition: choosing("PICK", "", "1 2 3", "1 (+ 1 1)") })).toEqual([
      "(1 2)",
    ]);
    expect(told.splice(0).slice(1)).toEqual([
      "PICK takes 1 to 2 arguments, and none came. Its parameters are (a &optional b).",
      "PICK takes 1 to 2 arguments, and 3 came. Its parameters are (a &optional b).",
    ]);
    const parameters: (readonly [string, string])[] = [];
    await previews("(restart-case (undefined-here) (nothing ()) (any (&rest b &key a)))", {
      onCondition: async ({ restarts }) => {
        parameters.push(...restarts.map((each) => [each.name, each.parameters] as const));
        return { kind: "abort" };
      },
    });
    expect(Object.fromEntries(parameters)).toMatchObject({
      CONTINUE: "",
      "USE-VALUE": "function",
      NOTHING: "",
      ANY: "&rest b &key a",
    });
  });

  it("runs other evaluations while one waits for the host", async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    lisp.defineFunction("AWAIT-HOST", "", () => promise);
    const waiting = lisp.evaluate("(autolith:await-host)");
    expect(await previews("(+ 1 2)")).toEqual(["3"]);
    resolve(7);
    const result = await waiting.result;
    expect(result.kind === "values" && result.values[0]!.preview).toBe("7");
  });

  it("signals what a host function throws", async () => {
    lisp.defineFunction("FAIL-HOST", "", () => Promise.reject(new Error("no disk")));
    expect(await previews("(handler-case (autolith:fail-host) (error () :caught))")).toEqual([":CAUGHT"]);
  });

  it("cancels an endless loop, running its cleanup forms", async () => {
    let output = "";
    const started = Promise.withResolvers<void>();
    lisp.defineFunction("STARTED", "", () => {
      started.resolve();
      return 1;
    });
    const running = lisp.evaluate('(unwind-protect (progn (autolith:started) (loop)) (format t "cleaned"))', {
      onOutput: (text) => (output += text),
    });
    await started.promise;
    running.cancel("user");
    expect(await running.result).toMatchObject({ kind: "cancelled", reason: "user" });
    expect(output).toBe("cleaned");
  });

  it("bounds the steps of an evaluation", async () => {
    expect(await lisp.evaluate("(loop)", { stepLimit: 50_000 }).result).toMatchObject({
      kind: "failed",
      condition: { text: "the evaluation took more than 50000 steps" },
    });
  });

  it("gives each evaluation its own dynamic bindings", async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    lisp.defineFunction("AWAIT-TURN", "", () => promise);
    await lisp.evaluate("(defvar *turn* :global)").result;
    const first = lisp.evaluate("(let ((*turn* :first)) (autolith:await-turn) *turn*)");
    expect(await previews("*turn*")).toEqual([":GLOBAL"]);
    resolve(1);
    const result = await first.result;
    expect(result.kind === "values" && result.values[0]!.preview).toBe(":FIRST");
  });

  it("completes names and knows lambda lists", () => {
    expect(lisp.complete("mapc").map(({ name }) => name)).toEqual(["mapc", "mapcan", "mapcar", "mapcon"]);
    expect(lisp.complete("cl:unwind")).toEqual([{ name: "cl:unwind-protect", kind: "special" }]);
    expect(lisp.argumentList("mapcar")).toBe("(function list &rest more-lists)");
  });

  it("knows where definitions were read, and keeps their source", async () => {
    const source = '; a comment\n\n(defun located (x)\n  "Doc."\n  (* 2 x))\n(defvar *kept* 1)';
    await lisp.evaluate(source, { file: "notes.lisp" }).result;
    expect(lisp.describe("located")).toEqual({
      documentation: "Doc.",
      location: { file: "notes.lisp", line: 3, column: 1 },
    });
    expect(lisp.journal.entries().slice(-2)).toMatchObject([
      {
        kind: "DEFUN",
        name: "LOCATED",
        source: '(defun located (x)\n  "Doc."\n  (* 2 x))',
        file: "notes.lisp",
      },
      { kind: "DEFVAR", name: "*KEPT*" },
    ]);
  });

  it("refuses to redefine what COMMON-LISP defines", async () => {
    expect(await lisp.evaluate("(defun car (x) x)").result).toMatchObject({
      kind: "failed",
      condition: { type: "PACKAGE-LOCK-VIOLATION" },
    });
  });

  it("keeps images apart", async () => {
    const other = createImage();
    await other.evaluate("(defun only-there () 1)").result;
    expect(await previews("(fboundp 'only-there)")).toEqual(["NIL"]);
  });
});
