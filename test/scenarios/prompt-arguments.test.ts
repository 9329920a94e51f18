/** What forms are told that call tools with other arguments than those take: in the words of Lisp, as conditions of Lisp. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { type SessionScene, openScene } from "../support/sessions/composed-sessions.ts";
import { evaluated, values } from "../support/sessions/form-scene.ts";

let scene: SessionScene;
let session: Session;
beforeAll(async () => {
  scene = await openScene([]);
  session = await scene.service.create({ workingDirectory: scene.pit.workspace });
});
afterAll(() => scene[Symbol.asyncDispose]());

const example = 'Example: (resource.read :uri "workspace:notes.txt")';

/** Forms, the type of the condition and what it says. */
const refused: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "(resource.read)": [
    "ARGUMENT-ERROR",
    `resource.read needs :uri, a string of 2 to 8192 characters; nothing came for it.\n${example}`,
  ],
  "(resource.read :uri)": ["ARGUMENT-ERROR", `resource.read: :uri has no value behind it.\n${example}`],
  '(resource.read "x" 1)': [
    "ARGUMENT-ERROR",
    `resource.read takes :name value pairs; "x" at place 1 is no name.\n${example}`,
  ],
  '(resource.read :uri "workspace:." :lines 4)': [
    "ARGUMENT-ERROR",
    `resource.read has no argument :lines. It takes :uri, :start-line, :line-count, :query, :max-results, :byte-offset, :byte-count, :start-sequence, :record-count.\n${example}`,
  ],
  '(resource.read :uri "workspace:." :line-count 2000)': [
    "ARGUMENT-TYPE-ERROR",
    `resource.read takes an integer from 1 to 1000 for :line-count, not 2000.\n${example}`,
  ],
  '(fs.view-image :path "")': [
    "ARGUMENT-VALUE-ERROR",
    'fs.view-image takes a string of 1 to 4096 characters for :path, not "".\nExample: (fs.view-image :path "notes.txt")',
  ],
  '(plan.update :steps (vector (dict "step" "x" "status" :nothing)))': [
    "ARGUMENT-TYPE-ERROR",
    'plan.update takes one of :pending, :doing, :done for :steps element 0 "status", not "nothing".\nExample: (plan.update :steps (vector (dict "step" "step" "status" :pending)))',
  ],
  '(search.content :query "a" :patterns (vector "b"))': [
    "ARGUMENT-VALUE-ERROR",
    'search.content: give either query or patterns\nExample: (search.content :query "release")',
  ],
  "(task.worktree :action :foo)": [
    "ARGUMENT-TYPE-ERROR",
    'task.worktree takes one of :inspect, :extract, :check, :apply, :commits, :conflicts, :abort, :cleanup, :discover, :cleanup-orphan for :action, not "foo".\nExample: (task.worktree :action :inspect :id "exec:1")',
  ],
  "(task.worktree :action :check :id 1)": [
    "ARGUMENT-TYPE-ERROR",
    'task.worktree takes a string of 1 to 64 characters for :id, not 1.\nExample: (task.worktree :action :inspect :id "exec:1")',
  ],
  '(task.worktree :action :cleanup-orphan :id "x")': [
    "ARGUMENT-ERROR",
    'task.worktree needs :source, a string of 1 to 4096 characters; nothing came for it.\nExample: (task.worktree :action :inspect :id "exec:1")',
  ],
  "(task.worktree :action :cleanup :discard-dirty 1)": [
    "ARGUMENT-TYPE-ERROR",
    'task.worktree takes t or nil for :discard-dirty, not 1.\nExample: (task.worktree :action :inspect :id "exec:1")',
  ],
  '(task.run :task "x" :isolation (list :baseline "HEAD"))': [
    "ARGUMENT-TYPE-ERROR",
    'task.run takes (dict "key" value …) for :isolation, not (vector "baseline" "HEAD"). Write it as (dict "baseline" "HEAD" "dirtyPolicy" :reject "artifactKind" :patch).\nExample: (task.run :task "Review the change.")',
  ],
  '(task.run :context "c" :tasks (loop repeat 17 collect (dict "task" "x")))': [
    "ARGUMENT-VALUE-ERROR",
    'task.run takes a list or (vector …) of 1 to 16 elements for :tasks, not 17 elements.\nExample: (task.run :task "Review the change.")',
  ],
  "(resource.read :uri #'car)": [
    "ARGUMENT-TYPE-ERROR",
    "resource.read takes data: strings, numbers, symbols, lists, vectors and hash tables of them; the value: expected a value with a JSON counterpart, got a function: #<FUNCTION CAR>.",
  ],
};

describe("wrong arguments of tools", () => {
  it.each(Object.entries(refused))("%s", async (source, [type, text]) => {
    const { condition } = await evaluated(session, source);
    expect(condition?.type).toBe(type);
    expect(condition?.text).toBe(text);
  });

  it("name a call that the tool takes, of every tool", async () => {
    const tools = session.operations().filter(({ kind }) => kind === "tool");
    expect(tools.length).toBeGreaterThan(30);
    for (const { name } of tools) {
      const told = (await evaluated(session, `(${name} :zzz 1)`)).condition?.text ?? "";
      const call = /Example: \((.*)\)$/.exec(told)?.[1] ?? "";
      expect(call.startsWith(name)).toBe(true);
      // With its arguments nothing else is wrong.
      const { condition } = await evaluated(session, `(${call} :zzz 1)`);
      expect(condition?.text.split("\n")).toEqual([
        expect.stringContaining(`${name} has no argument :zzz.`),
        `Example: (${call})`,
      ]);
    }
  });

  it("are conditions that programs handle: program-error, type-error with datum and expected type, host-error", async () => {
    const caught = (form: string, type: string, ...readers: readonly string[]) =>
      values(
        session,
        `(handler-case ${form} (${type} (e) (list ${readers.map((name) => `(${name} e)`).join(" ")})))`,
      );
    expect(await caught("(resource.read)", "program-error", "argument-error-argument")).toEqual(["(:URI)"]);
    expect(
      await caught(
        '(resource.read :uri "workspace:." :line-count (* 2 1000))',
        "type-error",
        "type-error-datum",
        "type-error-expected-type",
        "argument-error-argument",
        "host-error-code",
      ),
    ).toEqual(["(2000 (INTEGER 1 1000) :LINE-COUNT :INVALID-ARGUMENTS)"]);
    expect(
      await caught("(resource.read :uri 'car :start-line :one)", "type-error", "type-error-datum"),
    ).toEqual(["(:ONE)"]);
    expect(await caught("(search.content)", "host-error", "host-error-code")).toEqual([
      "(:INVALID-ARGUMENTS)",
    ]);
  });
});
