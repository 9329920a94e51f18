/** COMPILE-FILE and the modules it writes. Files are compiled in one image and loaded in another. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lispSession } from "./lisp-session.ts";

let folder = "";
let compiler: (form: string) => string = () => "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "autolith-modules-"));
  compiler = inFolder(lispSession());
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function inFolder(session: (form: string) => string): (form: string) => string {
  session(`(setq *default-pathname-defaults* (pathname "${folder}/"))`);
  return session;
}

/** Writes a source file and compiles it: what COMPILE-FILE returned, the name shortened. */
function compiled(name: string, source: string): string {
  writeFileSync(join(folder, `${name}.lisp`), source);
  return compiler(
    `(multiple-value-bind (file warned failed) (compile-file "${name}.lisp") (list (file-namestring file) warned failed))`,
  );
}

/** Writes a source file and compiles it: what it wrote on *ERROR-OUTPUT*, and what COMPILE-FILE returned, the name shortened. */
function messages(name: string, source: string): string {
  writeFileSync(join(folder, `${name}.lisp`), source);
  return compiler(
    `(let* ((values nil)
            (text (with-output-to-string (*error-output*) (setq values (multiple-value-list (compile-file "${name}.lisp"))))))
       (values text (and (first values) (file-namestring (first values))) (second values) (third values)))`,
  );
}

/** A new image that has loaded a module. */
function loaded(name: string): (form: string) => string {
  rmSync(join(folder, `${name}.lisp`), { force: true });
  const session = inFolder(lispSession());
  expect(session(`(load "${name}.fasl")`)).toBe("(T)");
  return session;
}

describe("modules", () => {
  it("hold definitions, and what they need, in a new image", () => {
    const result = compiled(
      "definitions",
      `(defpackage "SHAPES" (:use "CL") (:export "AREA" "MAKE-BOX"))
       (in-package "SHAPES")
       (defstruct box width height)
       (defgeneric area (shape) (:method ((shape box)) (* (box-width shape) (box-height shape))))
       (let ((calls 0)) (defun calls () (incf calls)))
       (defvar *limit* 10)
       (defmacro twice (form) \`(progn ,form ,form))
       (defun tick () (twice (calls)))`,
    );
    expect(result).toBe('(("definitions.fasl" NIL NIL))');
    const use = loaded("definitions");
    expect(use("(shapes:area (shapes:make-box :width 3 :height 4))")).toBe("(12)");
    expect(use("(list (shapes::tick) shapes::*limit* (package-name *package*))")).toBe(
      '((2 10 "COMMON-LISP-USER"))',
    );
  });

  it("define nothing where they are compiled, except for the compiler's use", () => {
    compiled("nothing", "(defun unseen () 1) (defmacro seen () 2) (defun user () (seen))");
    expect(compiler("(list (fboundp 'unseen) (fboundp 'user) (macroexpand '(seen)))")).toBe("((NIL NIL 2))");
  });

  it("are freed of what EVAL-WHEN keeps for other times", () => {
    compiler("(defvar *seen* '())");
    const lists = ["", ":compile-toplevel"].flatMap((c) =>
      ["", ":load-toplevel"].flatMap((l) => ["", ":execute"].map((x) => `${c} ${l} ${x}`)),
    );
    const top = lists.map((list) => `(eval-when (${list}) (push '(${list}) *seen*))`);
    const inner = lists.map((list) => `(let () (eval-when (${list}) (push '(inner ${list}) *seen*)))`);
    compiled("times", [...top, ...inner].join("\n"));
    expect(compiler("(shiftf *seen* '())")).toBe(
      "(((:COMPILE-TOPLEVEL :LOAD-TOPLEVEL :EXECUTE) (:COMPILE-TOPLEVEL :LOAD-TOPLEVEL) (:COMPILE-TOPLEVEL :EXECUTE) (:COMPILE-TOPLEVEL)))",
    );
    expect(compiler("(progn (load \"times.fasl\") (remove 'inner (shiftf *seen* '()) :key #'car))")).toBe(
      "(((:COMPILE-TOPLEVEL :LOAD-TOPLEVEL :EXECUTE) (:COMPILE-TOPLEVEL :LOAD-TOPLEVEL) (:LOAD-TOPLEVEL :EXECUTE) (:LOAD-TOPLEVEL)))",
    );
    expect(compiler('(progn (load "times.lisp") (length (shiftf *seen* \'())))')).toBe("(8)");
  });

  it("keep local macros of top-level forms, and their compile-time definitions", () => {
    compiled(
      "local",
      `(macrolet ((define (name value) \`(progn (defmacro ,name () ,value) (defun call-it () (,name)))))
         (define forty-two 42))
       (symbol-macrolet ((z 10)) (defun ten () z))
       (locally (declare (optimize speed)) (defun one () 1))`,
    );
    const use = loaded("local");
    expect(use("(list (call-it) (forty-two) (ten) (one))")).toBe("((42 42 10 1))");
  });

  it("make literal objects again", () => {
    compiled(
      "literals",
      `(eval-when (:compile-toplevel :load-toplevel :execute)
         (defclass node () ((value :initarg :value :reader value) (next :accessor next)))
         (defmethod make-load-form ((object node) &optional environment)
           (make-load-form-saving-slots object :environment environment)))
       (defparameter *ring* '#.(let ((node (make-instance 'node :value 5))) (setf (next node) node) node))
       (defparameter *shared* '(#1=(a) #1# . #2=#(x #2#)))
       (defparameter *bytes* #.(make-array '(2 1) :element-type '(unsigned-byte 8) :initial-contents '((1) (2))))
       (defparameter *table* '#.(let ((table (make-hash-table :test 'equal))) (setf (gethash "k" table) '(1)) table))
       (defparameter *symbols* '(#3=#:made #3#))
       (defparameter *others* (list #\\x "a\\"b" 1.5d0 #c(1 2/3) #p"x/y.z" #*101 -0.0 'car '|a b|))`,
    );
    const use = loaded("literals");
    expect(use("(list (value *ring*) (eq *ring* (next *ring*)))")).toBe("((5 T))");
    expect(
      use("(list (eq (first *shared*) (second *shared*)) (eq (cddr *shared*) (svref (cddr *shared*) 1)))"),
    ).toBe("((T T))");
    expect(use('(list (array-element-type *bytes*) *bytes* (gethash "k" *table*))')).toBe(
      "(((UNSIGNED-BYTE 8) #2A((1) (2)) (1)))",
    );
    expect(use("(list (eq (first *symbols*) (second *symbols*)) (symbol-package (first *symbols*)))")).toBe(
      "((T NIL))",
    );
    expect(use("*others*")).toBe('((#\\x "a\\"b" 1.5d0 #C(1 2/3) #P"x/y.z" #*101 -0.0 CAR |a b|))');
  });

  it("are read in standard syntax whatever the program has set", () => {
    const source = "(eval-when (:compile-toplevel) (setq *read-base* 16)) (defparameter *sum* (+ 10 10 1.5))";
    expect(compiled("syntax", source)).toBe('(("syntax.fasl" NIL NIL))');
    expect(compiler("(setq *read-base* 10.)")).toBe("(10)");
    const use = inFolder(lispSession());
    const settings = "(*read-base* 2) (*read-default-float-format* 'double-float)";
    expect(use(`(let (${settings}) (load "syntax.fasl") (list *sum* *read-base*))`)).toBe("((33.5 2))");
  });

  it("tell of warnings, and of forms that cannot be compiled, which signal when loaded", () => {
    expect(compiled("style", "(eval-when (:compile-toplevel) (warn (make-condition 'style-warning)))")).toBe(
      '(("style.fasl" T NIL))',
    );
    expect(compiled("warned", '(eval-when (:compile-toplevel) (warn "careful"))')).toBe(
      '(("warned.fasl" T T))',
    );
    expect(compiled("wrong", "(defparameter *before* 1) (let ((x 1 2)) x) (defparameter *after* 2)")).toBe(
      '(("wrong.fasl" T T))',
    );
    expect(
      compiler('(list (nth-value 1 (ignore-errors (load "wrong.fasl"))) *before* (boundp \'*after*))'),
    ).toMatch(/^\(\(#<SIMPLE-ERROR .*> 1 NIL\)\)$/);
    expect(compiled("function", "(defparameter *car* '#.#'car)")).toBe('(("function.fasl" T T))');
  });

  it("tell the place and the function of what is wrong or not defined", () => {
    expect(messages("malformed", "(defun fine () 1)\n(defun wrong () (if))")).toMatch(
      /^\("; in \(DEFUN WRONG …\) at .*malformed.lisp:2:\n; .*IF.* "malformed.fasl" T T\)$/s,
    );
    expect(messages("unknown", "\n(defun uses () (nowhere 1))")).toMatch(
      /^\("WARNING: in \(DEFUN USES …\) at .*:2: the function NOWHERE is not defined.*" "unknown.fasl" T NIL\)$/s,
    );
    expect(messages("counts", "(defun two (a b) (list a b))\n(defun uses () (two 1))")).toMatch(
      /TWO is called with 1 argument; it takes 2.*" "counts.fasl" T T\)$/s,
    );
    expect(messages("variable", "(defun uses () undeclared)")).toMatch(
      /the variable UNDECLARED is not defined.*" "variable.fasl" T T\)$/s,
    );
    const fine = `(defvar *v* 1) (defclass p () ((x :accessor p-x))) (defstruct s a)
      (defun f (x &optional y) (list x y *v* (p-x x) (s-a x) (g :k 1))) (let ((n 0)) (defun g (&key k) (incf n) k))
      (defmethod h ((p p) y) (call-next-method) (with-slots (x) p (setf x y)) (setf (p-x p) (f 1)) (h p y))`;
    expect(messages("fine", fine)).toBe('("" "fine.fasl" NIL NIL)');
  });

  it("are written where COMPILE-FILE-PATHNAME says, and not when reading fails", () => {
    writeFileSync(join(folder, "there.lsp"), "(defun there () :there)");
    expect(compiler('(file-namestring (compile-file "there" :output-file "elsewhere.module"))')).toBe(
      '("elsewhere.module")',
    );
    expect(readFileSync(join(folder, "elsewhere.module"), "utf8").split("\n")).toEqual([
      expect.stringMatching(/^;;;; A module/),
      "(COMMON-LISP:DEFUN COMMON-LISP-USER::THERE COMMON-LISP:NIL :THERE)",
      "",
    ]);
    expect(compiler('(progn (load "elsewhere.module") (there))')).toBe("(:THERE)");
    expect(messages("cut", "(defun cut ()")).toMatch(
      /^\("; .*cut.lisp:1: .*the form that begins at line 1, column 1 is never closed.*Nothing was written.*" NIL T T\)$/s,
    );
    expect(messages("nowhere", "1\n(nowhere::x)")).toMatch(
      /^\("; .*:2: there is no package named .* NIL T T\)$/s,
    );
    expect(compiler('(probe-file "cut.fasl")')).toBe("(NIL)");
    expect(compiler('(compile-file "missing.lisp")')).toBe("AUTOLITH-SYSTEM:SIMPLE-FILE-ERROR");
  });

  it("bind what a program asks for while they are compiled and loaded", () => {
    compiled(
      "names",
      `(defparameter *compiled-as* '#.(list (file-namestring *compile-file-pathname*) (file-namestring *compile-file-truename*)))
       (defparameter *loaded-as* (file-namestring *load-truename*))`,
    );
    const use = loaded("names");
    expect(use("(list *compiled-as* *loaded-as* *load-truename* *compile-file-pathname*)")).toBe(
      '((("names.lisp" "names.lisp") "names.fasl" NIL NIL))',
    );
    writeFileSync(join(folder, "verbose.lisp"), "(defun verbose () 1)");
    expect(compiler('(with-output-to-string (*standard-output*) (compile-file "verbose.lisp"))')).toBe(
      '("")',
    );
    expect(
      compiler(
        '(with-output-to-string (*standard-output*) (compile-file "verbose.lisp" :verbose t :print t))',
      ),
    ).toMatch(/^\("; compiling .*verbose.lisp\n; \(DEFUN VERBOSE NIL 1\)\n"\)$/);
  });
});
