/**
 * Runs the built program once for what it is mostly started for, so that later starts find its code compiled: `run-job` over both wire
 * forms against a scripted model, the Lisp, and the session host. Nothing of it stays but the code.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answer, calls } from "../../test/support/model-server/script.ts";
import { startModelServer } from "../../test/support/model-server/server.ts";

/** Longest time of one run, in milliseconds. */
const runLimitMs = 60_000;

/** The last answer is held back, so that threads keep their code meanwhile. */
const lastAnswerMs = 300;

const job = `(:autolith-job :version 1 :id "warm-up" :role "task" :prompt "p" :input nil
  :output-contract (:type :object) :timeout-seconds 50)\n`;

const call = (name, values) => calls([{ name, arguments: values }]);

/** What children are told, and nobody else at first. */
const childTask = "warm-up child";

/** Children submit at once; the root follows the script from its beginning in every run. */
function scriptedAnswers() {
  let asked = 0;
  return ({ body }) => {
    const [first] = (body.input ?? body.messages).filter(({ role }) => role === "user");
    if (JSON.stringify(first).includes(childTask)) return script.at(-1);
    asked += 1;
    return script[(asked - 1) % script.length];
  };
}

/** What a job usually does first. Calls that are refused are as good as others: nobody looks at the result. */
const script = [
  call("resource__read", { uri: "workspace:a.txt" }),
  call("search__glob", { pattern: "*.txt" }),
  call("search__content", { pattern: "line" }),
  call("shell__run", { command: "cat a.txt" }),
  call("resource__read", { uri: "workspace:a.txt" }),
  calls([
    {
      name: "task__run",
      arguments: {
        context: "A warm-up.",
        tasks: [1, 2].map(() => ({ agent: "task", task: childTask, blocking: true })),
      },
    },
  ]),
  answer("Done."),
  calls([{ name: "yield__submit", arguments: { status: "success", data: {} } }], { latencyMs: lastAnswerMs }),
];

/** Fills the compile cache (an absolute directory) and keeps the code of the program's parts in `bundle`. */
export async function warmUp({ bundle, compileCache }) {
  const keeping = join(bundle, "parts/keep-code");
  const home = mkdtempSync(join(tmpdir(), "autolith-warm-up-"));
  writeFileSync(keeping, "");
  const server = await startModelServer(scriptedAnswers());
  const start = async (wire, argv) => {
    const status = await run([join(bundle, "main.cjs"), ...argv], join(home, "work"), {
      PATH: process.env.PATH,
      HOME: home,
      NODE_COMPILE_CACHE: compileCache,
      AUTOLITH_OPENAI_BASE_URL: server.baseUrl,
      ...wire,
    });
    if (status !== 0)
      process.stderr.write(
        `build: autolith ${argv[0]} ended with ${status} while warming up; it will start more slowly\n`,
      );
  };
  try {
    mkdirSync(join(home, "work"));
    writeFileSync(join(home, "work/job.sexp"), job);
    writeFileSync(join(home, "work/a.txt"), "a line of text\n".repeat(20));
    const options = [
      "--permissions",
      "full",
      "run-job",
      "--input",
      "job.sexp",
      "--output",
      "result.sexp",
      "--events",
      "sexp",
    ];
    await start({}, options);
    await start({ AUTOLITH_OPENAI_WIRE: "chat" }, options);
    await start({}, ["lisp", "--eval", "1"]);
    // Without a client: it ends at once, everything loaded.
    await start({}, ["acp"]);
    await start({}, ["host", "--idle-seconds", "1"]);
  } finally {
    await server.close();
    rmSync(keeping, { force: true });
    rmSync(home, { recursive: true, force: true });
  }
}

/** Resolves to the exit status, or to the name of the signal that ended the run. */
async function run(argv, cwd, env) {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...argv], {
    cwd,
    env,
    stdio: ["ignore", "ignore", "inherit"],
    timeout: runLimitMs,
  });
  const [status, signal] = await once(child, "exit");
  return status ?? signal;
}
