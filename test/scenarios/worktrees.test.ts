/** Isolated children of a session, with real git: made, secured, integrated, cleaned up (issue 6, part 7). */
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commitAll, git, makeRepository } from "../support/git/repository.ts";
import type { RecordedRequest, ScriptedTurn } from "../support/model-server/script.ts";
import { cast, lastOutput, submit, tool, waitForTasks } from "../support/sessions/cast.ts";
import {
  type SceneOptions,
  type SessionScene,
  openScene,
  say,
} from "../support/sessions/composed-sessions.ts";

type Step = (request: RecordedRequest) => ScriptedTurn;

/** Runs a primary's turns and returns the tool results it saw, one for each of its calls. */
async function primaryRun(
  options: {
    readonly prepare?: (scene: SessionScene) => void;
    readonly directory?: (scene: SessionScene) => string;
    readonly scene?: SceneOptions;
    readonly children: Readonly<Record<string, readonly Step[]>>;
  },
  steps: readonly ((outputs: readonly string[], scene: SessionScene) => ScriptedTurn)[],
  inspect: (outputs: readonly string[], scene: SessionScene) => void,
): Promise<void> {
  const outputs: string[] = [];
  let scene: SessionScene | undefined;
  const primary = [...steps, undefined].map((step, index): Step => (request) => {
    if (index > 0) outputs.push(lastOutput(request));
    return step === undefined || scene === undefined
      ? { kind: "answer", text: "done" }
      : step(outputs, scene);
  });
  await using opened = await openScene(cast({ ...options.children, PRIMARY: primary }), options.scene);
  scene = opened;
  waitForTasks(opened.pit.home);
  options.prepare?.(opened);
  const session = await opened.service.create({
    workingDirectory: options.directory?.(opened) ?? opened.pit.workspace,
  });
  expect(await say(session, "Go.")).toMatchObject({ outcome: "end-turn" });
  inspect(outputs, opened);
}

const isolated = (task: string, isolation: object = {}): ScriptedTurn =>
  tool("task__run", { task, blocking: true, isolation });
const shell =
  (command: string): Step =>
  () =>
    tool("shell__run", { command });
const worktree = (args: object): ScriptedTurn => tool("task__worktree", args);

function valueOf(output: string | undefined, key: string): string {
  return new RegExp(`:${key} "([^"]*)"`, "i").exec(output ?? "")?.[1] ?? "";
}

const idOf = (output: string | undefined): string => valueOf(output, "id");

describe("an isolated child", () => {
  it("works in a checkout of its own, its patch is secured, applied where the primary says, and cleaned up", async () => {
    await primaryRun(
      {
        prepare: ({ pit }) => makeRepository(pit.workspace, { "a.txt": "one\n", "sub/b.txt": "two\n" }),
        children: {
          ALPHA: [
            shell("pwd; echo committed >> a.txt; git -c user.name=n -c user.email=e commit -qam work"),
            shell("echo uncommitted >> sub/b.txt; echo new > new.txt; git add new.txt; echo lost > left.txt"),
            () => submit("changed"),
          ],
        },
      },
      [
        () => isolated("Do ALPHA."),
        (outputs) => worktree({ action: "inspect", id: idOf(outputs[0]) }),
        (outputs) => worktree({ action: "check", id: idOf(outputs[0]), target: "." }),
        (outputs) => worktree({ action: "apply", id: idOf(outputs[0]), target: "." }),
        (outputs) => worktree({ action: "cleanup", id: idOf(outputs[0]) }),
        (outputs) => worktree({ action: "cleanup", id: idOf(outputs[0]), discardDirty: true }),
        () => worktree({ action: "discover" }),
        (outputs) => worktree({ action: "inspect", id: valueOf(outputs[0], "execution-id") }),
      ],
      ([ran, inspected, checked, applied, kept, removed, none, later], { pit }) => {
        expect(ran).toContain(":STATUS :SUCCESS");
        // A tired parent would take the success for the whole work.
        expect(ran).toMatch(/:WORKTREE-NOTE "Not handed over[^)]*left\.txt/);
        const checkout = valueOf(ran, "worktree");
        expect(checkout).toContain("/task-worktrees/checkouts/");
        expect(inspected).toContain(':PATHS ("a.txt" "new.txt" "sub/b.txt")');
        expect(inspected).toContain(':UNTRACKED ("left.txt")');
        expect(checked).toContain(":APPLICABLE-P T");
        expect(applied).toContain(":INTEGRATED T");
        expect(readFileSync(join(pit.workspace, "a.txt"), "utf8")).toBe("one\ncommitted\n");
        expect(readFileSync(join(pit.workspace, "sub/b.txt"), "utf8")).toBe("two\nuncommitted\n");
        expect(git(pit.workspace, "diff", "--cached", "--name-only")).toBe("a.txt\nnew.txt\nsub/b.txt");
        expect(existsSync(join(pit.workspace, "left.txt"))).toBe(false);
        expect(kept).toContain('untracked files (\\"left.txt\\")'.replaceAll("\\", ""));
        expect(removed).toContain(":REMOVED T");
        expect(existsSync(checkout)).toBe(false);
        expect(none).toContain(":ACTIVE NIL :ABSENT NIL");
        expect(later).toContain(':PATHS ("a.txt" "new.txt" "sub/b.txt")');
        expect(existsSync(valueOf(later, "artifact-path"))).toBe(true);
        expect(git(pit.workspace, "worktree", "list").split("\n")).toHaveLength(1);
      },
    );
  });

  it("in a sandbox commits in its checkout and writes neither hooks, configuration, the source nor its parent's files", async () => {
    await primaryRun(
      {
        scene: { permissions: "sandbox" },
        prepare: ({ pit }) => makeRepository(pit.workspace, { "a.txt": "one\n" }),
        children: {
          ALPHA: [
            shell(
              `echo two > a.txt; git -c user.name=n -c user.email=e commit -qam two && echo committed
               common=$(git rev-parse --git-common-dir)
               echo x > $common/hooks/post-checkout || echo hooks kept
               git config core.fsmonitor x || echo config kept
               echo x >> $common/../a.txt
               mkdir $common/modules/x || echo modules kept
               mkdir $common/worktrees/x || echo siblings kept`,
            ),
            (request) => {
              const seen = lastOutput(request);
              for (const line of ["committed", "hooks kept", "config kept", "modules kept", "siblings kept"])
                expect(seen).toContain(line);
              return tool("resource__read", { uri: "workspace:a.txt" });
            },
            (request) => {
              expect(lastOutput(request)).toContain("two");
              return tool("resource__read", { uri: `file://${sourceOf(request)}/a.txt` });
            },
            (request) => {
              expect(lastOutput(request)).toContain("may not be read");
              return submit("ok");
            },
          ],
        },
      },
      [
        () => isolated("Do ALPHA.", { artifactKind: "commit-range" }),
        (outputs) => worktree({ action: "commits", id: idOf(outputs[0]), target: "." }),
        (outputs) => worktree({ action: "cleanup", id: idOf(outputs[0]) }),
      ],
      ([ran, integrated, removed], { pit }) => {
        expect(ran).toContain(":STATUS :SUCCESS");
        expect(integrated).toContain(":INTEGRATED T");
        expect(git(pit.workspace, "log", "--format=%s")).toBe("two\nfirst");
        expect(readFileSync(join(pit.workspace, "a.txt"), "utf8")).toBe("two\n");
        expect(removed).toContain(":REMOVED T");
        expect(readdirSync(join(pit.workspace, ".git/hooks")).includes("post-checkout")).toBe(false);
      },
    );
  });

  it("that reset its commit away and stashed a change has both told, before its checkout goes and after", async () => {
    const commit = "git -c user.name=n -c user.email=e";
    await primaryRun(
      {
        scene: { permissions: "sandbox" },
        prepare: ({ pit }) => makeRepository(pit.workspace, { "a.txt": "one\n" }),
        children: {
          ALPHA: [
            shell(
              `echo two > a.txt; ${commit} commit -qam two; git reset -q --hard HEAD~1; echo three > a.txt; ${commit} stash push -q -m aside`,
            ),
            () => submit("ok"),
          ],
        },
      },
      [() => isolated("Do ALPHA."), (outputs) => worktree({ action: "cleanup", id: idOf(outputs[0]) })],
      ([ran, removed], { pit }) => {
        expect(ran).toMatch(/:WORKTREE-NOTE "Not handed over: .*reset away: .* two.*1 stash entry, /s);
        const [reference = ""] = /refs\/autolith\/left\/\S+\/1/.exec(removed ?? "") ?? [];
        expect(git(pit.workspace, "log", "-1", "--format=%s", reference)).toBe("two");
        expect(removed).toContain("stash@{0}: On (no branch): aside");
        expect(git(pit.workspace, "stash", "list").split("\n")).toHaveLength(1);
      },
    );
  });

  it("in a directory below the top works in the same place of its checkout, and so does a child of its own", async () => {
    const places: string[] = [];
    await primaryRun(
      {
        scene: { permissions: "sandbox" },
        prepare: ({ pit }) =>
          makeRepository(pit.workspace, { "deep/sub/a.txt": "one\n", "top.txt": "one\n" }),
        directory: ({ pit }) => join(pit.workspace, "deep/sub"),
        children: {
          BETA: [
            shell("pwd; echo beta > b.txt; git add b.txt; echo up > ../../top.txt"),
            (request) => {
              places.push(lastOutput(request));
              return submit("beta");
            },
          ],
          ALPHA: [
            shell("pwd"),
            (request) => {
              places.push(lastOutput(request));
              return tool("task__run", { task: "Do BETA.", blocking: true });
            },
            () => submit("alpha"),
          ],
        },
      },
      [
        () => isolated("Do ALPHA."),
        (outputs) => worktree({ action: "apply", id: idOf(outputs[0]), target: "../.." }),
        (outputs) => worktree({ action: "apply", id: idOf(outputs[0]), target: "." }),
      ],
      ([ran, outside, below], { pit }) => {
        const checkout = valueOf(ran, "worktree");
        for (const place of places) expect(place).toContain(`${checkout}/deep/sub`);
        expect(places).toHaveLength(2);
        // Mode sandbox writes in the session's directory only; the patch reaches above it.
        expect(outside).toContain("may not be written");
        expect(below).toContain("may not be written");
        expect(git(pit.workspace, "status", "--porcelain")).toBe("");
      },
    );
  });

  it("is refused at once where isolation is impossible, with what to do", async () => {
    await primaryRun(
      { children: {} },
      [
        () => isolated("x"),
        (_, { pit }) => {
          git(pit.workspace, "init", "-q");
          return isolated("x");
        },
        (_, { pit }) => {
          writeFileSync(join(pit.workspace, "a"), "1");
          commitAll(pit.workspace);
          writeFileSync(join(pit.workspace, "b"), "1");
          return isolated("x");
        },
        () => isolated("x", { dirtyPolicy: "ignore", baseline: "no-such" }),
        () => isolated("x", { dirtyPolicy: "maybe" }),
        () => worktree({ action: "apply", target: "." }),
        () => worktree({ action: "inspect", id: "nobody-1" }),
        () => worktree({ action: "cleanup-orphan", id: "nobody", source: "." }),
      ],
      ([outside, empty, dirty, baseline, policy, missing, nobody, orphan]) => {
        expect(outside).toContain("is in no git repository");
        expect(empty).toContain("has no commit yet");
        expect(dirty).toContain('not committed ("b")');
        expect(baseline).toContain('"no-such" names no commit');
        expect(policy).toContain('one of "reject", "ignore"');
        expect(missing).toContain('task.worktree needs "id"');
        expect(nobody).toContain("no visible job");
        expect(orphan).toContain("has no worktree");
      },
    );
  });

  it("that says success without a complete artifact is reported as failed, keeps its checkout, and can be extracted after repair", async () => {
    await primaryRun(
      {
        prepare: ({ pit }) => makeRepository(pit.workspace),
        children: {
          ALPHA: [shell("echo two > a.txt"), () => submit("fine")],
        },
      },
      [
        () => isolated("Do ALPHA.", { artifactKind: "commit-range" }),
        (outputs) => worktree({ action: "apply", id: idOf(outputs[0]), target: "." }),
        (outputs) => {
          git(valueOf(outputs[0], "worktree"), "commit", "-qam", "repaired");
          return worktree({ action: "extract", id: idOf(outputs[0]) });
        },
        (outputs) => worktree({ action: "commits", id: idOf(outputs[0]), target: "." }),
        (outputs) => {
          git(valueOf(outputs[0], "worktree"), "commit", "-q", "--allow-empty", "-m", "later");
          return worktree({ action: "extract", id: idOf(outputs[0]) });
        },
      ],
      ([ran, unsecured, extracted, integrated, again], { pit }) => {
        expect(ran).toContain(":STATUS :FAILED");
        expect(valueOf(ran, "worktree-error")).toContain("needs a clean checkout");
        expect(unsecured).toContain("has no artifact");
        expect(extracted).toContain(':PATHS ("a.txt")');
        expect(extracted).toContain(":NEWLY-SECURED-P T :CHANGED-SINCE-P NIL");
        expect(integrated).toContain(":INTEGRATED T");
        expect(again).toContain(":NEWLY-SECURED-P NIL :CHANGED-SINCE-P T");
        expect(again).toContain("an artifact is never replaced");
        expect(git(pit.workspace, "log", "--format=%s")).toBe("repaired\nfirst");
      },
    );
  });
});

function sourceOf(request: RecordedRequest): string {
  return / of (\/[^ ]+)\. Nobody else/.exec(request.text.replaceAll(String.raw`\n`, " "))?.[1] ?? "";
}
