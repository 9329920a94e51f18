import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const fixture = fileURLToPath(new URL("own-environment-fixture.ts", import.meta.url));

describe("hideOwnEnvironment", () => {
  test("leaves nothing a command does not inherit to be read from outside, and everything inside", () => {
    const environment = {
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      HOME: "/tmp",
      SECRET_KEY: "s3cret-value",
      EMPTY: "",
      HTTPS_PROXY: "http://user:s3cret@proxy",
      "odd name": "s3cret too",
      MULTILINE: "s3cret\nline=two",
    };
    const ended = spawnSync(process.execPath, [fixture], { env: environment, encoding: "utf8" });
    expect(ended.stderr).toBe("");
    const { hidden, seen, own, env } = JSON.parse(ended.stdout) as Record<string, unknown>;
    expect(own).toBe("s3cret-value");
    expect(env).toMatchObject(environment);
    expect(hidden).toBe(4);
    expect(seen).not.toContain("s3cret");
    expect(seen).toContain("HOME=/tmp");
  });

  test("without it a command would see the secret", () => {
    const ended = spawnSync("/bin/sh", ["-c", "sh -c 'cat /proc/$PPID/environ'; :"], {
      env: { PATH: "/usr/bin:/bin", SECRET_KEY: "s3cret-value" },
      encoding: "utf8",
    });
    expect(ended.stdout).toContain("s3cret-value");
  });
});
