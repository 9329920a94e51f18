import { describe, expect, it } from "vitest";
import { SHARE } from "../../../lisp/data/unfinished.ts";
import { LString } from "../../../lisp/data/string.ts";
import { T, symbolFunction } from "../../../lisp/data/symbol.ts";
import { bootImage } from "../../../lisp/image/boot.ts";
import { loadText } from "../../../lisp/image/source-loading.ts";
import { Scheduler } from "../../../lisp/runtime/scheduler.ts";

const size = 1_000_000;
const image = bootImage();
image.symbol("*PACKAGE*").value = image.findPackage("COMMON-LISP-USER")!;
loadText(
  image,
  `(defvar *list* (make-list ${size} :initial-element 1))
   (defvar *characters* (make-list ${size} :initial-element #\\a))
   (defvar *plist* (make-list ${size} :initial-element :other))
   (defvar *vector* (make-array ${size} :initial-element 1))
   (defvar *string* (make-string ${size} :initial-element #\\a))
   (defvar *folded* (make-string ${size} :initial-element #\\A))
   (defvar *bits* (make-array ${size} :element-type 'bit))
   (defvar *doubles* (make-array ${size} :element-type 'double-float))
   (defvar *deep* (let ((tree 1)) (dotimes (i ${size} tree) (setq tree (list tree)))))
   (defvar *table* (let ((table (make-hash-table))) (dotimes (i ${size} table) (setf (gethash i table) i))))
   (defvar *integer* (let ((n 7)) (dotimes (i 17 n) (setq n (+ (* n n) i 1)))))
   (defvar *other-integer* (isqrt (* 3 *integer* *integer*)))
   (defvar *cleaned* nil)
   (defun run-text (text) (eval (read-from-string text)) nil)`,
);
const run = symbolFunction(image.findPackage("COMMON-LISP-USER")!.lookup("RUN-TEXT")!)!;

/** Calls of one leaf with an argument of a million elements, and how many elements it must look at. */
const calls: readonly (readonly [form: string, elements: number])[] = [
  ["(length *list*)", size],
  ["(list-length *list*)", size],
  ["(reverse *list*)", size],
  ["(reverse *vector*)", size / 2],
  ["(nreverse (copy-list *list*))", 2 * size],
  ["(nreverse *vector*)", size / 2],
  ["(nreverse *doubles*)", size / 2],
  ["(append *list* nil)", size],
  ["(append '(1) *list* nil)", size],
  ["(nconc (copy-list *list*) nil (list 1))", 2 * size],
  ["(revappend *list* nil)", size],
  ["(nreconc (copy-list *list*) nil)", 2 * size],
  ["(copy-list *list*)", size],
  ["(copy-alist *list*)", size],
  ["(copy-tree *list*)", size],
  ["(copy-tree *deep*)", size],
  ["(copy-seq *list*)", size],
  ["(subseq *list* 1)", size],
  ["(butlast *list*)", 2 * size],
  ["(nbutlast (copy-list *list*))", 2 * size],
  ["(last *list*)", size],
  ["(last *list* 3)", size],
  ["(nth 999999 *list*)", size],
  ["(nthcdr 999999 *list*)", size],
  ["(elt *list* 999999)", size],
  ["(ldiff *list* nil)", size],
  ["(tailp 1 *list*)", size],
  ["(getf *plist* :absent)", size],
  ["(get-properties *plist* '(:absent))", size],
  ["(equal *list* (copy-list *list*))", 2 * size],
  ["(equalp *list* (copy-list *list*))", 2 * size],
  ["(equal *deep* (copy-tree *deep*))", 2 * size],
  ["(fill (copy-list *list*) 2)", 2 * size],
  ["(fill *vector* 2)", size],
  ["(fill *doubles* 2d0)", size],
  ["(replace *list* *vector*)", size],
  ["(replace *vector* *list*)", size],
  ["(setf (subseq *list* 0) *vector*)", size],
  ["(coerce *list* 'vector)", size],
  ["(coerce *vector* 'list)", size],
  ["(coerce *doubles* 'list)", size],
  ["(concatenate 'list *list* *vector*)", 2 * size],
  ["(make-list 1000000)", size],
  ["(string-upcase *string*)", size],
  ["(nstring-downcase *folded*)", size],
  ["(string-equal *string* *folded*)", size],
  ["(string< *string* *string*)", size],
  ["(bit-and *bits* *bits*)", size],
  ["(bit-not *bits*)", size],
  ["(sys:hash-table-entries *table*)", size],
];

describe("one call with a million elements", () => {
  /** Times that the runtime looked whether to go on, and the steps it counted. */
  function effort(form: string): { readonly looks: number; readonly steps: number } {
    const { runtime } = image;
    const tick = runtime.tick.bind(runtime);
    let looks = 0;
    runtime.tick = () => {
      looks++;
      return tick();
    };
    const thread = runtime.thread("measured", run, [LString.from(form)]);
    try {
      while (thread.outcome === null) runtime.run(thread);
    } finally {
      Reflect.deleteProperty(runtime, "tick");
    }
    return { looks, steps: thread.steps };
  }

  it.each(calls)("%s is made in shares", (form, elements) => {
    const { looks, steps } = effort(form);
    expect(looks).toBeGreaterThanOrEqual(Math.floor(elements / SHARE) - 1);
    expect(steps).toBeGreaterThanOrEqual(elements * 0.8);
  });

  it.each(["(gcd *integer* *other-integer*)", "(/ *integer* *other-integer*)"])(
    "%s is found in shares",
    (form) => {
      expect(effort(form).looks).toBeGreaterThanOrEqual(3);
    },
  );

  it.each([
    "(loop (copy-tree *deep*))",
    "(loop (equal *list* (copy-list *list*)))",
    "(copy-tree '#1=(1 . #1#))",
    "(equalp '#1=#(1 #1#) '#2=#(1 #2#))",
    "(loop (floor (1- (ash 1 16000000)) (1- (ash 1 8000000))))",
    "(loop (isqrt (ash 3 12000000)))",
    "(loop (prin1-to-string (ash 3 6000000)))",
    "(loop (read-from-string (make-string 3000000 :initial-element #\\7)))",
    "(progn (defmacro endless-macro () '(endless-macro)) (eval '(endless-macro)))",
    "(progn (define-symbol-macro endless-place endless-place) (eval 'endless-place))",
    "(loop (apply #'/= (loop for i below 20000 collect i)))",
  ])("%s ends when it is cancelled, and cleanup forms run", async (form) => {
    const scheduler = new Scheduler(image.runtime);
    const text = `(unwind-protect ${form} (setq *cleaned* t))`;
    loadText(image, "(setq *cleaned* nil)");
    const running = scheduler.start("cancelled", run, [LString.from(text)]);
    setTimeout(() => running.cancel("enough"), 20);
    expect(await running.outcome).toEqual({ kind: "unwound", reason: "enough" });
    expect(loadText(image, "*cleaned*")).toBe(T);
  });
});
