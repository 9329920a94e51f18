/**
 * The work of a drill. The deep tree: a root, four agents below it (one of them a grandchild, one detached), a detached command, and thirty
 * effects in all. The wide tree: a root with thirty detached children, more than may run at once, each with effects on files, some in git
 * worktrees of their own. Every effect appends its own name to a file and syncs it, so that what happened can be read after any kill.
 *
 * The scripted model answers by what it is sent, never by how often it was asked: a request repeated after a lost thread gets the same
 * answer.
 */
import { answer, calls } from "../../test/support/model-server/script.ts";
import type { RecordedRequest, ScriptedCall, ScriptedTurn } from "../../test/support/model-server/script.ts";

/** Where shell effects go, in the workspace. */
export const effectLog = "effects.log";
/** The same for commands of every directory: the workspace is beside the home. */
const logPath = `"$HOME/../w/${effectLog}"`;
/** Children of the wide tree. */
const width = 30;
/** Every so many of them work in a worktree of their own. */
const isolatedEvery = 8;

type Step =
  | { readonly kind: "shell"; readonly id: string; readonly pause?: number; readonly detached?: true }
  | { readonly kind: "edit"; readonly id: string; readonly file: string }
  | {
      readonly kind: "task";
      readonly id: string;
      readonly agents: readonly string[];
      readonly blocking: boolean;
      /** Those of the agents that get a worktree. */
      readonly isolated?: readonly string[];
    };

/** A turn of an agent: its calls go out together. `await` ends the turn until every detached job has been heard of. */
type Turn = readonly Step[] | "await";

const shell = (id: string, more: { pause?: number; detached?: true } = {}): Step => ({
  kind: "shell",
  id,
  ...more,
});
const edit = (id: string, file: string): Step => ({ kind: "edit", id, file });

type Cast = Readonly<Record<string, readonly Turn[]>>;

const deep: Cast = {
  ROOT: [
    [shell("E01"), shell("E02", { pause: 0.02 })],
    [edit("E03", "root.txt")],
    [{ kind: "task", id: "T1", agents: ["GAMMA"], blocking: false }, shell("E04")],
    [{ kind: "task", id: "T2", agents: ["ALPHA", "BETA"], blocking: true }],
    [shell("E05", { pause: 0.1, detached: true }), edit("E06", "root.txt")],
    "await",
    [shell("E07"), shell("E08"), edit("E09", "root.txt")],
  ],
  ALPHA: [
    [shell("E10")],
    [shell("E11"), shell("E12", { pause: 0.03 }), shell("E13")],
    [edit("E14", "alpha.txt")],
    [edit("E15", "alpha.txt")],
  ],
  BETA: [
    [edit("E16", "beta.txt")],
    [{ kind: "task", id: "T3", agents: ["DELTA"], blocking: true }],
    [shell("E17"), shell("E18")],
    [edit("E19", "beta.txt")],
  ],
  DELTA: [
    [shell("E20"), edit("E21", "delta.txt")],
    [shell("E22", { pause: 0.02 })],
    [edit("E23", "delta.txt")],
  ],
  GAMMA: [
    [shell("E24")],
    [edit("E25", "gamma.txt")],
    [shell("E26"), shell("E27")],
    [edit("E28", "gamma.txt"), shell("E29")],
    [shell("E30")],
  ],
};

/** `W01` and so on. */
const workers: readonly string[] = Array.from(
  { length: width },
  (_, index) => `W${String(index + 1).padStart(2, "0")}`,
);
const isolated = workers.filter((_, index) => index % isolatedEvery === 0);

function workerTurns(name: string): readonly Turn[] {
  const first = shell(`${name}a`, { pause: 0.01 });
  // Files in a worktree of its own are no evidence in the workspace: such a child has commands only, which name the log's directory.
  const second = isolated.includes(name) ? shell(`${name}b`) : edit(`${name}b`, `${name.toLowerCase()}.txt`);
  return [[first], [second, shell(`${name}c`)]];
}

const wide: Cast = {
  BOSS: [
    [shell("B01")],
    [
      { kind: "task", id: "TW1", agents: workers.slice(0, 16), blocking: false, isolated },
      { kind: "task", id: "TW2", agents: workers.slice(16), blocking: false, isolated },
    ],
    [edit("B02", "boss.txt")],
    "await",
    [shell("B03")],
  ],
  ...Object.fromEntries(workers.map((name) => [name, workerTurns(name)])),
};

/** The trees: the word that means the root, and the records that an undisturbed run leaves in the journal, with a few more. */
export const trees = {
  deep: { root: "ROOT", cast: deep, journalRecords: 115 },
  wide: { root: "BOSS", cast: wide, journalRecords: 460 },
} as const;
export type TreeName = keyof typeof trees;

/** Agents by the word in their assignment. */
const cast: Cast = { ...deep, ...wide };

function stepsOf(tree: TreeName): readonly Step[] {
  return Object.values<readonly Turn[]>(trees[tree].cast)
    .flat()
    .flatMap((turn) => (turn === "await" ? [] : turn));
}

/** The names of all effects of a tree. */
export function effectsOf(tree: TreeName): readonly string[] {
  return stepsOf(tree).flatMap((step) => (step.kind === "task" ? [] : [step.id]));
}

/** Files that edits of a tree write, in the workspace. */
export function editedFilesOf(tree: TreeName): readonly string[] {
  return [...new Set(stepsOf(tree).flatMap((step) => (step.kind === "edit" ? [step.file] : [])))];
}

type InputItem = {
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
  readonly call_id?: string;
  readonly output?: unknown;
};

/** The scripted model. */
export function treeScript(request: RecordedRequest): ScriptedTurn {
  const { input } = request.body as { input: readonly InputItem[] };
  const first = JSON.stringify(input.find(({ role }) => role === "user")?.content ?? "");
  const name = Object.keys(cast).find((word) => first.includes(word));
  if (name === undefined) throw new Error(`nobody is meant by ${first.slice(0, 200)}`);
  const asked = new Set(
    input.flatMap(({ type, call_id: id }) => (type === "function_call" && id !== undefined ? [id] : [])),
  );
  const waits = completionCount(input) < detachedCount(input);
  for (const turn of cast[name] ?? []) {
    if (turn === "await") {
      if (waits) return answer("Waiting for what goes on by itself.");
      continue;
    }
    const open = turn.filter(({ id }) => !asked.has(id));
    if (open.length > 0) return calls(open.map((step) => toolCall(step, input)));
  }
  // A call that took too long (Redis was away) was handed off: its end is waited for before the agent's own.
  if (waits) return answer("Waiting for what was handed off.");
  return calls([{ name: "yield__submit", callId: `Y-${name}`, arguments: submission(name) }]);
}

/** Data that satisfies the job's contract; children have none and may carry it all the same. */
function submission(name: string): object {
  return { status: "success", text: `${name} is done.`, data: { answer: "done" } };
}

/** Completions of detached jobs that the agent has been told of. */
function completionCount(input: readonly InputItem[]): number {
  const told = input.filter(({ role }) => role === "user").map(({ content }) => JSON.stringify(content));
  return new Set(
    told.flatMap((text) =>
      [...text.matchAll(/:JOB-COMPLETION[^)]*?:EXECUTION-ID \\\\?"([0-9a-f-]{36})/g)].map(
        (match) => match[1],
      ),
    ),
  ).size;
}

/** Jobs that tool results show as going on by themselves. */
function detachedCount(input: readonly InputItem[]): number {
  const outputs = input.filter(({ type }) => type === "function_call_output");
  return outputs.flatMap(({ output }) => String(output).match(/:DETACHED T\b/g) ?? []).length;
}

function toolCall(step: Step, input: readonly InputItem[]): ScriptedCall {
  const callId = step.id;
  switch (step.kind) {
    case "shell":
      return {
        name: "shell__run",
        callId,
        arguments: {
          command: effectCommand(step.id, step.pause),
          ...(step.detached === undefined ? {} : { async: true }),
        },
      };
    case "edit":
      return { name: "resource__edit", callId, arguments: editArguments(step.file, step.id, input) };
    case "task":
      return {
        name: "task__run",
        callId,
        arguments: {
          context: "Part of a drill.",
          blocking: step.blocking,
          tasks: step.agents.map((agent) => ({
            task: `You are ${agent}.`,
            name: agent.toLowerCase(),
            ...(step.isolated?.includes(agent) === true ? { isolation: { dirtyPolicy: "ignore" } } : {}),
          })),
        },
      };
  }
}

/** One write of one line, then a sync, before the command may end. */
function effectCommand(id: string, pause = 0): string {
  const wait = pause === 0 ? "" : `sleep ${pause}; `;
  return `${wait}echo ${id} >> ${logPath} && sync ${logPath} && echo did ${id}`;
}

/** Appends a line to the file as it was after the agent's last edit of it. */
function editArguments(file: string, id: string, input: readonly InputItem[]): object {
  const uri = `workspace:${file}`;
  const revision = latestRevision(uri, input);
  return revision === undefined
    ? { uri, "base-revision": "absent", operations: [{ operation: "replace-empty", content: `${id}\n` }] }
    : { uri, "base-revision": revision, operations: [{ operation: "insert-before", line: 1, content: id }] };
}

function latestRevision(uri: string, input: readonly InputItem[]): string | undefined {
  const outputs = input
    .filter(({ type }) => type === "function_call_output")
    .map(({ output }) => String(output));
  const edited = outputs.findLast((text) => text.includes(`${uri}\nedited: revision `));
  return /edited: revision (\S+)/.exec(edited ?? "")?.[1];
}
