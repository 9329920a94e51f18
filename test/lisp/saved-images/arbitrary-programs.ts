import fc from "fast-check";

/** Forms over the variables A and B that always end: calls, bindings, closures, exits, loops and several values. */
export const arbitraryProgram: fc.Arbitrary<string> = fc.letrec<{ form: string }>((tie) => {
  const form = tie("form");
  const shaped = (text: string, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc
      .tuple(...parts)
      .map((chosen) => chosen.reduce((all, part, i) => all.replaceAll(`$${i + 1}`, part), text));
  return {
    form: fc.oneof(
      { maxDepth: 4, depthSize: "small", withCrossShrink: true },
      fc.constantFrom(
        "a",
        "b",
        "1",
        "-7",
        "2.5d0",
        "1/3",
        "nil",
        "t",
        "'(1 2 . x)",
        '"text"',
        "#\\c",
        ":key",
      ),
      shaped("(list $1 $2)", form, form),
      shaped("(if $1 $2 $3)", form, form, form),
      shaped("(let ((a $1)) (list a $2))", form, form),
      shaped("(let ((n 0)) (dotimes (i 5) (incf n i) (when (eql n $1) (return (list n $2)))) n)", form, form),
      shaped("(let ((f (lambda (x) (setq a x) (list x $1)))) (list (funcall f $2) a))", form, form),
      shaped("(block out (list 1 (if $1 (return-from out $2) $3)))", form, form, form),
      shaped("(catch 'tag (list (throw 'tag $1) $2))", form, form),
      shaped("(handler-case (car $1) (type-error (c) (list :no-list (type-error-datum c) $2)))", form, form),
      shaped("(handler-case (+ $1 $2) (type-error (c) (type-error-datum c)))", form, form),
      shaped("(multiple-value-list (values $1 $2))", form, form),
      shaped("(let ((log nil)) (unwind-protect (push $1 log) (push $2 log)) log)", form, form),
      shaped("(labels ((f (n) (if (< n 1) $1 (list n (f (- n 1)))))) (f 3))", form),
      shaped("(mapcar (lambda (x y) (list y x $1)) '(1 2) (list $2 a))", form, form),
      shaped("(let ((*print-base* 8)) (list *print-base* $1 (symbol-value '*print-base*)))", form),
      shaped("(tagbody (setq b $1) (go end) (setq b 1) end)", form),
      shaped("(let* ((v (vector $1 $2)) (w (copy-seq v))) (setf (svref w 0) b) (list v w))", form, form),
      shaped("(funcall (let ((k $1)) (lambda (&key (z k) &aux (y z)) (list z y))) :z $2)", form, form),
    ),
  };
}).form;
