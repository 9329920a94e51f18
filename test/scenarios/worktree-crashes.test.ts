/** Hosts killed while isolated children are made, work and end: what is left is found and brought home, or taken away. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { git, makeRepository } from "../support/git/repository.ts";
import { type Sandpit, makeSandpit } from "../support/cli/launch.ts";
import { submit, tool } from "../support/sessions/cast.ts";
import { hostDialogue } from "../support/sessions/host-dialogue.ts";
import { startHostProcess } from "../support/sessions/session-host-process.ts";

function checkoutsOf({ home }: Sandpit): readonly string[] {
  const directory = join(home, ".local/share/autolith/task-worktrees/checkouts");
  return existsSync(directory) ? readdirSync(directory).map((name) => join(directory, name)) : [];
}

/** Ids of a discovery answer: active and absent ones. */
function discovered(answer: string): {
  readonly active: readonly string[];
  readonly absent: readonly string[];
} {
  const [, active = "", absent = ""] = /:ACTIVE (.*) :ABSENT (.*) :TOTAL/s.exec(answer) ?? [];
  const ids = (text: string): readonly string[] =>
    [...text.matchAll(/:ID "([0-9a-f-]{36})"/g)].map(([, id]) => id ?? "");
  return { active: ids(active), absent: ids(absent) };
}

describe("a host that is killed", () => {
  it("C041: work of a child that was interrupted is never cleaned away, and is secured and integrated by the next host", async () => {
    using pit = makeSandpit();
    makeRepository(pit.workspace, { "a.txt": "one\n", ".gitignore": "*.log\n" });
    await using dialogue = await hostDialogue({
      ALPHA: [
        () =>
          tool("shell__run", {
            command:
              "echo two > a.txt; git -c user.name=n -c user.email=e commit -qam two; echo x > untracked; echo y > ignored.log; touch ready",
          }),
        () => tool("shell__run", { command: "sleep 600" }),
      ],
    });
    const environment = { AUTOLITH_OPENAI_BASE_URL: dialogue.server.baseUrl };
    const first = await startHostProcess(pit, environment);
    dialogue.begin(first, "task__run", { task: "ALPHA", isolation: {} });
    await eventually(() => checkoutsOf(pit).some((path) => existsSync(join(path, "ready")))).toBe(true);
    await first.kill();

    const next = await startHostProcess(pit, environment, first.opened.id);
    const [checkout = ""] = checkoutsOf(pit);
    expect(readdirSync(checkout).sort()).toEqual([
      ".git",
      ".gitignore",
      "a.txt",
      "ignored.log",
      "ready",
      "untracked",
    ]);
    const { active } = discovered(await dialogue.ask(next, "task__worktree", { action: "discover" }));
    expect(active).toHaveLength(1);
    const [id = ""] = active;
    const inspected = await dialogue.ask(next, "task__worktree", { action: "inspect", id });
    expect(inspected).toContain(':PATHS ("a.txt")');
    expect(inspected).toContain(":ARTIFACT-PATH NIL");
    const refused = await dialogue.ask(next, "task__worktree", { action: "cleanup", id });
    for (const word of ["untracked", "ignored.log", "work since the baseline that no artifact holds"])
      expect(refused).toContain(word);
    // The source has moved on: what the child changed is told from where it began.
    git(pit.workspace, "commit", "-q", "--allow-empty", "-m", "meanwhile");
    expect(await dialogue.ask(next, "task__worktree", { action: "extract", id })).toContain(
      ':PATHS ("a.txt")',
    );
    expect(await dialogue.ask(next, "task__worktree", { action: "apply", id, target: "." })).toContain(
      ":INTEGRATED T",
    );
    expect(readFileSync(join(pit.workspace, "a.txt"), "utf8")).toBe("two\n");
    expect(await dialogue.ask(next, "task__worktree", { action: "cleanup", id })).toContain("ignored files");
    expect(
      await dialogue.ask(next, "task__worktree", { action: "cleanup", id, discardDirty: true }),
    ).toContain(":REMOVED T");
    expect(checkoutsOf(pit)).toEqual([]);
    // What nobody staged is gone with the checkout; the artifact still says what it was.
    expect(await dialogue.ask(next, "task__worktree", { action: "inspect", id })).toContain(
      ':UNTRACKED ("ready" "untracked")',
    );
    await next.close();
  });

  it.each([1, 4])(
    "while it makes checkouts (the %ith is on disk) leaves none that is not found again",
    async (count) => {
      using pit = makeSandpit();
      makeRepository(
        pit.workspace,
        Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}.txt`, "x\n"])),
      );
      await using dialogue = await hostDialogue({
        ALPHA: [() => tool("shell__run", { command: "sleep 600" })],
      });
      const environment = { AUTOLITH_OPENAI_BASE_URL: dialogue.server.baseUrl };
      const first = await startHostProcess(pit, environment);
      dialogue.begin(first, "task__run", {
        context: "c",
        tasks: Array.from({ length: 6 }, () => ({ task: "ALPHA", isolation: {} })),
      });
      await eventually(() => checkoutsOf(pit).length).toBeGreaterThanOrEqual(count);
      await first.kill();

      const next = await startHostProcess(pit, environment, first.opened.id);
      const source = pit.workspace;
      const found = discovered(await dialogue.ask(next, "task__worktree", { action: "discover", source }));
      expect(found.active.map((id) => checkoutsOf(pit).some((path) => path.endsWith(id)))).not.toContain(
        false,
      );
      expect(found.active).toHaveLength(checkoutsOf(pit).length);
      // Those that had not begun run now, for the first time; they are stopped, and cleaned up like the others.
      const live = await dialogue.ask(next, "job__list", {});
      for (const [, name = ""] of live.matchAll(
        /:ID "([^"]+)" :TYPE :TASK :AGENT "task" :STATE :(?:QUEUED|RUNNING)/g,
      ))
        await dialogue.ask(next, "job__cancel", { id: name });
      await eventually(async () =>
        (await dialogue.ask(next, "job__list", {})).includes(":STATE :RUNNING"),
      ).toBe(false);
      const rest = discovered(await dialogue.ask(next, "task__worktree", { action: "discover", source }));
      for (const id of [...rest.active, ...rest.absent])
        expect(
          await dialogue.ask(next, "task__worktree", {
            action: "cleanup-orphan",
            id,
            source,
            discardDirty: true,
          }),
        ).toContain(":REMOVED T");
      expect(checkoutsOf(pit)).toEqual([]);
      expect(git(source, "worktree", "list").split("\n")).toHaveLength(1);
      expect(
        existsSync(join(source, ".git/worktrees")) ? readdirSync(join(source, ".git/worktrees")) : [],
      ).toEqual([]);
      expect(git(source, "branch", "--format=%(refname:short)")).toBe("main");
      await next.close();
    },
  );

  it("a cancelled child's work is secured all the same", async () => {
    using pit = makeSandpit();
    makeRepository(pit.workspace);
    await using dialogue = await hostDialogue({
      ALPHA: [
        () => tool("shell__run", { command: "echo two > a.txt; touch ready" }),
        () => tool("shell__run", { command: "sleep 600" }),
        () => submit("never"),
      ],
    });
    const host = await startHostProcess(pit, { AUTOLITH_OPENAI_BASE_URL: dialogue.server.baseUrl });
    await dialogue.ask(host, "task__run", {
      task: "ALPHA",
      name: "worker",
      isolation: {},
      "completion-policy": "notify",
    });
    await eventually(() => checkoutsOf(pit).some((path) => existsSync(join(path, "ready")))).toBe(true);
    const [id = ""] = discovered(await dialogue.ask(host, "task__worktree", { action: "discover" })).active;
    expect(
      await dialogue.ask(host, "task__worktree", {
        action: "cleanup-orphan",
        id,
        source: ".",
        discardDirty: true,
      }),
    ).toContain("still runs");
    await dialogue.ask(host, "job__cancel", { id: "worker-1" });
    const waited = await dialogue.ask(host, "job__wait", { id: "worker-1", "timeout-seconds": 30 });
    expect(waited).toContain(":STATUS :ABORTED");
    expect(waited).toMatch(/:WORKTREE-ARTIFACT-PATH "[^"]+worktree-artifact\.sexp" :WORKTREE-ERROR NIL/);
    expect(
      await dialogue.ask(host, "task__worktree", { action: "apply", id: "worker-1", target: "." }),
    ).toContain(":INTEGRATED T");
    expect(readFileSync(join(pit.workspace, "a.txt"), "utf8")).toBe("two\n");
    await host.close();
  });
});
