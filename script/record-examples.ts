/**
 * `node script/record-examples.ts [NAME]…`: records the cassettes of the bundled examples anew. Each example runs for real in a copy
 * of its directory, with its model's answers from a scripted server, so that a cassette always fits the tools and prompts of today.
 */
import { cp, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, makeSandpit } from "../test/support/cli/launch.ts";
import type { Script } from "../test/support/model-server/script.ts";
import { startModelServer } from "../test/support/model-server/server.ts";
import { fixTestScript } from "./examples/fix-test.ts";

const examples = resolve(dirname(fileURLToPath(import.meta.url)), "../examples");

/** What makes the scripted model of each example. */
const scripts: Readonly<Record<string, () => Script>> = { "fix-test": fixTestScript };

/** Examples that have a scripted model. */
export const recordedExamples = Object.keys(scripts);

/** Where a recording says that it was made, instead of the directory of the day. */
const neutralDirectory = "/example";

/** The committed cassette of an example. */
export function cassettePath(name: string): string {
  return join(examples, name, "cassette.jsonl");
}

/** Records one example and returns its cassette. Rejects when the job does not succeed. */
export async function recordExample(name: string): Promise<string> {
  const script = scripts[name];
  if (script === undefined) {
    throw new Error(`There is no scripted model for ${name}; known: ${recordedExamples.join(", ")}.`);
  }
  using pit = makeSandpit();
  await cp(join(examples, name), pit.workspace, { recursive: true });
  await using server = await startModelServer(script());
  const cassette = join(pit.home, "cassette.jsonl");
  const options = ["--input", "job.sexp", "--output", "result.sexp", "--record", cassette];
  const { status, stderr } = await launch(pit, ["run-job", ...options], {
    environment: { AUTOLITH_OPENAI_BASE_URL: server.baseUrl },
    stdin: "ignore",
  }).ended;
  if (status !== 0) throw new Error(`The job of ${name} ended with status ${status}:\n${stderr}`);
  return (await readFile(cassette, "utf8")).replaceAll(pit.workspace, neutralDirectory);
}

if (import.meta.main) {
  const names = process.argv.slice(2);
  for (const name of names.length > 0 ? names : recordedExamples) {
    await writeFile(cassettePath(name), await recordExample(name));
    process.stdout.write(`recorded ${name}\n`);
  }
}
