import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { jobText, run } from "../support/cli/job-files.ts";
import { makeSandpit } from "../support/cli/launch.ts";
import { calls, status, type RecordedRequest, type ScriptedTurn } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { TestRedis } from "../support/redis-server.ts";

/** Nobody else on the machine has these. */
const marked = (name: string): string => `${name}-${randomBytes(9).toString("hex")}`;

/** Every file below a directory. */
function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

/** Files that hold one of the values, as bytes, in Base64 or percent-encoded. */
function filesWith(directories: readonly string[], secrets: readonly string[]): string[] {
  const forms = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64").replace(/=+$/, "").slice(0, -1),
  ]);
  return directories
    .flatMap(filesBelow)
    .filter((path) => forms.some((form) => readFileSync(path).includes(form)));
}

/** Command lines of all processes. */
function commandLines(): string {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1");
      } catch {
        // It has ended in between.
        return "";
      }
    })
    .join("\n");
}

const done = calls([{ name: "yield__submit", arguments: { status: "success", data: { answer: "42" } } }]);

describe("secrets of a whole run", () => {
  it("are in no record, event, cassette, result, message, command line or Redis", async () => {
    using pit = makeSandpit();
    const password = marked("redis");
    const redis = await TestRedis.start("--requirepass", password);
    const proxyPassword = marked("proxy");
    const secrets = {
      OPENAI_API_KEY: marked("sk-key"),
      OPENAI_ORG_ID: marked("org"),
      OPENAI_PROJECT_ID: marked("proj"),
      SOME_SERVICE_TOKEN: marked("token"),
      DATABASE_PASSWORD: marked("database"),
    };
    const values = [...Object.values(secrets), password, proxyPassword];
    pit.write("settings.env", `TOKEN=${secrets.SOME_SERVICE_TOKEN}\nplain=1\n`);
    const seen: { lines: string; headers: RecordedRequest["headers"] | undefined } = {
      lines: "",
      headers: undefined,
    };
    const turns: readonly ScriptedTurn[] = [
      calls([
        { name: "shell__run", arguments: { command: "env; echo end-of-environment" } },
        {
          name: "shell__run",
          arguments: {
            command: `cat settings.env; printf '%s' "$HTTPS_PROXY" >&2`,
            "stderr-separate-p": true,
          },
        },
        { name: "resource__read", arguments: { uri: "workspace:settings.env" } },
        { name: "search__content", arguments: { pattern: "TOKEN" } },
      ]),
      // A server that repeats what it was sent, first in passing and then as the text of a refusal.
      status(500, { message: `overloaded; you are ${secrets.OPENAI_API_KEY}` }),
      done,
    ];
    await using server = await startModelServer((request) => {
      seen.lines += commandLines();
      seen.headers ??= request.headers;
      return turns[request.number - 1] ?? done;
    });
    const ended = await run(pit, jobText(), {
      environment: {
        ...secrets,
        AUTOLITH_OPENAI_BASE_URL: server.baseUrl,
        AUTOLITH_REDIS_URL: `unix://:${password}@${join(redis.directory, "s")}`,
        HTTPS_PROXY: `http://me:${proxyPassword}@proxy.invalid:1`,
        NO_PROXY: "127.0.0.1",
      },
      argv: ["--permissions", "full", "--record", "cassette.jsonl"],
    });
    expect(ended.artifact["status"]).toBe("succeeded");
    // The secrets were in use, and the tools did see what they were asked for.
    expect(seen.headers?.authorization).toBe(`Bearer ${secrets.OPENAI_API_KEY}`);
    expect(seen.headers?.["openai-organization"]).toBe(secrets.OPENAI_ORG_ID);
    const results = server.requests[1]?.text ?? "";
    for (const shown of ["end-of-environment", "[secret removed]", "plain=1"])
      expect(results).toContain(shown);
    expect(seen.lines).toContain("main.ts");
    rmSync(join(pit.workspace, "settings.env"));
    for (const { text } of server.requests) for (const value of values) expect(text).not.toContain(value);
    for (const value of values) {
      expect([ended.stdout, ended.stderr, seen.lines].map((text) => text.includes(value))).toEqual([
        false,
        false,
        false,
      ]);
    }
    const directories = [pit.home, pit.workspace, redis.directory];
    expect(filesBelow(redis.directory).some((path) => path.endsWith(".aof"))).toBe(true);
    expect(filesBelow(pit.home).length).toBeGreaterThan(5);
    expect(filesWith(directories, values)).toEqual([]);
  });

  it("a failure that repeats a key is told without it", async () => {
    using pit = makeSandpit();
    const key = marked("sk-key");
    await using server = await startModelServer(() => status(401, { message: `no such key: ${key}` }));
    const ended = await run(pit, jobText(), {
      environment: { OPENAI_API_KEY: key, AUTOLITH_OPENAI_BASE_URL: server.baseUrl },
    });
    expect(ended.artifact).toMatchObject({ status: "failed", category: "provider-failure" });
    expect(String(ended.artifact["message"])).toContain("[secret removed]");
    expect(ended.stderr + ended.stdout).not.toContain(key);
    expect(filesWith([pit.home, pit.workspace], [key])).toEqual([]);
  });
});

it("the launcher lets no core be written", () => {
  const launcher = resolve(dirname(fileURLToPath(import.meta.url)), "../../bin/autolith");
  const root = mkdtempSync(join(tmpdir(), "al-core-"));
  try {
    const rooms = [
      "lisp",
      "roles",
      "orchestrator",
      "redis",
      "workers",
      "cli",
      "script/build",
      "bin",
      "dist",
      "node_modules/.bin",
    ];
    for (const room of rooms) mkdirSync(join(root, room), { recursive: true });
    copyFileSync(launcher, join(root, "bin/autolith"));
    for (const file of ["package-lock.json", "script/build.mjs"]) writeFileSync(join(root, file), "");
    writeFileSync(join(root, "node_modules/.bin/node"), "#!/bin/sh\nulimit -Sc\nulimit -Hc\n");
    chmodSync(join(root, "node_modules/.bin/node"), 0o755);
    writeFileSync(join(root, "dist/.built"), "");
    const ended = spawnSync("sh", ["-c", `exec ${join(root, "bin/autolith")} --version`], {
      encoding: "utf8",
    });
    expect(ended).toMatchObject({ status: 0, stdout: "0\n0\n" });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
