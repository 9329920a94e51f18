import { beforeEach, describe, expect, it } from "vitest";
import { GenericFunction } from "../../../lisp/objects/class.ts";
import { objectSystem } from "../../../lisp/objects/object-system.ts";
import { symbolFunction } from "../../../lisp/data/symbol.ts";
import { bootImage } from "../../../lisp/image/boot.ts";
import type { Image } from "../../../lisp/image/image.ts";
import { loadText } from "../../../lisp/image/source-loading.ts";

describe("classes and generic functions of the library", () => {
  let image: Image;
  // The first boot of a changed library compiles it, and so has made everything.
  bootImage();
  beforeEach(() => {
    image = bootImage();
  });
  const deferred = (): { readonly waiting: boolean } => objectSystem(image).deferred;
  const evaluate = (text: string): unknown => loadText(image, text);

  it("wait through a boot, definitions, printing of plain data and handled errors", () => {
    evaluate(`(defun twice (x) (* 2 x)) (prin1-to-string (list (twice 2) "a" 1.5)) (format nil "~A" '(1 2))
              (handler-case (car 1) (type-error (c) (type-error-datum c)))`);
    expect(deferred().waiting).toBe(true);
  });

  it.each([
    ["a call of a generic function", "(make-instance 'standard-object)"],
    ["the methods of one", "(sb-mop:generic-function-methods #'print-object)"],
    ["a class of the library by name", "(find-class 'sb-gray:fundamental-stream)"],
    ["the subclasses of a class", "(sb-mop:class-direct-subclasses (find-class 'standard-object))"],
    ["a method of the user", "(defmethod print-object ((x (eql 17)) stream) (princ :seventeen stream))"],
    ["a class of the user", "(defclass point () ((x :initarg :x :reader point-x)))"],
  ])("are made by %s", (_what, text) => {
    evaluate(text);
    expect(deferred().waiting).toBe(false);
  });

  it("are the objects that stood for them before", () => {
    const names = ["PRINT-OBJECT", "MAKE-INSTANCE", "SYS:STREAM-READ-CHAR"];
    const before = names.map((name) => symbolFunction(image.symbol(name)));
    for (const fn of before) expect(fn).toBeInstanceOf(GenericFunction);
    evaluate("(make-instance 'standard-object)");
    expect(names.map((name) => symbolFunction(image.symbol(name)))).toEqual(before);
    for (const fn of before) expect((fn as GenericFunction).methods).toHaveProperty("car");
  });

  it("are made once the stack allows it, when it was exhausted at the first attempt", () => {
    evaluate(`(defun deep (n) (if (zerop n) (make-instance 'standard-object) (1+ (deep (1- n)))))
              (handler-case (deep 10000000) (storage-condition () :exhausted))
              (defparameter *made* (make-instance 'standard-object))`);
    expect(deferred().waiting).toBe(false);
  });
});
