/** The code of a skill in its image: how it is found, loaded and called, and what its image tells the host. */
import { AutolithError } from "../contract/failure.ts";
import type { HostFunctionDefinition, LispImage, LispJson } from "../contract/lisp-image.ts";
import { printDataForm } from "../../lisp/data-forms/index.ts";
import type { ExecutableManifest, FunctionName } from "./executable-manifest.ts";

/** The host function that the image tells with how far it is. */
export const skillEvent = "%SKILL-EVENT";

const definitions: readonly HostFunctionDefinition[] = [
  {
    name: skillEvent,
    lambdaList: "kind &rest details",
    documentation: "Tells the host how far the code of a skill is.",
  },
];

const source = `
(defun %refuse-skill (code control &rest arguments)
  (let ((message (apply #'format nil control arguments)))
    (%skill-event "refused" code message)
    (error "~A" message)))

(defun %skill-system (name version asd registry)
  ;; Nothing else: what lies elsewhere was not shown to whoever approved the skill.
  (setf asdf:*central-registry* registry)
  (asdf:load-asd asd)
  (let* ((system (or (asdf:find-system name nil)
                     (%refuse-skill "skill-system-missing" "~A defines no system ~A." asd name)))
         (there (asdf:component-version system)))
    (unless (equal there version)
      (%refuse-skill "skill-system-version"
                     "The skill declares version ~A of the system ~A; ~:[no version~;version ~:*~A~] is there (~A)."
                     version name there asd))
    system))

(defun %check-skill-dependency (name version)
  (let ((system (or (asdf:find-system name nil)
                    (%refuse-skill "skill-dependency" "The system ~A, which the skill declares, is not there." name))))
    (unless (asdf:version-satisfies system version)
      (%refuse-skill "skill-dependency" "The skill needs version ~A of the system ~A; ~:[no version~;version ~:*~A~] is there."
                     version name (asdf:component-version system)))))

(defun %skill-function (package-name symbol-name)
  (let* ((package (find-package package-name))
         (symbol (and package (find-symbol symbol-name package))))
    (if (and symbol (fboundp symbol) (not (macro-function symbol)) (not (special-operator-p symbol)))
        symbol
        (%refuse-skill "skill-entrypoint" "Its system has no function ~A in a package ~A." symbol-name package-name))))

(defun %run-skill (&key system version asd registry dependencies function arguments limit predicate)
  (%skill-system system version asd registry)
  (loop for (name least) in dependencies do (%check-skill-dependency name least))
  (asdf:load-system system)
  (%skill-event "sources" (loop for name being the hash-keys of autolith-system::*loaded-sources* collect name))
  (let ((function (%skill-function (first function) (second function))))
    (%skill-event "running")
    (let ((value (apply function (append arguments (list :context (worker-tool-context))))))
      (with-standard-io-syntax
        (multiple-value-bind (text cut)
            (autolith-system::bounded-print (if predicate (and value t) value) limit)
          (%skill-event "result" text (if cut "cut" "whole")))))
    nil))`;

/** Makes the functions known in an image that has just started. Rejects with `image-ended`. */
export async function defineSkillPrelude(image: LispImage): Promise<void> {
  image.define(definitions);
  const result = await image.evaluate(source, { package: "AUTOLITH" });
  if (result.kind === "values") return;
  throw new AutolithError("image-ended", "The image of a skill could not be prepared.");
}

export type SkillCall = {
  readonly manifest: ExecutableManifest;
  readonly function: FunctionName;
  /** Printed form of the one argument; undefined for a function that tries the skill and answers true or false. */
  readonly input: string | undefined;
  /** Absolute path of the file that defines the system. */
  readonly asd: string;
  /** Absolute directories, with a slash at the end: the only ones in which further systems are looked for. */
  readonly registry: readonly string[];
  /** Characters that the printed result may have. */
  readonly resultLimit: number;
};

/** The form that its image evaluates. Pure. */
export function skillForm(call: SkillCall): string {
  const { manifest } = call;
  const data = (form: Parameters<typeof printDataForm>[0]): string => `'${printDataForm(form)}`;
  return [
    `(autolith::%run-skill :system ${printDataForm(manifest.system)} :version ${printDataForm(manifest.systemVersion)}`,
    ` :asd ${printDataForm(call.asd)} :registry ${data([...call.registry])}`,
    ` :dependencies ${data(manifest.dependencies.map(({ system, version }) => [system, version]))}`,
    ` :function ${data([call.function.package, call.function.symbol])}`,
    ` :limit ${call.resultLimit}`,
    ...(call.input === undefined ? [" :predicate t)"] : [` :arguments '(${call.input}))`]),
  ].join("");
}

/** What an image has told of its skill. */
export class SkillReport {
  isRunning = false;
  refusal: { readonly code: string; readonly message: string } | undefined;
  result: { readonly text: string; readonly isCut: boolean } | undefined;
  sources: readonly string[] = [];

  /** Answers {@link skillEvent}. */
  told([kind, ...details]: readonly LispJson[]): LispJson {
    const [first, second] = details;
    if (kind === "running") this.isRunning = true;
    if (kind === "sources" && Array.isArray(first))
      this.sources = first.filter((name) => typeof name === "string");
    // The first word holds: what comes behind it comes from the skill's own code.
    if (kind === "refused" && typeof first === "string" && typeof second === "string" && !this.isRunning)
      this.refusal ??= { code: first, message: second };
    if (kind === "result" && typeof first === "string")
      this.result = { text: first, isCut: second === "cut" };
    return false;
  }
}
