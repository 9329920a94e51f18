/** Objects that contain themselves cannot be printed without *PRINT-CIRCLE* or *PRINT-LEVEL*: that ends in an error. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const program = new URL("../../../script/lisp.ts", import.meta.url).pathname;

const definitions = `
(defstruct node value next)
(defun shown (object &key pretty circle level)
  (let ((text (let ((*print-pretty* pretty) (*print-circle* circle) (*print-level* level))
                (handler-case (prin1-to-string object)
                  (storage-condition (condition) (princ-to-string condition))))))
    (write-line (cond ((search "inside itself" text) "endless") ((> (length text) 100) (format nil "~D" (length text))) (t text)))))
(defun self-list (&aux (list (list 1))) (setf (car list) list))
(defun self-vector (&aux (vector (vector 1 2))) (setf (aref vector 0) vector))
(defun self-array (&aux (array (make-array '(1 2) :initial-element 0))) (setf (aref array 0 0) array))
(defun self-node (&aux (node (make-node))) (setf (node-next node) (vector 1 (list 2 node))) node)
(defun deep (depth &aux (list nil)) (dotimes (i depth list) (setq list (list list))))
`;

/** Forms, and what they write. */
const cases: readonly (readonly [string, string])[] = [
  ["(shown (self-list))", "endless"],
  ["(shown (self-list) :pretty t)", "endless"],
  ["(shown (self-vector))", "endless"],
  ["(shown (self-array))", "endless"],
  ["(shown (self-node))", "endless"],
  ["(shown (self-node) :pretty t)", "endless"],
  ["(shown (self-list) :level 3)", "(((#)))"],
  ["(shown (self-list) :level 3000)", "6001"],
  ["(shown (self-list) :circle t)", "#1=(#1#)"],
  ["(shown (deep 5000))", "10003"],
];

it("printing an object that contains itself ends, in an error unless the variables of the printer make an end", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lisp-circular-"));
  try {
    const file = join(folder, "circular.lisp");
    await writeFile(file, definitions + cases.map(([form]) => form).join("\n"));
    const { stdout } = await promisify(execFile)(process.execPath, [program, file]);
    expect(stdout.trimEnd().split("\n")).toEqual(cases.map(([, shown]) => shown));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
