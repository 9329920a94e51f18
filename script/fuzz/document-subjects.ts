/** Documents that people and programs hand us: job files, role files, event streams, cassettes. */
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CassetteError, parseCassette } from "../../orchestrator/cassette/cassette-format.ts";
import { CassettePlayer } from "../../orchestrator/cassette/cassette-player.ts";
import { RunJobFailure, readJobInput } from "../../orchestrator/run-job/index.ts";
import { RunJobEventError, readRunJobEvents } from "../../orchestrator/run-job/events/index.ts";
import { RoleDefinitionError, parseRole } from "../../roles/index.ts";
import { type Damage, damagedDocument, splitBytes } from "./mutation.ts";
import { type FuzzSubject, errorOf, expectThat } from "./subject.ts";

const repository = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const fileOf = (path: string): Buffer => readFileSync(join(repository, path));

/** Pieces of data forms. */
export const formPieces: readonly string[] = [
  ..."()\":;#'`,.|\\ \n".split(""),
  ...[
    "nil",
    "t",
    "#|",
    "|#",
    "#.",
    "#.(quit)",
    "#'",
    "#(",
    "#\\a",
    "'(",
    ":",
    "::",
    "cl:car",
    "(:object",
    "(:array",
  ],
  ...[
    '("a" ',
    "1e999999",
    "1/0",
    "1.0d0",
    "-0.0",
    "+.e",
    "9".repeat(5_000),
    '"\\',
    "(((((((((",
    "))))",
    "(a . b)",
  ],
  ...[
    ":version 1",
    ":version 2",
    ":seq 1",
    ":seq -1",
    ":seq 99999999999999999999",
    ":kind :message",
    ":null",
  ],
];

const jobs: Damage = {
  documents: [fileOf("examples/fix-test/job.sexp"), jobWithEverything()],
  pieces: [
    ...formPieces,
    ...[":id", ":role", ":prompt", ":input", ":output-contract", ":timeout-seconds", ":timeout-seconds 0"],
    ...[
      ":type",
      ":object",
      ":enum",
      ":properties",
      ":required",
      ":engineering",
      "(:type :array :items (:type",
    ],
  ],
};

function jobWithEverything(): Buffer {
  return Buffer.from(`; a job
(:autolith-job
 :version 1 :id "job-ß😀" :role "task" :prompt "Do \\"it\\"."
 :input (:caller "data" 0.1 -3 1d10 (nil t) (:object ("a" (:array 1 2))))
 :output-contract (:type :object
   :properties (("list" (:type :array :items (:enum ("a" 1 :null t nil)) :min-items 1 :max-items 3))
                ("deep" (:type :object :properties (("x" (:type :number))) :additional-properties nil)))
   :required ("list"))
 :timeout-seconds 900)
`);
}

/** A place in a text, as our messages write it. */
const textPlace = /line \d+/;

const jobFiles: FuzzSubject = {
  name: "job-files",
  run: (random) => {
    const { bytes } = damagedDocument(random, jobs);
    const reading = readJobInput(bytes);
    if ("job" in reading) return;
    const { failure, recoveredId } = reading;
    expectThat(failure instanceof RunJobFailure, "a refused job has a category", bytes);
    expectThat(
      textPlace.test(failure.message),
      `the refusal names a line, not only "${failure.message}"`,
      bytes,
    );
    expectThat(Array.from(recoveredId).length <= 256, "a recovered id is within its bound", bytes);
  },
};

const roleNames = readdirSync(join(repository, "roles/bundled")).map((file) => file.replace(/\.sexp$/, ""));
const roles: Damage = {
  documents: roleNames.map((name) => fileOf(`roles/bundled/${name}.sexp`)),
  pieces: [
    ...formPieces,
    ...[":tools", ":spawns :all", ":models", ":output", ":engineering", '"*"', ":blocking-p t"],
  ],
};

const roleFiles: FuzzSubject = {
  name: "role-files",
  run: (random) => {
    const { bytes } = damagedDocument(random, roles);
    const error = errorOf(() =>
      parseRole(bytes, { source: "project", path: "/p/task.sexp", claimedName: random.pick(roleNames) }),
    );
    if (error === undefined) return;
    if (!(error instanceof RoleDefinitionError)) throw error;
    expectThat(
      error.message.includes("/p/task.sexp"),
      `the refusal names the file, not only "${error.message}"`,
      bytes,
    );
    expectThat(error.line !== undefined, `the refusal names a line, not only "${error.message}"`, bytes);
  },
};

const run = '(:AUTOLITH-EVENT :VERSION 1 :RUN-ID "0f3a" :SEQ';
const events: Damage = {
  documents: [
    `${run} 1 :TIME "2026-11-30T12:00:00Z" :KIND :RUN-STARTED :DATA (:OUTPUT-PATH "/tmp/é"))
${run} 2 :TIME "2026-11-30T12:00:00Z" :KIND :JOB-STARTED :DATA (:JOB-ID "j" :EXECUTION-ID "e" :STATUS :QUEUED))
${run} 3 :TIME "2026-11-30T12:00:01Z" :KIND :TOOL-FINISHED :DATA (:JOB-ID "j" :CALL-ID "c" :TOOL-NAME "shell.run" :STATUS :SUCCESS :RESOURCE-URIS ("workspace:a" "context:b")))
${run} 4 :TIME "2026-11-30T12:00:02Z" :KIND :USAGE :DATA (:JOB-ID "j" :INPUT-TOKENS 12 :TOTAL-TOKENS 9223372036854775807))
${run} 5 :TIME "2026-11-30T12:00:02Z" :KIND :LATER-KIND :DATA (:ANYTHING (1 2)))
${run} 9 :TIME "2026-11-30T12:00:03Z" :KIND :RUN-FINISHED :DATA (:JOB-ID "j" :STATUS :SUCCEEDED :OUTPUT-PATH "/tmp/r" :PUBLISHED-P T))
`,
  ].map((text) => Buffer.from(text)),
  pieces: [
    ...formPieces,
    ...[":KIND", ":DATA", ":DATA NIL", ":KIND :PROGRESS", ":SEQ 3", ":PUBLISHED-P 1", run],
  ],
};

async function readEvents(
  pieces: readonly Buffer[],
): Promise<{ readonly count: number; readonly problem?: string }> {
  let count = 0;
  try {
    for await (const record of readRunJobEvents(pieces)) count += record.seq > 0 ? 1 : 0;
    return { count };
  } catch (error) {
    if (error instanceof RunJobEventError) return { count, problem: error.message };
    throw error;
  }
}

const eventStreams: FuzzSubject = {
  name: "events",
  run: async (random) => {
    const { bytes } = damagedDocument(random, events);
    const whole = await readEvents([bytes]);
    const split = await readEvents(splitBytes(random, bytes));
    expectThat(
      whole.count === split.count && whole.problem === split.problem,
      `events read the same however the stream is split (${JSON.stringify([whole, split])})`,
      bytes,
    );
    const { problem = "line 1" } = whole;
    expectThat(
      /(line|record) \d+/.test(problem),
      `the refusal names a line or a record, not only "${problem}"`,
      bytes,
    );
  },
};

const cassettes: Damage = {
  documents: [fileOf("examples/fix-test/cassette.jsonl"), smallCassette()],
  pieces: [
    ...'{}[]",:\n\\ '.split(""),
    ...[
      "null",
      "1e999",
      "-1",
      '"kind":"exchange"',
      '"keptItems":9999',
      '"__proto__":{}',
      "[".repeat(40),
      `${"[".repeat(9_000)}${"]".repeat(9_000)}`,
      '{"a":',
      "\\u0000",
    ],
    ...[
      "\\ud800",
      '"ordinal":0',
      '"newItems":[]',
      '"purpose":"agent"',
      '"lineage":""',
      '{"kind":"autolith-cassette","version":2}',
    ],
  ],
};

function smallCassette(): Buffer {
  const key = (ordinal: number): object => ({ lineage: "0", purpose: "agent", ordinal });
  const call = { type: "tool-call", callId: "c1", tool: "shell.run", arguments: '{"command":"é"}' };
  const lines: readonly object[] = [
    { kind: "autolith-cassette", version: 1 },
    {
      kind: "exchange",
      key: key(1),
      request: {
        model: "m",
        instructions: "i",
        tools: [{ name: "shell.run", description: "", parameters: { type: "object", list: [1, null, {}] } }],
        keptItems: 0,
        newItems: [{ type: "user-message", text: "Go." }],
      },
      response: { items: [{ type: "reasoning", text: "" }, call], usage: { inputTokens: 1 } },
    },
    {
      kind: "exchange",
      key: key(2),
      request: {
        model: "m",
        keptItems: 3,
        newItems: [{ type: "tool-result", callId: "c1", status: "ok", output: "o" }],
      },
      response: { items: [{ type: "assistant-message", text: "Done." }], usage: {}, responseId: "r" },
    },
  ];
  return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

const cassetteFiles: FuzzSubject = {
  name: "cassettes",
  run: (random) => {
    const { bytes } = damagedDocument(random, cassettes);
    const error = errorOf(() => replayed(bytes));
    if (error === undefined) return;
    if (!(error instanceof CassetteError)) throw error;
    expectThat(
      /line \d+/i.test(error.message),
      `the refusal names a line, not only "${error.message}"`,
      bytes,
    );
  },
};

/** Reads a cassette and asks it for each of its own exchanges. */
function replayed(bytes: Buffer): void {
  const exchanges = parseCassette(bytes.toString());
  const player = new CassettePlayer(exchanges);
  for (const { key, request } of exchanges) player.answer({ key, request });
}

/** The documents; each is damaged anew in every case. */
export const documentSubjects: readonly FuzzSubject[] = [jobFiles, roleFiles, eventStreams, cassetteFiles];
