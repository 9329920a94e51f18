/** A skill with code, for tests: written below a workspace. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type SkillFiles = {
  readonly manifest?: Readonly<Record<string, string>>;
  readonly version?: string;
  /** The functions of its package. */
  readonly source?: string;
};

const defaults: Readonly<Record<string, string>> = {
  "format-version": "1",
  "skill-version": '"1.0.0"',
  system: '"my-workflow"',
  "system-version": '"1.0.0"',
  entrypoint: '("MY-WORKFLOW" "RUN")',
  "self-test": '("MY-WORKFLOW" "SELF-TEST")',
  verify: '("MY-WORKFLOW" "VERIFY")',
  capabilities: '("workspace-read")',
  tools: '("resource.read")',
  input: "(:type :object)",
  output: "(:type :object)",
};

const functions = `
(defun run (input &key context) (declare (ignore context)) (list :object (list "given" input)))
(defun self-test (&key context) (declare (ignore context)) t)
(defun verify (&key context) (declare (ignore context)) nil)`;

/** Writes the skill `my-workflow` below a workspace; answers its directory. */
export function writeSkill(
  workspace: string,
  { manifest = {}, version = "1.0.0", source = functions }: SkillFiles = {},
): string {
  const directory = join(workspace, ".autolith/skills/my-workflow");
  const put = (name: string, content: string): void => {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  };
  put("SKILL.md", "---\nname: my-workflow\ndescription: Works.\n---\nCall skill.invoke.\n");
  const declared = Object.entries({ ...defaults, ...manifest }).filter(([, value]) => value !== "");
  put(
    "EXECUTABLE.sexp",
    `(:skill-executable ${declared.map(([key, value]) => `:${key} ${value}`).join("\n ")})`,
  );
  put("my-workflow.asd", `(defsystem "my-workflow" :version "${version}" :components ((:file "code")))`);
  put("code.lisp", `(defpackage :my-workflow (:use :cl))\n(in-package :my-workflow)\n${source}\n`);
  return directory;
}
