import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { initFileByteLimit, initFiles } from "../../../orchestrator/initialization/init-files.ts";

type Place = {
  readonly root: string;
  readonly write: (path: string, content: string) => string;
  readonly files: (workingDirectory: string) => Promise<readonly string[]>;
};

function place(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "alin-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "work/deep/here"), { recursive: true });
  return {
    root,
    write: (path, content) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content, { mode: 0o600 });
      return join(root, path);
    },
    files: async (workingDirectory) => {
      const found = await initFiles({
        workingDirectory: join(root, workingDirectory),
        configRoot: join(root, "config"),
        siteConfigRoot: join(root, "site"),
      });
      return found.map(({ origin, path }) => `${origin} ${path.slice(root.length + 1)}`);
    },
  };
}

describe("initialization files", () => {
  it("come in order: site, trusted directories from outermost to nearest, user", async () => {
    const { root, write, files } = place();
    expect(await files("work/deep/here")).toEqual([]);
    for (const path of [
      "site",
      "config",
      "work/.autolith",
      "work/deep/.autolith",
      "work/deep/here/.autolith",
    ])
      write(`${path}/init.lisp`, "(values)");
    expect(await files("work/deep/here")).toEqual(["site site/init.lisp", "user config/init.lisp"]);
    write(
      "config/directory-scopes.sexp",
      `(:version 1 :directories ("${root}/work/deep/here" "${root}/work" "${root}/elsewhere"))`,
    );
    expect(await files("work/deep/here")).toEqual([
      "site site/init.lisp",
      "directory work/.autolith/init.lisp",
      "directory work/deep/here/.autolith/init.lisp",
      "user config/init.lisp",
    ]);
    expect(await files("work/deep")).toEqual([
      "site site/init.lisp",
      "directory work/.autolith/init.lisp",
      "user config/init.lisp",
    ]);
  });

  it("of a directory whose name only begins like a trusted one are not taken", async () => {
    const { root, write, files } = place();
    write("work2/.autolith/init.lisp", "1");
    write("config/directory-scopes.sexp", `(:version 1 :directories ("${root}/work"))`);
    expect(await files("work2")).toEqual([]);
  });

  it.each([
    ["that is a directory", (path: string) => mkdirSync(path, { recursive: true }), "no regular file"],
    ["that is not UTF-8", (path: string) => writeFileSync(path, Buffer.from([0xff])), "not valid"],
    [
      "that is too large",
      (path: string) => writeFileSync(path, " ".repeat(initFileByteLimit + 1)),
      "at most",
    ],
  ])("%s fail with their pathname", async (_what, make, problem) => {
    const { root, files } = place();
    mkdirSync(join(root, "config"));
    make(join(root, "config/init.lisp"));
    await expect(files("work")).rejects.toMatchObject({
      code: "initialization",
      path: join(root, "config/init.lisp"),
      message: expect.stringContaining(problem) as string,
    });
  });

  it.each([
    ["others may write it", '(:version 1 :directories ("/"))', 0o666],
    ["it is of another version", "(:version 2 :directories ())", 0o600],
    ["a directory is relative", '(:version 1 :directories ("work"))', 0o600],
    ["it is no form", "(:version", 0o600],
  ])("trusted directories are refused when %s", async (_what, content, mode) => {
    const { write, files } = place();
    chmodSync(write("config/directory-scopes.sexp", content), mode);
    await expect(files("work")).rejects.toMatchObject({ code: "directory-scopes" });
  });

  it("trusted directories are not read through a link", async () => {
    const { root, write, files } = place();
    write("config/x", "(:version 1 :directories ())");
    symlinkSync(join(root, "config/x"), join(root, "config/directory-scopes.sexp"));
    await expect(files("work")).rejects.toMatchObject({ code: "directory-scopes" });
  });
});
