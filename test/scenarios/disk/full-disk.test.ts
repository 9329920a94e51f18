import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const fixture = fileURLToPath(new URL("full-disk-fixture.ts", import.meta.url));

// A user namespace of its own lets everybody mount a small disk; it is gone with the process.
const mountAndRun = 'mount -t tmpfs -o size=2m tmpfs "$1" && exec "$2" "$3" "$1" "$4"';

describe("a disk that is full, and one that is read-only", () => {
  let steps: Record<string, unknown> = {};
  let disk = "";
  beforeAll(async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "t3-disk-")));
    disk = join(root, "disk");
    const other = join(root, "other");
    for (const path of [disk, other]) mkdirSync(path);
    try {
      const { stdout } = await run("unshare", [
        ...["--user", "--map-root-user", "--mount", "sh", "-c", mountAndRun, "sh"],
        ...[disk, process.execPath, fixture, other],
      ]);
      steps = JSON.parse(stdout) as Record<string, unknown>;
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  test("C039: output that does not fit is still shown, and the full file system is named", () => {
    const shown = String(steps["overflowing command"]);
    expect(shown).toContain("exit 0");
    expect(shown).toMatch(/5000009 bytes, of which [0-9]+ are retained \(incomplete/);
    expect(shown).toContain(`No space left on the file system mounted at ${disk}, `);
    expect(shown).toMatch(/the end$/);
  });

  test("C039: commands run when nothing at all can be captured", () => {
    expect(steps["command on a full disk"]).toMatch(/^exit 0\n/);
    expect(steps["command on a full disk"]).toContain("Filesystem");
    expect(steps["command on a full disk"]).toContain(`mounted at ${disk}`);
    expect(steps["command on a read-only disk"]).toContain(`The file system mounted at ${disk}`);
    expect(steps["command on a read-only disk"]).toContain("is read-only");
    expect(steps["command on a read-only disk"]).toContain("shown all the same");
    expect(steps["many commands on a read-only disk"]).toContain("still running");
  });

  test("edits are refused with the reason and change nothing", () => {
    for (const step of ["edit on a full disk", "new file on a full disk"]) {
      expect(steps[step]).toMatchObject({ status: "error", code: "resource-unavailable" });
      expect(JSON.stringify(steps[step])).toContain(`No space left on the file system mounted at ${disk}`);
    }
    expect(steps["edit on a read-only disk"]).toMatchObject({ status: "error" });
    expect(JSON.stringify(steps["edit on a read-only disk"])).toContain("read-only");
    expect(steps["file after it"]).toBe("one\ntwo\n");
    expect(steps["names after it"]).toEqual(["file.txt"]);
  });

  test("work goes on once there is room", () => {
    expect(steps["edit with room again"]).toMatchObject({ status: "ok" });
    expect(steps["command with room again"]).toMatch(/^exit 0\noutput: 5 bytes shell-log:\S+\nfine$/);
    expect(steps["file at the end"]).toBe("ONE\ntwo\n");
    expect(steps["names at the end"]).toEqual(["file.txt"]);
  });
});
