import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { LispImage, LispImageOptions } from "../../../orchestrator/contract/lisp-image.ts";
import { threadImages } from "../../../workers/image/lisp-images.ts";

const folder = mkdtempSync(join(tmpdir(), "saved-images-"));
const opened: LispImage[] = [];
afterAll(async () => {
  await Promise.all(opened.map((image) => image.terminate()));
  rmSync(folder, { recursive: true, force: true });
});

async function open(options: LispImageOptions = {}): Promise<LispImage> {
  const image = await threadImages.open(options);
  opened.push(image);
  return image;
}

async function value(image: LispImage, source: string): Promise<string> {
  const result = await image.evaluate(source);
  return result.kind === "values" ? result.values.map(({ preview }) => preview).join(" ") : result.kind;
}

describe("an image in its thread that is saved", () => {
  it("is what another thread starts from, with functions of the host defined again", async () => {
    const path = join(folder, "worker.image");
    const first = await open();
    first.define([{ name: "HOST-DOUBLE", lambdaList: "x", documentation: "" }], ([x]) => 2 * Number(x));
    await value(first, "(defpackage :kept (:use :cl)) (in-package :kept)");
    await value(
      first,
      "(defclass box () ((x :initarg :x :reader x))) (defvar *box* (make-instance 'box :x 7))",
    );
    await value(first, "(defun doubled () (autolith:host-double (x *box*)))");
    expect(await first.save(path, { note: "with a box" })).toMatchObject({
      note: "with a box",
      package: "KEPT",
      bytes: expect.any(Number) as number,
    });
    expect(await value(first, "(doubled)")).toBe("14");
    const second = await open({ image: path });
    second.define([{ name: "HOST-DOUBLE", lambdaList: "x", documentation: "" }], ([x]) => 20 * Number(x));
    expect(await value(second, "(list (doubled) (package-name *package*))")).toBe('(140 "KEPT")');
    expect((await second.journal()).map(({ name }) => name)).toContain("DOUBLED");
  });

  it("is refused while an evaluation waits, and saved when it has ended", async () => {
    const image = await open();
    const answer = Promise.withResolvers<number>();
    const called = Promise.withResolvers<void>();
    image.define([{ name: "ASK", lambdaList: "", documentation: "" }], () => {
      called.resolve();
      return answer.promise;
    });
    const waiting = image.evaluate("(autolith:ask)");
    await called.promise;
    const path = join(folder, "busy.image");
    await expect(image.save(path)).rejects.toMatchObject({ code: "image-busy" });
    answer.resolve(1);
    await waiting;
    expect((await image.save(path)).objects).toBeGreaterThan(0);
  });

  it("cannot be started from what is no image, nor saved where nothing can be written", async () => {
    const path = join(folder, "text.image");
    writeFileSync(path, "no image");
    await expect(open({ image: path })).rejects.toMatchObject({ code: "image-foreign" });
    await expect(open({ image: join(folder, "absent.image") })).rejects.toMatchObject({ code: "file-error" });
    const image = await open();
    await expect(image.save(join(folder, "no", "folder.image"))).rejects.toMatchObject({
      code: "file-error",
    });
    expect(await value(image, "(+ 1 2)")).toBe("3");
  });
});
