import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ensurePrivateDirectory, prepareRoots, resolveRoots } from "../../../orchestrator/record/roots.ts";
import { freshDirectory } from "./directories.ts";

describe("roots", () => {
  it("are the defaults below HOME", () => {
    expect(resolveRoots({ HOME: "/home/ada" })).toEqual({
      config: "/home/ada/.config/autolith",
      data: "/home/ada/.local/share/autolith",
      state: "/home/ada/.local/state/autolith",
      cache: "/home/ada/.cache/autolith",
    });
  });

  it("take absolute XDG values and ignore empty and relative ones", () => {
    const roots = resolveRoots({
      HOME: "/home/ada",
      XDG_CONFIG_HOME: "/etc/ada",
      XDG_DATA_HOME: "data",
      XDG_STATE_HOME: "",
      XDG_CACHE_HOME: "/var/cache/ada/",
      XDG_RUNTIME_DIR: "/run/user/1",
    });
    expect(roots).toEqual({
      config: "/etc/ada/autolith",
      data: "/home/ada/.local/share/autolith",
      state: "/home/ada/.local/state/autolith",
      cache: "/var/cache/ada/autolith",
    });
  });

  it("fall back to the account's home when HOME is no absolute path", () => {
    expect(resolveRoots({ HOME: "somewhere" }).config).toBe(join(homedir(), ".config", "autolith"));
  });

  it("are created with mode 0700 and left alone when they exist", async () => {
    const home = await freshDirectory();
    const roots = resolveRoots({ HOME: home });
    await mkdir(roots.config, { recursive: true });
    await chmod(roots.config, 0o755);
    await prepareRoots(roots);
    await prepareRoots(roots);
    const modes = await Promise.all(
      Object.values(roots).map(async (root) => (await stat(root)).mode & 0o777),
    );
    expect(modes).toEqual([0o755, 0o700, 0o700, 0o700]);
  });

  it("need no directory of configuration, which is only read", async () => {
    const home = await freshDirectory();
    await writeFile(join(home, ".config"), "");
    await prepareRoots(resolveRoots({ HOME: home }));
    expect((await readdir(join(home, ".local/share"))).concat(await readdir(join(home, ".cache")))).toEqual([
      "autolith",
      "autolith",
    ]);
  });

  it("are refused with the directory, what belongs there and the variable that names another", async () => {
    const home = await freshDirectory();
    await mkdir(join(home, ".local/share"), { recursive: true });
    await writeFile(join(home, ".local/state"), "");
    await expect(prepareRoots(resolveRoots({ HOME: home }))).rejects.toMatchObject({
      name: "RootError",
      message:
        `autolith cannot write to its state directory ${home}/.local/state/autolith (ENOTDIR), where it keeps its settings ` +
        "and the private Redis. Make it writable for this user, or set XDG_STATE_HOME or HOME to a directory that can be written.",
    });
  });

  it("are refused with a typed error where a file is in the way", async () => {
    const home = await freshDirectory();
    await writeFile(join(home, "file"), "");
    await expect(ensurePrivateDirectory(join(home, "file", "x"))).rejects.toMatchObject({
      name: "RecordError",
      code: "input-output",
    });
  });
});
