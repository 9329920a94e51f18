/** The built program as the launcher starts it, in a home of its own. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** The flags that the launcher gives to Node. */
const launcherFlags = /exec "\$node" (.*) "\$root/.exec(
  readFileSync(join(root, "bin/autolith"), "utf8"),
)?.[1];

/** Arguments for Node that start the program as `bin/autolith` does. */
const programArguments = [...(launcherFlags ?? "").split(" "), join(root, "dist/bundle/main.cjs")];

/** Arguments for Node that run the job of a place. */
export const runJobArguments: readonly string[] = [
  ...programArguments,
  ...["run-job", "--input", "job.sexp", "--output", "result.sexp"],
];

/** Arguments for Node that start the session host. */
export const hostArguments: readonly string[] = [...programArguments, "host"];

/** Arguments for Node that start the terminal, or what else `arguments` name. */
export function terminalArguments(...words: readonly string[]): readonly string[] {
  return [...programArguments, ...words];
}

/** A home, and a workspace in it with a file to read and a job. */
export type Place = { readonly home: string; readonly workspace: string };

/** Makes a place whose job has this prompt; its maker removes `home`. */
export function makePlace(prompt: string): Place {
  const home = mkdtempSync(join(tmpdir(), "alb-"));
  const workspace = join(home, "w");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "a.txt"), "one line of text\n".repeat(40));
  writeFileSync(
    join(workspace, "job.sexp"),
    `(:autolith-job :version 1 :id "bench" :role "task" :prompt "${prompt}" :input nil :output-contract (:type :object) :timeout-seconds 600)\n`,
  );
  return { home, workspace };
}

/** The environment of a measured program. */
export function environmentOf(place: Place, baseUrl: string): Record<string, string | undefined> {
  return {
    PATH: process.env["PATH"],
    HOME: place.home,
    AUTOLITH_OPENAI_BASE_URL: baseUrl,
    NODE_COMPILE_CACHE: join(root, "dist/compile-cache"),
  };
}

/** A program of this folder. */
export function benchProgram(name: string): string {
  return join(root, "script/bench", name);
}
