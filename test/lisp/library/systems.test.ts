/** The part of ASDF: small systems of Lisp source in a registry. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lispSession } from "./lisp-session.ts";

let folder = "";
let session: (form: string) => string = () => "";

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

/** A source file that notes that it was loaded. */
const noting = (name: string): string =>
  `(defvar cl-user::*loaded* '()) (setq cl-user::*loaded* (append cl-user::*loaded* '("${name}")))`;

const loadedNow = (): string => session("(prog1 cl-user::*loaded* (setq cl-user::*loaded* '()))");

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "autolith-systems-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  session = lispSession(
    `(setq asdf:*central-registry* (list "${folder}/alpha/" (pathname "${folder}/beta/")))`,
  );
});

function alphaAndBeta(): void {
  write(
    "alpha/alpha.asd",
    `(in-package "ASDF-USER")
     (defsystem "alpha" :version "1.2.3" :description "first" :author "A" :license "ISC"
       :depends-on ("beta" (:feature :no-such-feature "gamma") (:version "beta" "2.0"))
       :components ((:file "last" :depends-on ("parts" "package"))
                    (:module "parts" :serial t :depends-on ("package")
                     :components ((:file "one") (:file "two") (:static-file "read.me")))
                    (:file "package")
                    (:file "never" :if-feature (:and :autolith (:not :autolith))))
       :in-order-to ((test-op (test-op "alpha/tests"))))
     (defsystem "alpha/tests" :depends-on ("alpha") :pathname "tests"
       :components ((:file "tests"))
       :perform (test-op (o c) (symbol-call :alpha :run-tests (component-name c))))`,
  );
  write(
    "alpha/package.lisp",
    `(uiop:define-package :alpha (:use :cl) (:use-reexport :beta) (:export #:run-tests)) ${noting("package")}`,
  );
  write("alpha/parts/one.lisp", `(in-package :alpha) ${noting("one")}`);
  write(
    "alpha/parts/two.lisp",
    `(in-package :alpha) ${noting("two")} (defun twice (x) (* 2 (beta-value x)))`,
  );
  write("alpha/last.lisp", `(in-package :alpha) ${noting("last")}`);
  write(
    "alpha/tests/tests.lisp",
    `(in-package :alpha) ${noting("tests")} (defun run-tests (name) (push name cl-user::*loaded*))`,
  );
  write(
    "beta/beta.asd",
    `(asdf:defsystem #:beta :version (:read-file-form "version.sexp") :components ((:file "beta")))`,
  );
  write("beta/version.sexp", `"2.10"`);
  write(
    "beta/beta.lisp",
    `(defpackage :beta (:use :cl) (:export #:beta-value)) (in-package :beta) (defun beta-value (x) (1+ x)) ${noting("beta")}`,
  );
}

describe("systems", () => {
  it("load after what they depend on, their files as dependencies say", () => {
    alphaAndBeta();
    expect(session('(asdf:load-system "alpha")')).toBe("(T)");
    expect(loadedNow()).toBe('(("beta" "package" "one" "two" "last"))');
    expect(session("(list (alpha::twice 4) (alpha:beta-value 1) (package-name *package*))")).toBe(
      '((10 2 "COMMON-LISP-USER"))',
    );
    expect(
      session(
        '(let ((s (asdf:find-system :alpha))) (list (asdf:component-version s) (asdf:component-version (asdf:find-system "beta")) (asdf:component-name (asdf:find-component s (list "parts" "two"))) (and (member "alpha" *modules* :test (function equal)) t)))',
      ),
    ).toBe('(("1.2.3" "2.10" "two" T))');
    expect(session('(file-namestring (asdf:system-relative-pathname "alpha" "read.me"))')).toBe(
      '("read.me")',
    );
  });

  it("print by their public names", () => {
    alphaAndBeta();
    expect(session('(asdf:find-system "alpha")')).toBe('(#<SYSTEM "alpha">)');
  });

  it("load again only what has changed, and what comes after it", () => {
    alphaAndBeta();
    session('(asdf:load-system "alpha")');
    loadedNow();
    session('(asdf:load-system "alpha")');
    expect(loadedNow()).toBe("(NIL)");
    utimesSync(join(folder, "alpha/parts/two.lisp"), 1e9, 1e9);
    session('(asdf:load-system "alpha")');
    expect(loadedNow()).toBe('(("two" "last"))');
    utimesSync(join(folder, "beta/beta.lisp"), 1e9, 1e9);
    session('(require "alpha")');
    expect(loadedNow()).toBe("(NIL)");
    session("(asdf:load-system :alpha)");
    expect(loadedNow()).toBe('(("beta" "package" "one" "two" "last"))');
    session('(asdf:operate (quote asdf:load-op) "beta" :force t)');
    expect(loadedNow()).toBe('(("beta"))');
  });

  it("are tested by the systems their definitions name", () => {
    alphaAndBeta();
    expect(session('(asdf:test-system "alpha")')).toBe("(T)");
    expect(loadedNow()).toBe('(("alpha/tests" "beta" "package" "one" "two" "last" "tests"))');
  });

  it("may say what to perform by methods, as older definitions do", () => {
    write(
      "beta/beta.asd",
      `(defpackage #:beta-system (:use :cl :asdf)) (in-package #:beta-system)
       (defsystem beta :class :system :components ((:file "beta")))
       (defmethod perform ((o test-op) (c (eql (find-system :beta))))
         (setq cl-user::*loaded* (append cl-user::*loaded* (list (component-name c)))))
       (defmethod operation-done-p ((o test-op) (c (eql (find-system :beta)))) nil)`,
    );
    write("beta/beta.lisp", noting("source"));
    expect(
      session(
        "(list (asdf:component-loaded-p :beta) (asdf:oos 'asdf:load-op :beta) (asdf:component-loaded-p :beta))",
      ),
    ).toBe("((NIL T T))");
    expect(session("(list (asdf:oos 'asdf:test-op :beta) (asdf:require-system :beta))")).toBe("((T NIL))");
    expect(loadedNow()).toBe('(("source" "beta"))');
    expect(
      session("(handler-case (asdf:operate :bundle-op :beta) (asdf:system-definition-error () :unknown))"),
    ).toBe("(:UNKNOWN)");
    expect(
      session(
        '(handler-case (eval (read-from-string "(asdf:defsystem x :class :package-inferred-system)")) (asdf:system-definition-error (c) (search "only plain systems" (princ-to-string c))))',
      ),
    ).toMatch(/^\(\d+\)$/);
  });

  it("are found by REQUIRE, and in the trees of a source registry", () => {
    write("deep/down/gamma/gamma.asd", '(defsystem "gamma" :components ((:file "src/gamma.main")))');
    write("deep/down/gamma/src/gamma.main.lisp", noting("gamma"));
    expect(session('(require "gamma")')).toBe("SIMPLE-ERROR");
    session(
      `(asdf:initialize-source-registry '(:source-registry (:tree "${folder}/deep") :inherit-configuration))`,
    );
    expect(session('(require "gamma")')).toBe("(T)");
    expect(loadedNow()).toBe('(("gamma"))');
  });

  it("say what is missing or wrong", () => {
    const report = (form: string): string =>
      session(`(handler-case ${form} (error (c) (princ-to-string c)))`);
    write("alpha/alpha.asd", '(defsystem "alpha" :depends-on ("nowhere") :components ())');
    write(
      "beta/beta.asd",
      '(defsystem "beta" :components ((:file "a" :depends-on ("b")) (:file "b" :depends-on ("a"))))',
    );
    expect(report('(asdf:load-system "alpha")')).toMatch(
      /depends on the system \\"nowhere\\", which no file in .*alpha/,
    );
    expect(report('(asdf:load-system "delta")')).toMatch(
      /There is no system \\"delta\\": no file delta.asd .*CENTRAL-REGISTRY/,
    );
    expect(report('(asdf:load-system "beta")')).toMatch(/components a → b → a depend on each other/);
    expect(session('(asdf:find-system "delta" nil)')).toBe("(NIL)");
    expect(
      report('(eval (read-from-string "(asdf:defsystem x :components ((:cffi-file \\"a\\")))"))'),
    ).toMatch(/components of kind :CFFI-FILE are not known/);
    expect(
      report(
        '(eval (read-from-string "(asdf:defsystem x :components ((:file \\"a\\" :depends-on (\\"q\\"))))"))',
      ),
    ).toMatch(/depends on \\"q\\", which is no component/);
    session('(eval (read-from-string "(asdf:defsystem old :version \\"1.9\\")"))');
    session('(eval (read-from-string "(asdf:defsystem new :depends-on ((:version old \\"1.10\\")))"))');
    expect(report('(asdf:load-system "new")')).toMatch(/needs version 1.10 of .*version 1.9 is there/);
    expect(report('(uiop:run-program "ls")')).toMatch(/The Lisp starts no programs/);
  });
});

describe("portable utilities", () => {
  it.each([
    ['(uiop:split-string "a.b..c" :separator ".")', '(("a" "b" "" "c"))'],
    ['(uiop:split-string "a.b.c" :separator "." :max 2)', '(("a.b" "c"))'],
    ['(uiop:strcat "a" #\\b nil "c")', '("abc")'],
    [
      '(list (uiop:string-prefix-p "ab" "abc") (uiop:string-prefix-p "b" "abc") (uiop:string-suffix-p "abc" "bc"))',
      "((T NIL T))",
    ],
    ['(mapcar (function uiop:emptyp) (list nil "" "a" #()))', "((T T NIL T))"],
    ["(uiop:if-let (x 1) (list x) :none)", "((1))"],
    ["(uiop:if-let ((x 1) (y nil)) (list x y) :none)", "(:NONE)"],
    ["(uiop:nest (let ((x 1))) (list x) (+ x 1))", "((1 2))"],
    [
      "(uiop:while-collecting (odd even) (dolist (n '(1 2 3)) (if (oddp n) (odd n) (even n))))",
      "((1 3) (2))",
    ],
    ['(uiop:symbol-call "CL" :max 1 2)', "(2)"],
    ["(uiop:find-symbol* :no-such-name :cl nil)", "(NIL NIL)"],
    ["(uiop:featurep '(:and :autolith (:not :sbcl) (:or :a :common-lisp)))", "(T)"],
    ['(namestring (uiop:ensure-directory-pathname "a/b.c"))', '("a/b.c/")'],
    ['(namestring (uiop:pathname-parent-directory-pathname "/a/b/c.d"))', '("/a/")'],
    ['(namestring (uiop:subpathname "/a/b.c" "d/e" :type "f"))', '("/a/d/e.f")'],
    ['(list (uiop:first-char "ab") (uiop:last-char "ab") (uiop:ensure-list 1))', "((#\\a #\\b (1)))"],
  ])("%s", (form, expected) => {
    expect(lispSession()(form)).toBe(expected);
  });

  it("read files", () => {
    write("text.sexp", "(one)\n2 three\n");
    const at = (name: string): string => `"${folder}/${name}"`;
    expect(session(`(uiop:read-file-lines ${at("text.sexp")})`)).toBe('(("(one)" "2 three"))');
    expect(
      session(`(list (uiop:read-file-form ${at("text.sexp")}) (uiop:read-file-forms ${at("text.sexp")}))`),
    ).toBe("(((ONE) ((ONE) 2 THREE)))");
    expect(session(`(length (uiop:read-file-string ${at("text.sexp")}))`)).toBe("(14)");
    expect(
      session(
        `(list (uiop:file-exists-p ${at("none")}) (and (uiop:file-exists-p ${at("text.sexp")}) t) (uiop:file-exists-p ${at("")}) (and (uiop:directory-exists-p ${at("")}) t))`,
      ),
    ).toBe("((NIL T NIL T))");
  });
});
