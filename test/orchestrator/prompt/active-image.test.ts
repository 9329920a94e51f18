import { describe, expect, it } from "vitest";
import { AutolithError, type Failure } from "../../../orchestrator/contract/failure.ts";
import type { LispImages } from "../../../orchestrator/contract/lisp-image.ts";
import { ActiveImage } from "../../../orchestrator/prompt/active-image.ts";
import { threadImages } from "../../../workers/image/lisp-images.ts";

function imageOver(images: LispImages): { readonly active: ActiveImage; readonly reports: Failure[] } {
  const reports: Failure[] = [];
  const active = new ActiveImage({
    images,
    directory: () => "/",
    functions: () => [{ name: "ECHO", lambdaList: "x", documentation: "Its argument." }],
    initialize: () => Promise.resolve(),
    prelude: '(in-package "AUTOLITH")',
    report: (failure) => reports.push(failure),
  });
  return { active, reports };
}

describe("the active image", () => {
  it("is made by the first form, told when it is lost, and made anew by the next one", async () => {
    let opened = 0;
    const { active, reports } = imageOver({
      open: () => {
        opened += 1;
        return threadImages.open({ heapMb: 192 });
      },
    });
    const user = {};
    active.join(user);
    expect(opened).toBe(0);
    const echoed = { onCall: ([x]: readonly unknown[]) => x as string };
    expect(await active.evaluate('(echo "x")', echoed)).toMatchObject({ values: [{ preview: '"x"' }] });
    await active.evaluate("(defvar *here* 1)", {});
    const beside = active.evaluate("(loop)", {});
    const greedy =
      "(let ((kept nil)) (handler-bind ((storage-condition #'identity)) (loop (push (make-array 100000 :initial-element 1) kept))))";
    const exhausted = await active.evaluate(greedy, {});
    // The heap's soft bound may end the form alone; the thread is lost when that comes too late.
    if (exhausted.kind !== "lost") await (await active.open()).terminate("lost for the test");
    expect(await beside).toMatchObject({ kind: "lost" });
    expect(reports).toMatchObject([{ code: "image-lost" }]);
    expect(await active.evaluate("(boundp '*here*)", {})).toMatchObject({ values: [{ preview: "NIL" }] });
    expect(opened).toBe(2);
    await active.leave(user);
    expect(active.isStarted).toBe(false);
  });

  it("says that no image could be made, and tries again with the next form", async () => {
    let broken = true;
    const { active } = imageOver({
      open: () =>
        broken
          ? Promise.reject(new AutolithError("image-ended", "no thread"))
          : threadImages.open({ heapMb: 192 }),
    });
    const user = {};
    active.join(user);
    expect(await active.evaluate("1", {})).toMatchObject({ kind: "lost", reason: /no thread/ });
    broken = false;
    expect(await active.evaluate("1", {})).toMatchObject({ values: [{ preview: "1" }] });
    await active.leave(user);
  });
});
