import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { processIdentity } from "../../../orchestrator/record/process-identity.ts";
import {
  holdPlaceholder,
  isPlaceholder,
  markName,
  releasePlaceholder,
  removeAbandonedPlaceholders,
} from "../../../workers/sandbox/placeholder.ts";
import { probeSandbox } from "../../../workers/sandbox/sandbox.ts";
import { readProcessTable } from "../../../workers/spawner/process-table.ts";
import { scratchDirectory } from "../spawner/collect.ts";
import { confinedBash, scene } from "./confined.ts";

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
  } catch {
    // It has ended meanwhile.
    return "";
  }
}

describe("what a sandboxed command can do", () => {
  test("write the workspace, read the system, use a temp of its own that lasts", async () => {
    const at = await scene();
    const { end, text } = await confinedBash(
      at,
      "echo hi > made && mkdir sub && cat /etc/hostname >/dev/null && echo t > /tmp/kept && echo $TMPDIR && pwd",
    );
    expect(end.exit).toEqual({ kind: "exited", code: 0 });
    expect(text).toBe(`/tmp\n${at.workspace}\n`);
    expect(readFileSync(join(at.workspace, "made"), "utf8")).toBe("hi\n");
    expect((await confinedBash(at, "cat /tmp/kept")).text).toBe("t\n");
  });

  test("use shared memory, pipes, and terminals of its own", async () => {
    const at = await scene();
    const { text } = await confinedBash(
      at,
      "echo a > /dev/shm/x && cat /dev/shm/x; echo b | cat; echo c > /dev/stderr",
    );
    expect(text).toBe("a\nb\nc\n");
  });

  test("its memory file systems are bounded", async () => {
    const at = await scene();
    const { text } = await confinedBash(
      at,
      "df --output=size,target /dev/shm | tail -1; for d in /dev /run; do touch $d/x 2>&1 && echo open; done; stat -c %a /dev/shm",
    );
    expect(text).toMatch(/^ *1048576 \/dev\/shm\n/);
    expect(text.match(/Read-only file system/g)).toHaveLength(2);
    expect(text).toMatch(/\n1777\n$/);
  });

  test("its exit code and its signal come through", async () => {
    const at = await scene();
    expect((await confinedBash(at, "exit 7")).end.exit).toEqual({ kind: "exited", code: 7 });
    expect((await confinedBash(at, "kill -9 $$")).end.exit).toEqual({ kind: "exited", code: 137 });
  });

  test("its background processes end with it", async () => {
    const at = await scene();
    const { end } = await confinedBash(
      at,
      "setsid sleep 4242 & nohup sleep 4242 >/dev/null 2>&1 & echo done",
    );
    expect(end.outputComplete).toBe(true);
    const commands = readProcessTable().map(({ pid }) => commandLine(pid));
    expect(commands.filter((line) => line.startsWith("sleep 4242"))).toEqual([]);
  });

  test("a deadline asks its processes first and kills them then", async () => {
    const at = await scene();
    const asked = await confinedBash(at, "trap 'echo bye; exit 0' TERM; sleep 60 & wait", {
      timeoutMs: 2_000,
    });
    expect(asked.end.cause).toBe("timeout");
    expect(asked.text).toBe("bye\n");
    const deaf = await confinedBash(at, "trap '' TERM; while :; do sleep 1; done", { timeoutMs: 300 });
    expect(deaf.end.cause).toBe("timeout");
  });
});

describe("git in a sandbox", () => {
  test("an isolated checkout may commit but not touch hooks, configuration or pointers", async () => {
    const at = await scene();
    const source = join(at.root, "source");
    const git = (...args: string[]) => execFileSync("git", ["-C", source, ...args], { stdio: "pipe" });
    mkdirSync(source);
    git("init", "-q", "-b", "main");
    git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-m", "one");
    for (const name of ["tree", "other"]) git("worktree", "add", "-q", "--detach", join(at.workspace, name));
    const inTree = { ...at, workspace: join(at.workspace, "tree") };
    const { text } = await confinedBash(
      inTree,
      `echo x > f; git add f && git -c user.name=n -c user.email=e commit -qm two && echo committed
       common=$(git rev-parse --git-common-dir)
       echo evil > $common/hooks/post-commit || echo hooks kept
       git config core.fsmonitor evil 2>/dev/null || echo config kept
       echo evil > $(git rev-parse --git-dir)/commondir || echo pointer kept
       git config --worktree core.fsmonitor evil 2>/dev/null || echo worktree config kept
       mv $common/config $common/c2 2>/dev/null || echo config in place
       mkdir $common/modules/x 2>/dev/null || echo modules kept
       echo x > $common/worktrees/other/HEAD || echo sibling kept
       mkdir $common/worktrees/new 2>/dev/null || echo no sibling made`,
      { git: "administer" },
    );
    for (const line of [
      "committed",
      "hooks kept",
      "config kept",
      "pointer kept",
      "worktree config kept",
      "config in place",
      "modules kept",
      "sibling kept",
      "no sibling made",
    ]) {
      expect(text).toContain(line);
    }
    expect(existsSync(join(source, ".git/hooks/post-commit"))).toBe(false);
  });

  test("placeholders for names that do not exist are gone afterwards, for commands side by side too", async () => {
    const at = await scene();
    const results = await Promise.all(
      [1, 2, 3].map(
        async (n) => await confinedBash(at, `sleep 0.${n}; mkdir .git/hooks .autolith/agents 2>&1; true`),
      ),
    );
    for (const { text } of results) expect(text.match(/Read-only file system/g)).toHaveLength(2);
    expect(existsSync(join(at.workspace, ".git"))).toBe(false);
    expect(existsSync(join(at.workspace, ".autolith"))).toBe(false);
  });
});

describe("placeholders of other hosts", () => {
  const identity = processIdentity();

  test("those of dead hosts are taken away, of live ones kept, and a directory of the user's stays", async () => {
    const at = await scene();
    const dead = { ...identity, startTicks: 1 };
    const live = processIdentity(process.ppid);
    for (const name of [".git", ".autolith"])
      mkdirSync(join(at.workspace, name, markName(dead)), { recursive: true });
    mkdirSync(join(at.workspace, ".git", markName(live)));
    const { text } = await confinedBash(at, "mkdir .git/hooks .autolith/agents 2>&1; true");
    expect(text.match(/Read-only file system/g)).toHaveLength(2);
    expect(readdirSync(join(at.workspace, ".git"))).toEqual([markName(live)]);
    expect(existsSync(join(at.workspace, ".autolith"))).toBe(false);
    mkdirSync(join(at.workspace, ".autolith/agents"), { recursive: true });
    removeAbandonedPlaceholders(at.workspace);
    expect(existsSync(join(at.workspace, ".autolith/agents"))).toBe(true);
  });

  test("the name is held until the last host lets it go", () => {
    const path = join(scratchDirectory(), ".git");
    mkdirSync(join(path, markName(processIdentity(process.ppid))), { recursive: true });
    holdPlaceholder(path);
    releasePlaceholder(path);
    expect(readdirSync(path)).toHaveLength(1);
  });

  test("a repository made meanwhile is left alone", () => {
    const root = scratchDirectory();
    holdPlaceholder(join(root, ".git"));
    execFileSync("git", ["init", "-q", root]);
    expect(isPlaceholder(join(root, ".git"))).toBe(false);
    releasePlaceholder(join(root, ".git"));
    expect(readdirSync(join(root, ".git"))).not.toContain(markName(identity));
    expect(existsSync(join(root, ".git/HEAD"))).toBe(true);
  });
});

describe("workspaces that cannot be confined", () => {
  test("a linked .git is refused", async () => {
    const at = await scene();
    symlinkSync(at.hidden, join(at.workspace, ".git"));
    await expect(confinedBash(at, "true")).rejects.toMatchObject({ code: "sandbox-workspace" });
  });

  test("the root and the home directory are refused", async () => {
    const at = await scene();
    for (const workspace of ["/", process.env["HOME"] ?? "/root"]) {
      await expect(confinedBash({ ...at, workspace }, "true")).rejects.toMatchObject({
        code: "sandbox-workspace",
      });
    }
  });
});

describe("probe", () => {
  test("says when bubblewrap is missing", async () => {
    const probe = await probeSandbox({ environment: { PATH: "/nonexistent" }, hidden: [] });
    expect(probe).toEqual({
      available: false,
      reason: "bubblewrap is not installed (no bwrap program in PATH).",
    });
  });

  test("passes on what bubblewrap says when it cannot make a sandbox", async () => {
    const directory = scratchDirectory();
    const script = "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n";
    writeFileSync(join(directory, "bwrap"), script, { mode: 0o755 });
    const probe = await probeSandbox({ environment: { PATH: directory }, hidden: [] });
    expect(probe).toMatchObject({ available: false });
    expect(probe.available ? "" : probe.reason).toContain("No permissions to create new namespace");
  });
});
