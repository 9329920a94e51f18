/** Worktrees over real git, in repositories of every kind. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { newExecutionId } from "../../../orchestrator/contract/identifiers.ts";
import type { CheckoutState } from "../../../orchestrator/worktrees/worktree-machine.ts";
import { type WorktreeRecord, decodedPatch, encodedPatch } from "../../../orchestrator/worktrees/worktree.ts";
import { commitAll, git, makeRepository, writeFiles } from "../../support/git/repository.ts";
import { type WorktreeScene, worktreeScene } from "../../support/git/worktrees.ts";

// Dozens of git processes in a test: a busy machine takes its time.
vi.setConfig({ testTimeout: 180_000 });

async function survey(scene: WorktreeScene, record: WorktreeRecord): Promise<CheckoutState> {
  const state = await scene.machine.survey(record, scene.leave);
  if (state === "unfinished") throw new Error("the checkout is finished");
  return state;
}

/** Puts the patch of a checkout into a fresh clone and answers its directory. */
async function appliedElsewhere(scene: WorktreeScene, state: CheckoutState): Promise<string> {
  const target = join(scene.root, `clone-${readdirSync(scene.root).length}`);
  git(scene.root, "clone", "-q", scene.source, target);
  await scene.machine.check(target, state.patch, scene.leave);
  await scene.machine.apply(target, state.patch, scene.leave);
  return target;
}

const emptyLists = { uncommitted: [], untracked: [], ignored: [], submodules: [] };

describe("names and contents", () => {
  test("C051: spaces, umlauts, newlines and quotes in repository, directory and file names are exact", async () => {
    const names = [
      "a b.txt",
      "Report — Q1.txt",
      "new\nline.txt",
      'quo"te.txt',
      "tab\t.txt",
      "-dash.txt",
      "文/字.txt",
    ];
    const scene = worktreeScene({
      name: "My Prójéct 文",
      files: { "a b.txt": "1\n", "old\nname.txt": "1\n" },
    });
    git(scene.source, "checkout", "-q", "-b", "fêature/x-y");
    const record = await scene.checkout();
    rmSync(join(record.path, "old\nname.txt"));
    writeFiles(record.path, Object.fromEntries(names.map((name) => [name, "two\n"])));
    git(record.path, "add", "--all");
    const state = await survey(scene, record);
    expect([...state.paths].sort()).toEqual([...names, "old\nname.txt"].sort());
    const target = await appliedElsewhere(scene, state);
    for (const name of names) expect(readFileSync(join(target, name), "utf8")).toBe("two\n");
    expect(existsSync(join(target, "old\nname.txt"))).toBe(false);
    expect(
      (
        await scene.machine.examine(
          scene.source,
          { baseline: "fêature/x-y", ignoreChanges: true },
          scene.leave,
        )
      ).baseline,
    ).toBe(record.baseline);
    await expect(
      scene.machine.examine(
        scene.source,
        { baseline: "fêature/x y --upload-pack=evil", ignoreChanges: true },
        scene.leave,
      ),
    ).rejects.toMatchObject({ code: "worktree-baseline" });
    await expect(
      scene.machine.examine(scene.source, { baseline: "--help", ignoreChanges: true }, scene.leave),
    ).rejects.toMatchObject({ code: "worktree-baseline" });
  });

  test("a patch keeps bytes that are no UTF-8, line ends of every kind, binary files, modes and links", async () => {
    const bytes: Readonly<Record<string, Buffer>> = {
      "latin.txt": Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]),
      "crlf.txt": Buffer.from("a\r\nb\rc\nno end"),
      "binary.bin": Buffer.from([0, 1, 2, 255, 0, 13, 10]),
      "empty.txt": Buffer.alloc(0),
      "mark.txt": Buffer.from("\uFEFFmark\n"),
    };
    const scene = worktreeScene({
      files: { "run.sh": "#!/bin/sh\n", "latin.txt": Buffer.from([0xe8, 0x0a]) },
    });
    const record = await scene.checkout();
    writeFiles(record.path, bytes);
    symlinkSync("run.sh", join(record.path, "link"));
    git(record.path, "add", "--all");
    chmodSync(join(record.path, "run.sh"), 0o755);
    git(record.path, "commit", "-q", "-a", "-m", "mode");
    const state = await survey(scene, record);
    // The way of an artifact: through a text file and back.
    const kept = decodedPatch(JSON.parse(JSON.stringify(encodedPatch(state.patch))) as { patch: string });
    expect(kept.equals(Buffer.from(state.patch))).toBe(true);
    const target = await appliedElsewhere(scene, { ...state, patch: kept });
    for (const [name, content] of Object.entries(bytes))
      expect(readFileSync(join(target, name)).equals(content)).toBe(true);
    expect(
      git(target, "ls-files", "--stage", "run.sh", "link")
        .split("\n")
        .map((line) => line.slice(0, 6)),
    ).toEqual(["120000", "100755"]);
  });

  test("a patch over the limit is refused with the number", async () => {
    const scene = worktreeScene();
    const record = await scene.checkout();
    writeFileSync(join(record.path, "a.txt"), Buffer.alloc(17 * 1024 * 1024, "x\n"));
    await expect(survey(scene, record)).rejects.toMatchObject({
      code: "worktree-limit",
      message: expect.stringContaining("16777216 bytes") as string,
    });
  });
});

describe("sources", () => {
  test("directories below the top, detached HEADs and linked worktrees are sources like any other", async () => {
    const scene = worktreeScene({ files: { "deep/er/a.txt": "1\n" } });
    const first = git(scene.source, "rev-parse", "HEAD");
    const below = await scene.machine.examine(
      join(scene.source, "deep/er"),
      { baseline: "HEAD", ignoreChanges: false },
      scene.leave,
    );
    expect(below).toEqual({ source: scene.source, prefix: "deep/er", baseline: first });
    const linked = join(scene.root, "linked");
    git(scene.source, "worktree", "add", "-q", "--detach", linked);
    writeFiles(linked, { "a.txt": "in linked\n" });
    const second = commitAll(linked);
    const record = await scene.checkout({ source: linked });
    expect([record.source, record.baseline]).toEqual([linked, second]);
    expect(git(record.path, "rev-parse", "--abbrev-ref", "HEAD")).toBe("HEAD");
    // The linked worktree is gone when the checkout is: the repository is found all the same.
    git(scene.source, "worktree", "remove", "--force", linked);
    expect(await survey(scene, record)).toMatchObject({ tip: second, paths: [], ...emptyLists });
    await scene.machine.remove(record, scene.leave);
    expect(git(scene.source, "worktree", "list").split("\n")).toHaveLength(1);
  });

  test("no repository, a bare one, the inside of a git directory and one without a commit are refused, each with its reason", async () => {
    const scene = worktreeScene();
    const places = {
      outside: join(scene.root, "outside"),
      bare: join(scene.root, "bare.git"),
      empty: join(scene.root, "empty"),
    };
    mkdirSync(places.outside);
    git(scene.root, "init", "-q", "--bare", places.bare);
    git(scene.root, "init", "-q", places.empty);
    const refusal = async (directory: string): Promise<unknown> =>
      scene.machine
        .examine(directory, { baseline: "HEAD", ignoreChanges: false }, scene.leave)
        .catch((error: unknown) => error);
    expect(await refusal(places.outside)).toMatchObject({ code: "worktree-not-git" });
    expect(await refusal(places.bare)).toMatchObject({ code: "worktree-bare" });
    expect(await refusal(join(scene.source, ".git"))).toMatchObject({ code: "worktree-bare" });
    expect(await refusal(places.empty)).toMatchObject({
      code: "worktree-baseline",
      message: expect.stringContaining("no commit yet") as string,
    });
  });

  test("shallow and sparse repositories work; what is not checked out does not count as deleted", async () => {
    const scene = worktreeScene({ files: { "in/a.txt": "1\n", "out/b.txt": "1\n" } });
    writeFiles(scene.source, { "in/a.txt": "2\n" });
    commitAll(scene.source);
    const shallow = join(scene.root, "shallow");
    git(scene.root, "clone", "-q", "--depth", "1", `file://${scene.source}`, shallow);
    git(shallow, "sparse-checkout", "set", "in");
    expect(existsSync(join(shallow, "out"))).toBe(false);
    const record = await scene.checkout({ source: shallow, kind: "commit-range" });
    writeFiles(record.path, { "in/a.txt": "3\n" });
    git(record.path, "-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-a", "-m", "three");
    const state = await survey(scene, record);
    expect(state).toMatchObject({ paths: ["in/a.txt"], ...emptyLists });
    await scene.machine.secureRange(record, state, scene.leave);
    const range = { baseline: record.baseline, tip: state.tip };
    await expect(scene.machine.pick(shallow, range, scene.leave)).rejects.toMatchObject({
      code: "worktree-git-failed",
      message: expect.stringContaining("user.email") as string,
    });
    git(shallow, "config", "user.name", "n");
    git(shallow, "config", "user.email", "n@example.org");
    expect(
      await scene.machine.pick(shallow, { baseline: record.baseline, tip: state.tip }, scene.leave),
    ).toHaveLength(1);
    expect(readFileSync(join(shallow, "in/a.txt"), "utf8")).toBe("3\n");
  });

  test("C043: the source's own changes are refused, or left behind when told so, and never reach the checkout", async () => {
    const scene = worktreeScene({ files: { "a.txt": "1\n", ".gitignore": "*.log\n" } });
    writeFiles(scene.source, { "noise.log": "x" });
    const examine = (ignoreChanges: boolean): Promise<unknown> =>
      scene.machine.examine(scene.source, { baseline: "HEAD", ignoreChanges }, scene.leave);
    await examine(false);
    for (const [files, staged] of [
      [{ "a.txt": "2\n" }, false],
      [{ "a.txt": "2\n" }, true],
      [{ "u.txt": "2\n" }, false],
    ] as const) {
      writeFiles(scene.source, files);
      if (staged) git(scene.source, "add", "--all");
      await expect(examine(false)).rejects.toMatchObject({
        code: "worktree-dirty",
        message: expect.stringContaining(Object.keys(files)[0] ?? "") as string,
      });
    }
    const record = await scene.checkout();
    writeFiles(record.path, { "mine.txt": "m\n" });
    commitAll(record.path, "mine");
    expect(git(record.path, "show", "--name-only", "--format=", "HEAD")).toBe("mine.txt");
    expect(readdirSync(record.path).sort()).toEqual([".git", ".gitignore", "a.txt", "mine.txt"]);
    expect(git(scene.source, "status", "--porcelain")).toContain("u.txt");
  });

  test("C049: a repository that is itself a submodule gets its checkout outside every git directory", async () => {
    const scene = worktreeScene();
    const outer = makeRepository(join(scene.root, "outer"));
    git(outer, "submodule", "add", "-q", scene.source, "inner");
    commitAll(outer, "with submodule");
    const inner = join(outer, "inner");
    const record = await scene.checkout({ source: inner });
    expect(record.source).toBe(inner);
    expect(record.path).not.toContain(".git");
    expect((await survey(scene, record)).tip).toBe(git(inner, "rev-parse", "HEAD"));
    // The tree is deleted by hand; another one is made anew, and the dead one is cleaned away.
    rmSync(record.path, { recursive: true });
    const again = await scene.checkout({ source: inner });
    expect(existsSync(join(again.path, "a.txt"))).toBe(true);
    await scene.machine.remove(record, scene.leave);
    expect((await scene.machine.marked(inner, scene.leave)).map(({ path }) => path)).toEqual([again.path]);
  });
});

describe("what a checkout holds", () => {
  test("staged, unstaged, committed, untracked, ignored and nested things are told apart, all from the first baseline", async () => {
    const scene = worktreeScene({
      files: { ".gitignore": "*.log\nbuild/\n", "a.txt": "1\n", "b.txt": "1\n", "c.txt": "1\n" },
    });
    const record = await scene.checkout();
    writeFiles(record.path, { "a.txt": "committed\n" });
    const tip = commitAll(record.path, "work");
    // The source goes on meanwhile: what changed is measured from where the checkout began.
    writeFiles(scene.source, { "elsewhere.txt": "x\n" });
    commitAll(scene.source, "later");
    writeFiles(record.path, { "b.txt": "staged\n" });
    git(record.path, "add", "b.txt");
    writeFiles(record.path, { "c.txt": "unstaged\n", "u.txt": "u", "x.log": "i", "build/o": "i" });
    makeRepository(join(record.path, "nested"));
    expect(await survey(scene, record)).toMatchObject({
      tip,
      paths: ["a.txt", "b.txt", "c.txt"],
      uncommitted: ["b.txt", "c.txt"],
      untracked: ["nested/", "u.txt"],
      ignored: ["build/", "x.log"],
      submodules: [],
    });
  });

  test("commits that it left and nothing else holds are told; amended and reset ones, and those on a branch, are not", async () => {
    const scene = worktreeScene({ files: { "a.txt": "1\n" } });
    const record = await scene.checkout();
    expect(await survey(scene, record)).toMatchObject({ leftCommits: [] });
    writeFiles(record.path, { "a.txt": "amended away\n" });
    commitAll(record.path, "first words");
    git(
      record.path,
      "-c",
      "user.name=n",
      "-c",
      "user.email=e",
      "commit",
      "-q",
      "--amend",
      "-m",
      "wörk – done",
    );
    writeFiles(record.path, { "a.txt": "reset away\n" });
    commitAll(record.path, "a mistake");
    git(record.path, "reset", "-q", "--hard", "HEAD~1");
    const state = await survey(scene, record);
    expect(state).toMatchObject({ leftCommits: [], paths: ["a.txt"] });
    const subjects = state.discardedCommits.map((each) => each.replace(/^[0-9a-f]+ /, ""));
    expect(subjects.toSorted()).toEqual(["a mistake", "first words"]);
    git(record.path, "checkout", "-q", "--detach", record.baseline);
    const left = await survey(scene, record);
    expect(left).toMatchObject({ tip: record.baseline, paths: [] });
    expect(left.leftCommits.map((each) => each.replace(/^[0-9a-f]+ /, ""))).toEqual(["wörk – done"]);
    git(record.path, "branch", "kept", "HEAD@{1}");
    expect(await survey(scene, record)).toMatchObject({ leftCommits: [] });
  });

  test("commits that only its own log holds survive its removal and a collection of garbage, under references that are told", async () => {
    const scene = worktreeScene({ files: { "a.txt": "1\n" } });
    const record = await scene.checkout();
    const lost: string[] = [];
    for (const word of ["one", "two"]) {
      writeFiles(record.path, { "a.txt": `${word}\n` });
      lost.push(commitAll(record.path, word));
    }
    git(record.path, "reset", "-q", "--hard", record.baseline);
    writeFiles(record.path, { "a.txt": "other\n" });
    lost.push(commitAll(record.path, "other"));
    git(record.path, "-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--amend", "-m", "better");
    const { kept } = await scene.machine.remove(record, scene.leave);
    expect(kept.map((each) => each.replace(/^\S+ /, "")).toSorted()).toEqual(["other", "two"]);
    git(scene.source, "reflog", "expire", "--expire=now", "--all");
    git(scene.source, "gc", "-q", "--prune=now");
    for (const commit of lost) expect(git(scene.source, "cat-file", "-t", commit)).toBe("commit");
    const [first = ""] = kept;
    expect(first).toMatch(new RegExp(`^refs/autolith/left/${record.id}/1 `));
    expect(lost).toContain(git(scene.source, "rev-parse", first.split(" ", 1)[0] ?? ""));
    expect(git(scene.source, "branch", "--format=%(refname:short)")).toBe("main");
  });

  test("stash entries made in it are told and stay; the person's own are not among them", async () => {
    const scene = worktreeScene({ files: { "a.txt": "1\n" } });
    const stash = (directory: string, text: string): void => {
      writeFiles(directory, { "a.txt": text });
      git(directory, "-c", "user.name=n", "-c", "user.email=e", "stash", "push", "-q", "-m", text);
    };
    stash(scene.source, "before");
    const record = await scene.checkout();
    expect(await survey(scene, record)).toMatchObject({ stashes: [] });
    stash(record.path, "of the child");
    stash(scene.source, "of the person");
    const stashes = ["stash@{1}: On (no branch): of the child"];
    expect(await survey(scene, record)).toMatchObject({ stashes, discardedCommits: [] });
    expect(await scene.machine.remove(record, scene.leave)).toEqual({ kept: [], stashes });
    expect(git(scene.source, "stash", "list").split("\n")).toHaveLength(3);
  });

  test("C045: submodules are empty and said to be; a clean filled one does not keep the checkout, a dirty one shows", async () => {
    const scene = worktreeScene();
    const library = makeRepository(join(scene.root, "library"), { "lib.txt": "1\n" });
    git(scene.source, "submodule", "add", "-q", library, "lib dir");
    commitAll(scene.source, "with submodule");
    const record = await scene.record();
    expect(await scene.machine.create(record, scene.leave)).toEqual({ submodules: ["lib dir"], filters: [] });
    expect(readdirSync(join(record.path, "lib dir"))).toEqual([]);
    git(record.path, "-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init");
    expect(await survey(scene, record)).toMatchObject({ paths: [], ...emptyLists });
    writeFiles(record.path, { "lib dir/lib.txt": "2\n" });
    expect(await survey(scene, record)).toMatchObject({ paths: [], submodules: ["lib dir"] });
    git(
      join(record.path, "lib dir"),
      "-c",
      "user.name=n",
      "-c",
      "user.email=e",
      "commit",
      "-q",
      "-a",
      "-m",
      "in submodule",
    );
    expect(await survey(scene, record)).toMatchObject({ paths: ["lib dir"], submodules: ["lib dir"] });
    await scene.machine.remove(record, scene.leave);
    expect(existsSync(record.path)).toBe(false);
    expect(git(scene.source, "worktree", "list").split("\n")).toHaveLength(1);
    // The source with such changes is not clean either.
    writeFiles(scene.source, { "lib dir/lib.txt": "3\n" });
    await expect(
      scene.machine.examine(scene.source, { baseline: "HEAD", ignoreChanges: false }, scene.leave),
    ).rejects.toMatchObject({ code: "worktree-dirty" });
  });
});

describe("ranges of commits", () => {
  test("survive the checkout and a collection of garbage; others than a plain range are refused", async () => {
    const scene = worktreeScene();
    const record = await scene.checkout({ kind: "commit-range" });
    for (const word of ["two", "three"]) {
      writeFiles(record.path, { "a.txt": `${word}\n` });
      commitAll(record.path, word);
    }
    const state = await survey(scene, record);
    await scene.machine.secureRange(record, state, scene.leave);
    await scene.machine.remove(record, scene.leave);
    git(scene.source, "reflog", "expire", "--expire=now", "--all");
    git(scene.source, "gc", "-q", "--prune=now");
    const commits = await scene.machine.pick(
      scene.source,
      { baseline: record.baseline, tip: state.tip },
      scene.leave,
    );
    expect(commits).toHaveLength(2);
    expect(git(scene.source, "log", "--format=%s")).toBe("three\ntwo\nfirst");
    expect(git(scene.source, "branch", "--format=%(refname:short)")).toBe("main");

    const unrelated = await scene.checkout({ kind: "commit-range" });
    git(unrelated.path, "checkout", "-q", "--orphan", "other");
    commitAll(unrelated.path, "root");
    const apart = await survey(scene, unrelated);
    await expect(scene.machine.secureRange(unrelated, apart, scene.leave)).rejects.toMatchObject({
      code: "worktree-range",
    });
    const elsewhere = makeRepository(join(scene.root, "elsewhere"), { "z.txt": "z\n" });
    await expect(
      scene.machine.pick(elsewhere, { baseline: record.baseline, tip: state.tip }, scene.leave),
    ).rejects.toMatchObject({
      code: "worktree-range",
      message: expect.stringContaining("does not have the commit") as string,
    });
  });

  test("a dirty target is refused before anything changes; a patch that does not fit changes nothing", async () => {
    const scene = worktreeScene({ files: { "a.txt": "1\n", "b.txt": "1\n" } });
    const record = await scene.checkout();
    writeFiles(record.path, { "a.txt": "2\n", "b.txt": "2\n", "new.txt": "n\n" });
    git(record.path, "add", "--all");
    const state = await survey(scene, record);
    writeFiles(scene.source, { "b.txt": "dirty\n" });
    await expect(scene.machine.apply(scene.source, state.patch, scene.leave)).rejects.toMatchObject({
      code: "worktree-dirty",
    });
    commitAll(scene.source, "conflicting");
    await expect(scene.machine.check(scene.source, state.patch, scene.leave)).rejects.toMatchObject({
      code: "worktree-conflict",
    });
    await expect(scene.machine.apply(scene.source, state.patch, scene.leave)).rejects.toMatchObject({
      code: "worktree-conflict",
    });
    expect(git(scene.source, "status", "--porcelain")).toBe("");
    expect(readFileSync(join(scene.source, "a.txt"), "utf8")).toBe("1\n");
    // An untracked file of the target's is never overwritten.
    git(scene.source, "reset", "-q", "--hard", record.baseline);
    writeFiles(scene.source, { "new.txt": "mine\n" });
    await expect(scene.machine.apply(scene.source, state.patch, scene.leave)).rejects.toMatchObject({
      code: "worktree-conflict",
    });
    expect(readFileSync(join(scene.source, "new.txt"), "utf8")).toBe("mine\n");
  });
});

describe("removal", () => {
  test("takes nothing but the record's own checkout", async () => {
    const scene = worktreeScene();
    const record = await scene.checkout();
    const other = await scene.checkout();
    // Something else stands where the record says.
    await expect(scene.machine.remove({ ...record, path: other.path }, scene.leave)).rejects.toMatchObject({
      code: "worktree-foreign",
    });
    await expect(scene.machine.remove({ ...record, path: scene.source }, scene.leave)).rejects.toMatchObject({
      code: "worktree-foreign",
    });
    rmSync(record.path, { recursive: true });
    symlinkSync(scene.source, record.path);
    await expect(scene.machine.remove(record, scene.leave)).rejects.toMatchObject({
      code: "worktree-foreign",
    });
    expect(existsSync(join(scene.source, "a.txt"))).toBe(true);
    expect(existsSync(join(other.path, "a.txt"))).toBe(true);
    rmSync(record.path);
    await scene.machine.remove(record, scene.leave);
    await scene.machine.remove(record, scene.leave);
    expect((await scene.machine.marked(scene.source, scene.leave)).map(({ path }) => path)).toEqual([
      other.path,
    ]);
  });

  test("what a killed creation or removal leaves is found by git's records and taken away", async () => {
    const scene = worktreeScene();
    // Cut off after the administrative directory: no checkout yet.
    const early = await scene.checkout();
    const [name = ""] = readdirSync(join(scene.source, ".git/worktrees"));
    rmSync(early.path, { recursive: true });
    rmSync(join(scene.source, ".git/worktrees", name, "gitdir"));
    await scene.machine.remove(early, scene.leave);
    expect(existsSync(join(scene.source, ".git/worktrees", name))).toBe(false);
    // Cut off before the files were in place.
    const unfinished = await scene.checkout();
    const [administration = ""] = readdirSync(join(scene.source, ".git/worktrees"));
    rmSync(join(scene.source, ".git/worktrees", administration, "index"));
    expect(await scene.machine.survey(unfinished, scene.leave)).toBe("unfinished");
    await scene.machine.remove(unfinished, scene.leave);
    expect(existsSync(unfinished.path)).toBe(false);
    // Half removed: the link went first.
    const half = await scene.checkout();
    rmSync(join(half.path, ".git"));
    await expect(scene.machine.survey(half, scene.leave)).rejects.toMatchObject({ code: "worktree-damaged" });
    await scene.machine.remove(half, scene.leave);
    expect(existsSync(half.path)).toBe(false);
    expect(git(scene.source, "worktree", "list").split("\n")).toHaveLength(1);
  });

  test("a denied command leaves everything", async () => {
    const scene = worktreeScene();
    const record = await scene.checkout();
    const denied = { ...scene.leave, permit: () => Promise.reject(new Error("no")) };
    await expect(scene.machine.remove(record, denied)).rejects.toThrow("no");
    expect(existsSync(join(record.path, "a.txt"))).toBe(true);
  });
});

test("C047: twelve checkouts made at once, in a repository that sets up merging, all stand and leave no branch", async () => {
  const scene = worktreeScene();
  const upstream = join(scene.root, "upstream");
  git(scene.root, "clone", "-q", "--bare", scene.source, upstream);
  git(scene.source, "remote", "add", "origin", upstream);
  git(scene.source, "fetch", "-q", "origin");
  git(scene.source, "branch", "-q", "--set-upstream-to", "origin/main");
  git(scene.source, "config", "branch.autoSetupMerge", "always");
  git(scene.source, "config", "checkout.defaultRemote", "origin");
  git(scene.source, "config", "worktree.guessRemote", "true");
  const first = await scene.record();
  const records = Array.from({ length: 12 }, (): WorktreeRecord => {
    const id = newExecutionId();
    return { ...first, id, owner: `abcdefg/${id}`, path: join(dirname(first.path), id) };
  });
  const before = readFileSync(join(scene.source, ".git/config"), "utf8");
  await Promise.all(records.map((record) => scene.machine.create(record, scene.leave)));
  for (const record of records) expect(existsSync(join(record.path, "a.txt"))).toBe(true);
  // A creation that fails leaves nothing either: the place is taken.
  const failing = await scene.record();
  writeFiles(failing.path, { "in-the-way.txt": "x" });
  await expect(scene.machine.create(failing, scene.leave)).rejects.toMatchObject({
    code: "worktree-git-failed",
  });
  expect(git(scene.source, "branch", "--format=%(refname:short)")).toBe("main");
  expect(readFileSync(join(scene.source, ".git/config"), "utf8")).toBe(before);
  expect(await scene.machine.marked(scene.source, scene.leave)).toHaveLength(12);
});
