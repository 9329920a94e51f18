import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { LString } from "../../../lisp/data/string.ts";
import { createImage, type LispImage } from "../../../lisp/host/lisp-image.ts";
import { restoreLispImage, saveLispImage } from "../../../lisp/host/saved-image.ts";
import { debugText } from "../../../lisp/image/debug-text.ts";
import { ImageSaveError } from "../../../lisp/saved-images/image-errors.ts";

const folder = mkdtempSync(join(tmpdir(), "lisp-images-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function previews(lisp: LispImage, source: string): Promise<readonly string[]> {
  const result = await lisp.evaluate(source).result;
  if (result.kind === "values") return result.values.map(({ preview }) => preview);
  return [result.kind === "failed" ? `${result.condition?.type}: ${result.condition?.text}` : result.kind];
}

function fault(lisp: LispImage): { code: string; message: string } {
  try {
    saveLispImage(lisp);
  } catch (error) {
    if (error instanceof ImageSaveError) return error;
    throw error;
  }
  throw new Error("the image was saved");
}

describe("saving from Lisp", () => {
  it("writes a file that another image goes on from, in the same package", async () => {
    const lisp = createImage();
    const path = join(folder, "from-lisp.image");
    await previews(
      lisp,
      `(defpackage :shop (:use :cl :sb-ext)) (in-package :shop) (defvar *stock* (list 1 2))`,
    );
    expect(
      await previews(lisp, `(let ((*stock* :bound)) (namestring (save-image "${path}" :note "shop")))`),
    ).toEqual([`"${path}"`]);
    const { lisp: other, stamp } = restoreLispImage(readFileSync(path));
    expect(stamp).toMatchObject({ note: "shop", package: "SHOP" });
    expect(await previews(other, "(push 3 *stock*) (values *stock* (package-name *package*))")).toEqual([
      "(3 1 2)",
      '"SHOP"',
    ]);
    expect(await previews(lisp, "*stock*")).toEqual(["(1 2)"]);
  });

  it("is refused while something else is in flight, which is named", async () => {
    const lisp = createImage();
    const waiting = Promise.withResolvers<LString>();
    lisp.defineFunction("WAIT-FOR-HOST", "", () => waiting.promise);
    const other = lisp.evaluate("(autolith:wait-for-host)");
    const [text] = await previews(lisp, `(save-image "${join(folder, "never.image")}")`);
    expect(text).toMatch(
      /^SIMPLE-ERROR: an image can be saved only while nothing else runs in it; in flight: \d+ \(evaluation\)/,
    );
    expect(fault(lisp).code).toBe("image-busy");
    waiting.resolve(LString.from("now"));
    await other.result;
    expect(saveLispImage(lisp).length).toBeGreaterThan(0);
    expect(readdirSync(folder)).not.toContain("never.image");
  });

  it("reports what the file system refuses, and leaves the file that was there", async () => {
    const lisp = createImage();
    const path = join(folder, "kept.image");
    writeFileSync(path, "as it was");
    mkdirSync(join(folder, "taken.image", "full"), { recursive: true });
    const [taken] = await previews(lisp, `(save-image "${join(folder, "taken.image")}")`);
    expect(taken).toContain("SIMPLE-FILE-ERROR: The image could not be saved");
    const [text] = await previews(lisp, `(save-image "${join(folder, "no", "such", "folder.image")}")`);
    expect(text).toContain("SIMPLE-FILE-ERROR: The image could not be saved");
    expect(readFileSync(path, "utf8")).toBe("as it was");
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("writes nothing when the evaluation that saves is cancelled", async () => {
    const lisp = createImage();
    await previews(lisp, "(defvar *much* (make-list 300000 :initial-element 1))");
    const begun = Promise.withResolvers<void>();
    lisp.defineFunction("BEGUN", "", () => {
      begun.resolve();
      return LString.from("");
    });
    const saving = lisp.evaluate(`(autolith:begun) (save-image "${join(folder, "cancelled.image")}")`);
    await begun.promise;
    saving.cancel("enough");
    expect(await saving.result).toMatchObject({ kind: "cancelled", reason: "enough" });
    expect(await previews(lisp, "(length *much*)")).toEqual(["300000"]);
    expect(readdirSync(folder).filter((name) => name.startsWith("cancelled"))).toEqual([]);
  });

  it("is refused when the library on disk is another one than the image's", () => {
    const lisp = createImage();
    lisp.image.buildKey = () => "the-one-before";
    expect(fault(lisp)).toMatchObject({
      code: "image-incompatible",
      message: expect.stringContaining("the-one-before") as string,
    });
  });

  it("says what cannot be saved, and how it is reached", async () => {
    const lisp = createImage();
    await previews(lisp, "(defvar *holder* (list 1 (vector nil nil)))");
    const symbol = lisp.image.findPackage("COMMON-LISP-USER")!.lookup("*HOLDER*")!;
    (symbol.value as unknown as { cdr: { car: unknown[] } }).cdr.car[1] = new Promise(() => undefined);
    expect(fault(lisp)).toMatchObject({
      code: "image-unsavable",
      message: expect.stringMatching(/Promise has no saved form.*COMMON-LISP-USER::\*HOLDER\*/) as string,
    });
  });

  it("closes streams of files, which say so when they are used", async () => {
    const lisp = createImage();
    const path = join(folder, "open.txt");
    writeFileSync(path, "text");
    await previews(lisp, `(defvar *file* (open "${path}"))`);
    const { lisp: other } = restoreLispImage(saveLispImage(lisp));
    expect(await previews(other, "(list (streamp *file*) (open-stream-p *file*))")).toEqual(["(T NIL)"]);
    expect(await previews(other, "(read-char *file*)")).toEqual([
      expect.stringMatching(/STREAM-ERROR: .*closed/i),
    ]);
    expect(await previews(lisp, "(prog1 (read-char *file*) (close *file*))")).toEqual(["#\\t"]);
  });

  it("keeps host functions by name: they are what the host defines in the restored image", async () => {
    const lisp = createImage();
    lisp.defineFunction("ASK-HOST", "x", ([x]) => LString.from(`first ${debugText(x!)}`));
    await previews(lisp, "(defvar *fn* #'autolith:ask-host) (defun call-it (x) (autolith:ask-host x))");
    const { lisp: other } = restoreLispImage(saveLispImage(lisp));
    expect(await previews(other, "(funcall *fn* 1)")).toEqual([
      expect.stringMatching(/^UNDEFINED-FUNCTION: .*ASK-HOST/),
    ]);
    other.defineFunction("ASK-HOST", "x", ([x]) => LString.from(`second ${debugText(x!)}`));
    expect(await previews(other, "(list (funcall *fn* 1) (call-it 2))")).toEqual(['("second 1" "second 2")']);
  });

  it("keeps the journal: what is in it, evaluated in order in a fresh image, makes the same definitions", async () => {
    const lisp = createImage();
    await previews(
      lisp,
      `(defun twice (x) (* 2 x)) (defclass c () ((s :initform 1 :reader s)))
       (defmethod size ((c c)) (s c)) (defmethod size ((n integer)) n)
       (defpackage :other (:use :cl))
       (defmacro once (x) x)
       (defun twice (x) (+ x x))`,
    );
    await previews(lisp, "(in-package :other) (defun twice (x) (list x x))");
    const { lisp: other } = restoreLispImage(saveLispImage(lisp));
    const entries = other.journal.entries();
    expect(entries).toEqual(lisp.journal.entries());
    expect(entries.map(({ kind, name, package: pkg }) => `${pkg} ${kind} ${name}`)).toEqual([
      "COMMON-LISP-USER DEFCLASS C",
      "COMMON-LISP-USER DEFMETHOD SIZE",
      "COMMON-LISP-USER DEFMETHOD SIZE",
      "COMMON-LISP-USER DEFPACKAGE :OTHER",
      "COMMON-LISP-USER DEFMACRO ONCE",
      "COMMON-LISP-USER DEFUN TWICE",
      "OTHER DEFUN TWICE",
    ]);
    const fresh = createImage();
    for (const { source, package: pkg } of entries) await fresh.evaluate(source, { package: pkg }).result;
    const question = "(list (twice 4) (other::twice 4) (size (make-instance 'c)) (size 7) (once 3))";
    expect(await previews(fresh, question)).toEqual(["(8 (4 4) 1 7 3)"]);
    expect(await fresh.evaluate(question, { package: "COMMON-LISP-USER" }).result).toMatchObject({
      kind: "values",
    });
    expect(await previews(other, "(sys:definition-source 'twice)")).toEqual([
      '"(defun twice (x) (list x x))"',
      "NIL",
      "1",
    ]);
  });

  it("says in the journal which source is not whole", async () => {
    const lisp = createImage();
    await previews(lisp, `(defvar *long* "${"x".repeat(100_000)}") (defvar *short* 1)`);
    expect(lisp.journal.entries().map(({ cut, source }) => [cut, source.length])).toEqual([
      [true, 100_000],
      [false, 18],
    ]);
    expect(
      await previews(lisp, "(mapcar (lambda (entry) (getf entry :cut)) (sys:definition-journal))"),
    ).toEqual(["(T NIL)"]);
  });

  it("tells how far it is", async () => {
    const lisp = createImage();
    await previews(lisp, "(defvar *long* (make-list 60000 :initial-element 1))");
    const seen: number[] = [];
    saveLispImage(lisp, { onProgress: ({ objects }) => seen.push(objects) });
    expect(Math.max(...seen)).toBeGreaterThan(60_000);
    expect(seen.toSorted((a, b) => a - b)).toEqual(seen);
  });
});
