import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import {
  filterNames,
  parseConfiguration,
  safeSettings,
  settingVariables,
} from "../../../workers/git/safe-configuration.ts";
import { shellText } from "../../../workers/git/shell-text.ts";
import { commitAll, git, writeFiles } from "../../support/git/repository.ts";
import { worktreeScene } from "../../support/git/worktrees.ts";

// Dozens of git processes in a test: a busy machine takes its time.
vi.setConfig({ testTimeout: 180_000 });

describe("settings for the host's git", () => {
  test("a listing is read with its scopes, empty values, newlines in values and keys without one", () => {
    expect(
      parseConfiguration("local\0core.bare\nfalse\0global\0a.b\n\0local\0alias.x\none\ntwo\0local\0a.flag\0"),
    ).toEqual([
      { scope: "local", key: "core.bare", value: "false" },
      { scope: "global", key: "a.b", value: "" },
      { scope: "local", key: "alias.x", value: "one\ntwo" },
      { scope: "local", key: "a.flag", value: "true" },
    ]);
    expect(parseConfiguration("")).toEqual([]);
  });

  test("what the user set is kept where it says how files look, and not where the repository says otherwise", () => {
    const settings = safeSettings([
      { scope: "global", key: "user.name", value: "Ada" },
      { scope: "global", key: "core.autocrlf", value: "true" },
      { scope: "local", key: "core.autocrlf", value: "input" },
      { scope: "global", key: "safe.directory", value: "/a" },
      { scope: "global", key: "safe.directory", value: "/b" },
      { scope: "global", key: "filter.lfs.smudge", value: "evil" },
      { scope: "system", key: "core.hookspath", value: "/evil" },
    ]);
    const kept = settings.filter(([, value]) =>
      ["Ada", "true", "input", "/a", "/b", "evil", "/evil"].includes(value),
    );
    expect(kept).toEqual([
      ["user.name", "Ada"],
      ["safe.directory", "/a"],
      ["safe.directory", "/b"],
    ]);
    expect(settingVariables([["a.b", "c"]])).toEqual({
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "a.b",
      GIT_CONFIG_VALUE_0: "c",
    });
  });

  test("filters are named once, and those that are switched off are not", () => {
    expect(
      filterNames([
        { scope: "local", key: "filter.a.b.clean", value: "x" },
        { scope: "local", key: "filter.a.b.smudge", value: "x" },
        { scope: "local", key: "filter.off.clean", value: "" },
      ]),
    ).toEqual(["a.b"]);
  });

  test("arguments as shell text mean the same", () => {
    expect(shellText(["git", "-C", "/a b/it's", "x\ny", "", "-z"])).toBe(
      String.raw`git -C '/a b/it'\''s' 'x` + "\n" + String.raw`y' '' -z`,
    );
  });
});

/** Every way of git to run a command that a repository can set by itself, each leaving a file of its own. */
function layTraps(source: string, marks: string): void {
  mkdirSync(marks);
  const trap = (name: string): string => `touch '${join(marks, name)}'; cat`;
  const settings: Readonly<Record<string, string>> = {
    "core.fsmonitor": join(marks, "..", "monitor"),
    "core.pager": trap("pager"),
    "core.editor": trap("editor"),
    "core.sshCommand": trap("ssh"),
    "core.askPass": trap("askpass"),
    "core.gitProxy": trap("proxy"),
    "core.alternateRefsCommand": trap("alternates"),
    "sequence.editor": trap("sequence"),
    "diff.external": trap("external"),
    "diff.odd.textconv": trap("textconv"),
    "diff.odd.command": trap("diff-command"),
    "filter.odd.clean": trap("clean"),
    "filter.odd.smudge": trap("smudge"),
    "filter.odd.required": "true",
    "filter.Other.Name.process": trap("process"),
    "merge.odd.driver": trap("merge"),
    "merge.default": "odd",
    "credential.helper": `!${trap("helper")}`,
    "credential.https://example.org.helper": `!${trap("helper-url")}`,
    "gpg.program": trap("gpg"),
    "gpg.ssh.defaultKeyCommand": trap("gpg-ssh"),
    "commit.gpgSign": "true",
    "log.showSignature": "true",
    "alias.status": `!${trap("alias-status")}`,
    "alias.worktree": `!${trap("alias-worktree")}`,
    "pager.diff": trap("pager-diff"),
    "trailer.odd.command": trap("trailer"),
    "submodule.inner.update": `!${trap("submodule-update")}`,
    "submodule.recurse": "true",
    "uploadpack.packObjectsHook": trap("pack-objects"),
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "status.showUntrackedFiles": "no",
    "core.quotePath": "true",
  };
  writeFileSync(join(marks, "..", "monitor"), `#!/bin/sh\ntouch '${join(marks, "fsmonitor")}'\n`);
  chmodSync(join(marks, "..", "monitor"), 0o755);
  for (const [key, value] of Object.entries(settings)) git(source, "config", key, value);
  const hooks = [
    ...[
      "post-checkout",
      "pre-commit",
      "post-commit",
      "prepare-commit-msg",
      "commit-msg",
      "post-index-change",
    ],
    ...[
      "reference-transaction",
      "pre-applypatch",
      "post-rewrite",
      "applypatch-msg",
      "pre-auto-gc",
      "post-merge",
    ],
  ];
  for (const hook of hooks) {
    const path = join(source, ".git", "hooks", hook);
    mkdirSync(join(source, ".git", "hooks"), { recursive: true });
    writeFileSync(path, `#!/bin/sh\ntouch '${join(marks, `hook-${hook}`)}'\n`);
    chmodSync(path, 0o755);
  }
}

test.each(["patch", "commit-range"] as const)(
  "no operation of the host on a %s runs a hook, monitor, filter, driver, pager, helper, alias or signer of the repository",
  async (kind) => {
    const scene = worktreeScene({
      files: {
        ".gitattributes": "*.odd filter=odd diff=odd merge=odd\n*.proc filter=Other.Name\n",
        "a.odd": "one\n",
        "b.proc": "one\n",
        "plain.txt": "one\n",
      },
    });
    const { machine, source, leave, root } = scene;
    const marks = join(root, "marks");
    layTraps(source, marks);

    await machine.examine(source, { baseline: "HEAD", ignoreChanges: false }, leave);
    const record = await scene.record({ kind });
    expect(await machine.create(record, leave)).toEqual({ submodules: [], filters: ["odd", "Other.Name"] });
    writeFiles(record.path, { "a.odd": `${kind}\n`, "b.proc": "two\n", "new.odd": "n\n" });
    git(record.path, "-c", "core.hooksPath=/dev/null", ...quiet, "add", "--all");
    if (kind === "commit-range") git(record.path, ...quiet, "commit", "-q", "-m", "work");
    const state = await machine.survey(record, leave);
    if (state === "unfinished") throw new Error("finished");
    expect(state.paths).toEqual(["a.odd", "b.proc", "new.odd"]);
    if (kind === "commit-range") await machine.secureRange(record, state, leave);
    await machine.marked(source, leave);
    if (kind === "patch") {
      await machine.check(source, state.patch, leave);
      await machine.apply(source, state.patch, leave);
      git(source, ...quiet, "reset", "-q", "--hard");
    } else {
      await machine.pick(source, { baseline: record.baseline, tip: state.tip }, leave);
      // The same change once more conflicts with what is there now: the driver of the repository must not decide it.
      writeFiles(source, { "a.odd": "other\n" });
      git(source, ...quiet, "commit", "-q", "-a", "-m", "other");
      await expect(
        machine.pick(source, { baseline: record.baseline, tip: state.tip }, leave),
      ).rejects.toMatchObject({
        code: "worktree-conflict",
      });
      expect(await machine.conflicts(source, leave)).toContain("a.odd");
      expect(await machine.abort(source, leave)).toBe(true);
      expect(await machine.abort(source, leave)).toBe(false);
    }
    await machine.remove(record, leave);
    expect(existsSync(record.path)).toBe(false);

    expect(readFileSync(join(source, "a.odd"), "utf8")).toBe(kind === "patch" ? "one\n" : "other\n");

    expect(readdirSync(marks)).toEqual([]);
    // The traps are real: git itself steps into them.
    expect(() => commitAll(source)).toThrow();
    expect(readdirSync(marks).length).toBeGreaterThan(0);
  },
);

/** For the test's own git in the trapped repository. */
const quiet = [
  ...["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "commit.gpgSign=false"],
  ...["-c", "filter.odd.clean=", "-c", "filter.odd.smudge=", "-c", "filter.odd.required=false"],
  ...["-c", "filter.Other.Name.process=", "-c", "gc.auto=0", "-c", "submodule.recurse=false"],
];
