/**
 * Tools as Lisp calls them inside a named REPL: `(autolith:worker-tool-call "name" "json")` and `(autolith:worker-tool-context)`. An image
 * has these functions from its start; which tools answer is a matter of each evaluation.
 */
import { AutolithError } from "../contract/failure.ts";
import { absenceText } from "../tools/absent-operators.ts";
import type { HostCalls, HostFunctionDefinition, LispImage } from "../contract/lisp-image.ts";

/** Names of the host functions behind them. */
export const bridgeFunctions = { call: "%WORKER-TOOL-CALL", context: "%WORKER-TOOL-CONTEXT" } as const;

const definitions: readonly HostFunctionDefinition[] = [
  {
    name: bridgeFunctions.call,
    lambdaList: "name arguments",
    documentation: "Calls a host tool; see WORKER-TOOL-CALL.",
  },
  {
    name: bridgeFunctions.context,
    lambdaList: "",
    documentation: "Describes the evaluation's caller; see WORKER-TOOL-CONTEXT.",
  },
];

/** Answers cross as JSON and become property lists here. */
const source = `
(defun worker-tool-call (name arguments)
  "Call the host tool NAME with ARGUMENTS, a JSON text. A property list: :SUCCESS-P, :CONTENT, :CODE, :DETAILS."
  (let ((answer (cdr (%worker-tool-call name arguments))))
    (list :success-p (car answer) :content (cadr answer) :code (caddr answer) :details (cadddr answer))))
(defun worker-tool-context ()
  "A property list that says for whom this evaluation runs, and which tools WORKER-TOOL-CALL takes."
  (mapcan (lambda (entry)
            (list (intern (string-upcase (car entry)) :keyword)
                  (if (consp (cadr entry)) (cdadr entry) (cadr entry))))
          (cdr (%worker-tool-context))))
(defun redact (&rest arguments)
  "${absenceText("redact")}"
  (declare (ignore arguments))
  (error 'host-error :code :unsupported :message "${absenceText("redact")}"))
(export '(worker-tool-call worker-tool-context redact))`;

/** Makes the functions known in an image that has just started. Rejects with `image-ended`. */
export async function defineBridge(image: LispImage): Promise<void> {
  image.define(definitions, notDeclared);
  const result = await image.evaluate(source, { package: "AUTOLITH" });
  if (result.kind === "values") return;
  const reason = result.kind === "quit" ? "it quit" : result.reason;
  throw new AutolithError("image-ended", `The REPL could not be prepared: ${reason}`);
}

const notDeclared: HostCalls = () => {
  throw new AutolithError(
    "host-tools-not-declared",
    "This evaluation may call no tools. Give lisp.eval host-tools, an array of the exact names it may call.",
  );
};
