import { LString } from "../../../lisp/data/string.ts";
import { symbolFunction } from "../../../lisp/data/symbol.ts";
import { bootImage } from "../../../lisp/image/boot.ts";
import { loadText } from "../../../lisp/image/source-loading.ts";

const printer = `
(defun print-values (text)
  (let ((*print-pretty* nil))
    (handler-case (prin1-to-string (multiple-value-list (eval (read-from-string text))))
      (error (condition) (prin1-to-string (type-of condition))))))
`;

/** A function that evaluates one form in a new image and gives the printed list of its values, or the condition's type. */
export function lispSession(prelude = ""): (form: string) => string {
  const image = bootImage();
  const user = image.findPackage("COMMON-LISP-USER")!;
  image.symbol("*PACKAGE*").value = user;
  loadText(image, `${printer}${prelude}`);
  const evaluate = symbolFunction(user.lookup("PRINT-VALUES")!)!;
  return (form) => (image.runtime.callNow(evaluate, LString.from(form)) as LString).toJS();
}
