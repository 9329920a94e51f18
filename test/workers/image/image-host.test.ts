import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { AutolithError } from "../../../orchestrator/contract/failure.ts";
import { HostReport } from "../../../orchestrator/contract/lisp-image.ts";
import { ImageHost } from "../../../workers/image/image-host.ts";

let image: ImageHost;
beforeAll(async () => {
  image = new ImageHost();
  await image.ready;
});
afterAll(() => image.terminate());

describe("an image in its thread", () => {
  it("evaluates, with output and previews", async () => {
    let output = "";
    const result = await image.evaluate('(format t "hi") (values 1 "x")', {
      onOutput: (_stream, text) => (output += text),
    });
    expect(result).toMatchObject({ kind: "values", values: [{ preview: "1" }, { preview: '"x"' }] });
    expect(output).toBe("hi");
  });

  it("bounds output and says how much was dropped", async () => {
    let output = "";
    const result = await image.evaluate('(dotimes (i 100) (format t "0123456789"))', {
      outputLimit: 105,
      onOutput: (_stream, text) => (output += text),
    });
    expect(output.length).toBe(105);
    expect(result.droppedOutput).toBe(895);
  });

  it("asks about conditions and invokes the restart chosen", async () => {
    const result = await image.evaluate('(restart-case (error "boo") (use-value (x) (* 2 x)))', {
      onCondition: async ({ restarts }) => ({
        kind: "restart",
        index: restarts.find(({ name }) => name === "USE-VALUE")!.index,
        arguments: ["21"],
      }),
    });
    expect(result).toMatchObject({ kind: "values", values: [{ preview: "42" }] });
  });

  it("answers and evaluates while an endless loop runs, which can be cancelled within 100 ms", async () => {
    const controller = new AbortController();
    const endless = image.evaluate("(loop)", { signal: controller.signal });
    expect(await image.evaluate("(+ 1 2)")).toMatchObject({ values: [{ preview: "3" }] });
    expect(await image.argumentList("mapcar")).toBe("(function list &rest more-lists)");
    const started = performance.now();
    controller.abort("user");
    expect(await endless).toMatchObject({ kind: "cancelled", reason: "user" });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("wakes a sleeping evaluation beside an endless loop", async () => {
    const controller = new AbortController();
    const endless = image.evaluate("(loop)", { signal: controller.signal });
    expect(await image.evaluate("(progn (sleep 0.05) :woken)")).toMatchObject({
      values: [{ preview: ":WOKEN" }],
    });
    controller.abort("user");
    expect(await endless).toMatchObject({ kind: "cancelled" });
  });

  it("calls functions of the main thread, whose failures are Lisp errors with a code", async () => {
    image.define([{ name: "ADD-UP", lambdaList: "&rest numbers", documentation: "" }], (args) =>
      (args as number[]).reduce((sum, n) => sum + n, 0),
    );
    image.define([{ name: "REFUSE", lambdaList: "", documentation: "" }], () =>
      Promise.reject(new AutolithError("not-now", "Not now.", { details: { again: 5 } })),
    );
    expect(await image.evaluate("(autolith:add-up 1 2 3)")).toMatchObject({ values: [{ preview: "6" }] });
    const handled = `(handler-case (autolith:refuse)
      (autolith:host-error (e) (list (autolith:host-error-code e) (princ-to-string e)
                                     (getf (autolith:host-error-details e) :again))))`;
    expect(await image.evaluate(handled)).toMatchObject({
      values: [{ preview: '(:NOT-NOW "Not now." 5)' }],
    });
  });

  it("tells a host function which evaluation calls it", async () => {
    image.define([{ name: "WHO", lambdaList: "", documentation: "" }]);
    const asked = (name: string) =>
      image.evaluate("(list (autolith:who) (autolith:who))", { onCall: () => Promise.resolve(name) });
    expect(await Promise.all([asked("a"), asked("b"), asked("c")])).toMatchObject([
      { values: [{ preview: '("a" "a")' }] },
      { values: [{ preview: '("b" "b")' }] },
      { values: [{ preview: '("c" "c")' }] },
    ]);
    expect(await image.evaluate("(autolith:who)")).toMatchObject({
      kind: "failed",
      condition: { type: "AUTOLITH:HOST-ERROR" },
    });
  });

  it("ends the call of a host function with its evaluation", async () => {
    image.define([{ name: "WAIT", lambdaList: "", documentation: "" }]);
    const controller = new AbortController();
    const ended = Promise.withResolvers<string>();
    const evaluation = image.evaluate("(autolith:wait)", {
      signal: controller.signal,
      onCall: (_args, { signal }) => {
        signal.addEventListener("abort", () => ended.resolve(String(signal.reason)));
        controller.abort("user");
        return new Promise(() => undefined);
      },
    });
    expect(await ended.promise).toBe("user");
    expect(await evaluation).toMatchObject({ kind: "cancelled", reason: "user" });
  });

  it("shows the report of a host function as text only while it is the value itself", async () => {
    image.define(
      [{ name: "REPORT", lambdaList: "", documentation: "" }],
      () => new HostReport('two\n"lines"'),
    );
    const values = async (form: string) => {
      const result = await image.evaluate(form);
      return result.kind === "values" ? result.values : result;
    };
    const report = { preview: 'two\n"lines"', report: true };
    expect(await values("(values (autolith:report) 1)")).toEqual([report, { preview: "1" }]);
    expect(await values("(list (autolith:report))")).toEqual([{ preview: '("two\n\\"lines\\"")' }]);
    expect(await values("(copy-seq (autolith:report))")).toMatchObject([{ preview: '"two\n\\"lines\\""' }]);
    expect(await values("(string-upcase (autolith:report))")).toMatchObject([
      { preview: '"TWO\n\\"LINES\\""' },
    ]);
  });

  it("ends evaluations as lost when its thread is terminated", async () => {
    const other = new ImageHost();
    await other.ready;
    const running = other.evaluate("(loop)");
    await other.terminate("no longer needed");
    expect(await running).toMatchObject({ kind: "lost", reason: "no longer needed" });
    await expect(other.probe("(")).rejects.toThrow(/no longer needed/);
  });

  it("says in words of Lisp that its heap is exhausted", async () => {
    const small = new ImageHost({ heapMb: 8 });
    onTestFinished(() => small.terminate());
    await expect(small.ready).rejects.toMatchObject({
      code: "image-ended",
      message:
        "The Lisp image has ended: its heap of 8 megabytes is exhausted. A new image starts with the next form.",
    });
    expect(await small.evaluate("1")).toMatchObject({
      kind: "lost",
      reason: "its heap of 8 megabytes is exhausted",
    });
  });

  it.each([
    ["exhausts the heap", "(loop with kept = nil do (push (make-array 100000 :initial-element 1) kept))"],
    ["exhausts the stack", "(labels ((down (n) (1+ (down (1+ n))))) (down 0))"],
    ["quits", "(autolith:quit)"],
    ["signals what is no error", "(signal 'warning) (throw 'nowhere 1)"],
    ["fails", '(error "no")'],
  ])("C115: an evaluation that %s ends with its cause, and ten others work", async (_name, form) => {
    const own = new ImageHost({ heapMb: 256 });
    onTestFinished(() => own.terminate());
    await own.ready;
    const ended = await own.evaluate(form);
    expect(ended.kind).not.toBe("values");
    expect(JSON.stringify(ended).length).toBeGreaterThan(20);
    const host = ended.kind === "lost" ? new ImageHost() : own;
    onTestFinished(() => host.terminate());
    await host.ready;
    const others = Array.from({ length: 10 }, (_, index) => host.evaluate(`(+ ${index} 1)`));
    expect(await Promise.all(others)).toMatchObject(
      others.map((_, index) => ({ kind: "values", values: [{ preview: String(index + 1) }] })),
    );
  });
});
