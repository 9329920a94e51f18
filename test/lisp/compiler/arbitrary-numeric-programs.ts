import fc from "fast-check";

/**
 * Bodies of functions over declared numbers: double-floats X and Y, single-floats U and V, fixnums I and J, and arrays A
 * (double-floats), M (3 by 3), F (single-floats), B (octets) and K (fixnums) of length 8. Every operation's result counts, so that
 * no compiler may leave out one that signals; all operations are exact or rounded as IEEE 754 says; and constants are variables, because
 * some compilers multiply constants with each other first.
 */
export const arbitraryNumericBody: fc.Arbitrary<string> = fc
  .letrec<{
    double: string;
    single: string;
    integer: string;
    test: string;
  }>((tie) => {
    const [d, s, i, c] = [tie("double"), tie("single"), tie("integer"), tie("test")];
    const at = i.map((form) => `(mod ${form} 8)`);
    const side = i.map((form) => `(mod ${form} 3)`);
    const shaped = (text: string, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
      fc
        .tuple(...parts)
        .map((chosen) => chosen.reduce((all, part, n) => all.replaceAll(`$${n + 1}`, part), text));
    const depth = { maxDepth: 4, depthSize: "small", withCrossShrink: true } as const;
    return {
      double: fc.oneof(
        depth,
        fc.constantFrom("x", "y", "0d0", "-0d0", "half", "three", "huge", "tiny"),
        shaped("(+ $1 $2)", d, d),
        shaped("(- $1 $2)", d, d),
        shaped("(* $1 $2)", d, d),
        shaped("(* $1 $2 $3)", d, d, d),
        shaped("(/ $1 $2)", d, d),
        shaped("(- $1)", d),
        shaped("(1+ $1)", d),
        shaped("(abs $1)", d),
        shaped("(min $1 $2)", d, d),
        shaped("(max $1 $2)", d, d),
        shaped("(sqrt (the (double-float 0d0) (abs $1)))", d),
        shaped("(float $1 1d0)", i),
        shaped("(float $1 1d0)", s),
        shaped("(+ $1 $2)", i, d),
        shaped("(* $1 $2)", d, s),
        shaped("(aref a $1)", at),
        shaped("(aref m $1 $2)", side, side),
        shaped("(if $1 $2 $3)", c, d, d),
        shaped("(let ((z $1) (w $2)) (declare (double-float z w)) (+ (* z w) z))", d, d),
        shaped("(let ((z $1)) (setq z (+ z $2)) (- z x))", d, d),
        shaped("(the double-float (identity $1))", d),
        shaped(
          "(let ((s 0d0)) (declare (type double-float s)) (dotimes (q 3) (setq s (+ s $1)) (incf x s)) s)",
          d,
        ),
        shaped("(setf (aref a $1) $2)", at, d),
        shaped("(progn (incf (aref m $1 $2) $3) (aref m 1 1))", side, side, d),
        shaped("(incf x $1)", d),
        shaped(
          "(multiple-value-bind (q r) (floor (min 1d9 (max -1d9 $1))) (declare (fixnum q) (double-float r)) (+ r (* 0.5d0 q)))",
          d,
        ),
        shaped("(multiple-value-bind (q r) (truncate (max -1d6 (min 1d6 $1))) (- (* 2 q) r))", d),
        shaped("(setf (grain-q g) $1)", d),
        shaped("(progn (incf (grain-q g) $1) (+ (grain-q g) (grain-s g)))", d),
        shaped("(aref (grain-v g) $1)", at),
        shaped("(setf (aref (grain-v g) $1) $2)", at, d),
        shaped(
          "(flet ((f (p n) (declare (double-float p) (fixnum n)) (if (> n $1) (* p y) (- p)))) (f $2 $3))",
          i,
          d,
          i,
        ),
        shaped(
          "(labels ((f (p n) (declare (double-float p) (fixnum n)) (if (< n 1) p (f (+ p $1) (1- n))))) (f $2 2))",
          d,
          d,
        ),
        shaped("(funcall (let ((z $1)) (lambda (p) (declare (double-float p)) (+ p z x))) $2)", d, d),
        shaped(
          "(let ((z $1)) (declare (double-float z)) (funcall (lambda () (setq z (* z $2)))) (+ z $1))",
          d,
          d,
        ),
        shaped(
          "(block nil (let ((r y)) (declare (double-float r)) (dotimes (q 4 r) (when $1 (return (+ r $2))) (decf r $3))))",
          c,
          d,
          d,
        ),
        shaped(
          "(loop for q fixnum from 0 below $1 for z of-type double-float = $2 sum (* z q) into total of-type double-float finally (return (+ total y)))",
          at,
          d,
        ),
      ),
      single: fc.oneof(
        depth,
        fc.constantFrom("u", "v", "0f0", "-0f0", "tenth", "large"),
        shaped("(+ $1 $2)", s, s),
        shaped("(- $1 $2)", s, s),
        shaped("(* $1 $2 tenth)", s, s),
        shaped("(/ $1 $2)", s, s),
        shaped("(- $1)", s),
        shaped("(max $1 $2)", s, s),
        shaped("(+ $1 $2)", i, s),
        shaped("(aref f $1)", at),
        shaped("(setf (aref f $1) $2)", at, s),
        shaped("(if $1 $2 $3)", c, s, s),
        shaped("(let ((z $1)) (declare (single-float z)) (setq z (* z $2)) (+ z u))", s, s),
        shaped("(float $1 1f0)", i),
        shaped("(progn (setq u (+ u $1)) (* u v))", s),
      ),
      integer: fc.oneof(
        depth,
        fc.constantFrom("i", "j", "0", "1", "-7", "255", "123456789"),
        shaped("(+ $1 $2)", i, i),
        shaped("(- $1 $2)", i, i),
        shaped("(* (mod $1 1000) (rem $2 1000))", i, i),
        shaped("(min $1 $2)", i, i),
        shaped("(abs $1)", i),
        shaped("(logand $1 255)", i),
        shaped("(logxor (logand $1 65535) (logand $2 4095))", i, i),
        shaped("(ash (logand $1 1023) 4)", i),
        shaped("(ash $1 -3)", i),
        shaped("(floor $1 7)", i),
        shaped("(truncate $1 -5)", i),
        shaped("(aref b $1)", at),
        shaped("(aref k $1)", at),
        shaped("(setf (aref b $1) (mod $2 256))", at, i),
        shaped("(setf (aref k $1) $2)", at, i),
        shaped("(let ((n 0)) (declare (fixnum n)) (dotimes (q $1 n) (setq n (+ n $2 q))))", at, i),
        shaped("(let ((n $1)) (dotimes (q 3) (setq n (logand (+ n $2) 1023))) n)", i, i),
        shaped("(if $1 $2 $3)", c, i, i),
        shaped("(nth-value 1 (floor $1 9))", i),
        shaped(
          "(multiple-value-bind (q r) (floor $1 $2) (- (* 3 r) q))",
          i,
          fc.constantFrom("7", "-5", "(1+ (mod j 6))"),
        ),
        shaped("(multiple-value-bind (q r) (truncate $1 10) (declare (fixnum q r)) (+ q r))", i),
        shaped("(setf (sbit z $1) (mod $2 2))", at, i),
        shaped("(+ (bit z $1) (sbit z $2))", at, at),
        shaped("(logxor (logand $1 #xffffffff) #xedb88320)", i),
        shaped("(ash (logand $1 #xffffffff) -5)", i),
        shaped("(round (min 1d9 (max -1d9 $1)))", d),
        shaped("(floor (min 1d9 (max -1d9 $1)))", d),
        shaped("(truncate (min 1f6 (max -1f6 $1)))", s),
      ),
      test: fc.oneof(
        depth,
        shaped("(< $1 $2)", d, d),
        shaped("(>= $1 $2)", d, d),
        shaped("(= $1 $2)", d, d),
        shaped("(< $1 $2)", i, d),
        shaped("(<= $1 $2)", s, s),
        shaped("(eql $1 $2)", d, d),
        shaped("(zerop $1)", d),
        shaped("(plusp $1)", s),
        shaped("(evenp $1)", i),
        shaped("(> $1 $2)", i, i),
        shaped("(and $1 $2)", c, c),
        shaped("(or $1 (not $2))", c, c),
      ),
    };
  })
  .double.chain((double) =>
    fc
      .constantFrom("(list %)", "(values % x)", "(list % (+ x y) (* u v) (+ i j))")
      .map((frame) => frame.replace("%", double)),
  );

/** Lisp that such functions need: a structure G with slots of numbers and an array. */
export const numericDefinitions =
  "(defstruct grain (q 0.5d0 :type double-float) (s 0.25f0 :type single-float) (v nil :type (simple-array double-float (*))))";

/** A function of the four floats and two fixnums with such a body, and with the arrays at the end of its values. */
export function numericFunction(body: string): string {
  return (
    "(lambda (x y u v i j half three huge tiny tenth large) (declare (type double-float x y half three huge tiny) (single-float u v tenth large) (fixnum i j)) " +
    "(let ((a (make-array 8 :element-type 'double-float :initial-element 1.5d0)) " +
    "(m (make-array (list 3 3) :element-type 'double-float :initial-element 0.25d0)) " +
    "(f (make-array 8 :element-type 'single-float :initial-element 0.1f0)) " +
    "(b (make-array 8 :element-type '(unsigned-byte 8) :initial-element 200)) " +
    "(k (make-array 8 :element-type 'fixnum :initial-element 3)) " +
    "(z (make-array 8 :element-type 'bit :initial-element 0)) " +
    "(g (make-grain :v (make-array 8 :element-type 'double-float :initial-element 2.5d0)))) " +
    "(declare (ignorable u v i j half three huge tiny tenth large z g) (type (simple-array (unsigned-byte 8) (8)) b) (type (simple-array double-float (3 3)) m)) " +
    `(list (multiple-value-list ${body}) x u (coerce a 'list) (aref m 1 1) (aref m 0 2) (coerce f 'list) (coerce b 'list) (coerce k 'list) (coerce z 'list) (grain-q g) (grain-s g) (coerce (grain-v g) 'list))))`
  );
}

/** Arguments for such functions. */
export const numericArguments: readonly string[] = [
  "1.25d0 -7d0 0.5f0 2f0 3 -4 1.5d0 -3.25d0 1d300 1d-300 0.1f0 3f38",
  "0d0 -0d0 -0f0 1f-3 0 7 1.5d0 -3.25d0 1d300 1d-300 0.1f0 3f38",
  "1d200 1d-200 1f30 1f30 1000000 -1 1.5d0 -3.25d0 1d300 1d-300 0.1f0 3f38",
];
