import { describe, expect, it } from "vitest";
import {
  type CompletionSources,
  completionOf,
} from "../../../../orchestrator/sessions/catalog/completion.ts";
import { commands } from "../../../../orchestrator/sessions/commands/command-table.ts";

const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  "resource.read": ["uri", "start-line", "line-count"],
  "job.get": ["id"],
};

const directory: Readonly<Record<string, readonly string[]>> = {
  "/work": ["src/", "README.md", "notes.txt"],
  "/work/src": ["main.lisp", "deep/"],
};

const setting = (name: string, type: "boolean" | "choice", choices?: readonly string[]) => ({
  ...{ name, type, value: null, scope: "durable" as const, source: "default" as const, group: "g" },
  ...{ description: `About ${name}.`, settable: true },
  ...(choices === undefined ? {} : { choices: [...choices] }),
});

const sources: CompletionSources = {
  commands,
  workingDirectory: "/work",
  settings: [setting("hurry-up-p", "boolean"), setting("transcript-style", "choice", ["labels", "repl"])],
  models: [],
  listDirectory: (path) => Promise.resolve(directory[path] ?? []),
  searchFiles: (query) =>
    Promise.resolve(["src/main.lisp", "notes.txt"].filter((path) => path.includes(query))),
  tools: {
    names: () => Object.keys(argumentsOf),
    argumentNames: (tool) => argumentsOf[tool] ?? [],
  },
  symbols: (prefix) =>
    Promise.resolve(
      ["CAR", "CADR", "CADDR"]
        .filter((name) => name.startsWith(prefix.toUpperCase()))
        .map((name) => ({ name, kind: "function" as const })),
    ),
};

/** What the text at the cursor (its end, or `|`) can become. */
async function complete(text: string): Promise<readonly string[]> {
  const cursor = text.includes("|") ? text.indexOf("|") : text.length;
  const plain = text.replace("|", "");
  const { from, to, candidates } = await completionOf(plain, cursor, sources);
  return candidates.map(({ text: candidate }) => plain.slice(0, from) + candidate + plain.slice(to));
}

describe("completion in forms", () => {
  it.each([
    ["(resou", ["(resource.read"]],
    ["(resource.read :", ["(resource.read :uri", "(resource.read :start-line", "(resource.read :line-count"]],
    ['(resource.read :uri "workspace:." :st', ['(resource.read :uri "workspace:." :start-line']],
    ["(list (job.get :", ["(list (job.get :id"]],
    ["(job.get :id 1 :", []],
    ["(permissions :au", ["(permissions :auto"]],
    ["(settings :hur", ["(settings :hurry-up-p"]],
    ["(settings :hurry-up-p ", ["(settings :hurry-up-p t", "(settings :hurry-up-p nil"]],
    ["(settings :transcript-style :r", ["(settings :transcript-style :repl"]],
    ["(setf (config :tran", ["(setf (config :transcript-style"]],
    ["(help :comm", ["(help :commands"]],
    ["(help 'forkx", []],
    ["(help 'for", ["(help 'fork"]],
    ["? (job.g", ["? (job.get"]],
    ["(list (cadd", ["(list (caddr"]],
    ["(mapcar #'ca", ["(mapcar #'car", "(mapcar #'cadr", "(mapcar #'caddr"]],
    ["(list :", []],
    ["(job.continuity :", []],
    ["(a ; (resou", []],
    ["(resou| 1)", ["(resource.read 1)"]],
  ])("of %s", async (text, expected) => {
    expect(await complete(text)).toEqual(expected);
  });

  it("begins with commands and tools", async () => {
    const all = await complete("(");
    expect(all).toEqual(expect.arrayContaining(["(help", "(resource.read", "(tasks", "(prompt"]));
  });
});

describe("completion of files", () => {
  it.each([
    ['(read-file "no', ['(read-file "notes.txt']],
    ['(read-file "src/ma', ['(read-file "src/main.lisp']],
    ['(prompt "look at @main', ['(prompt "look at src/main.lisp']],
    ["look at @main", ["look at src/main.lisp"]],
    ["look at @src/", ["look at src/deep/", "look at src/main.lisp"]],
    ["look at @src", ["look at src/", "look at src/main.lisp"]],
    ["mail me@main", []],
    ["README", ["README.md"]],
  ])("in %s", async (text, expected) => {
    expect(await complete(text)).toEqual(expected);
  });
});
