import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
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

  it("calls functions of the main thread, whose failures are Lisp errors", async () => {
    image.defineFunction("ADD-UP", "&rest numbers", (args) =>
      (args as number[]).reduce((sum, n) => sum + n, 0),
    );
    image.defineFunction("REFUSE", "", () => Promise.reject(new Error("no")));
    expect(await image.evaluate("(autolith:add-up 1 2 3)")).toMatchObject({ values: [{ preview: "6" }] });
    expect(await image.evaluate("(handler-case (autolith:refuse) (error () :refused))")).toMatchObject({
      values: [{ preview: ":REFUSED" }],
    });
  });

  it("ends evaluations as lost when its thread is terminated", async () => {
    const other = new ImageHost();
    await other.ready;
    const running = other.evaluate("(loop)");
    await other.terminate("no longer needed");
    expect(await running).toMatchObject({ kind: "lost", reason: "no longer needed" });
    await expect(other.probe("(")).rejects.toThrow(/no longer needed/);
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
