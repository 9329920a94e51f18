import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readProcess } from "../../../orchestrator/record/process-identity.ts";
import type { CommandEnd } from "../../../workers/spawner/command-end.ts";
import { succeeded } from "../../../workers/spawner/command-end.ts";
import { commandEnvironment } from "../../../workers/spawner/command-environment.ts";
import { Spawner } from "../../../workers/spawner/spawner.ts";
import type { CommandRequest } from "../../../workers/spawner/command-request.ts";
import { CollectingSink, scratchDirectory, scratchSpawner } from "./collect.ts";

interface Ran {
  readonly end: CommandEnd;
  readonly text: string;
  readonly ms: number;
}

async function bash(
  script: string,
  options: Partial<CommandRequest> = {},
  spawner = scratchSpawner(),
): Promise<Ran> {
  const sink = new CollectingSink();
  const startedAt = performance.now();
  const end = await spawner.run({
    argv: ["/bin/bash", "-c", script],
    directory: "/",
    environment: commandEnvironment(process.env),
    stdout: sink,
    ...options,
  });
  return { end, text: sink.text, ms: performance.now() - startedAt };
}

function alive(pid: number): boolean {
  const row = readProcess(pid);
  return row !== undefined && row.state !== "Z";
}

describe("ends of commands", () => {
  test.each([
    ["true", { kind: "exited", code: 0 }],
    ["false", { kind: "exited", code: 1 }],
    ["grep -q zzz /etc/hosts", { kind: "exited", code: 1 }],
    ["exec >&- 2>&-", { kind: "exited", code: 0 }],
    ["exit 77", { kind: "exited", code: 77 }],
    ["kill -9 $$", { kind: "signalled", signal: "SIGKILL" }],
    ["kill -TERM $$", { kind: "signalled", signal: "SIGTERM" }],
  ])("%s is reported as it ended", async (script, exit) => {
    const { end, ms } = await bash(script);
    expect(end.exit).toEqual(exit);
    expect(end.cause).toBe("exit");
    expect(end.outputComplete).toBe(true);
    expect(ms).toBeLessThan(20_000);
  });

  test("only an exit with code 0 by itself is a success", async () => {
    expect(succeeded((await bash("true")).end)).toBe(true);
    expect(succeeded((await bash("exit 3")).end)).toBe(false);
    expect(succeeded((await bash("trap 'exit 0' TERM; sleep 60 & wait", { timeoutMs: 200 })).end)).toBe(
      false,
    );
  });

  test("a program that is missing, a directory that is missing and an over-long argument are no exceptions", async () => {
    const missing = await bash("", { argv: ["/no/such/program"] });
    expect(missing.end.exit).toMatchObject({ kind: "not-started", code: "ENOENT" });
    const nowhere = await bash("true", { directory: "/no/such/directory" });
    expect(nowhere.end.exit).toMatchObject({ kind: "not-started", code: "ENOENT" });
    const long = await bash("", { argv: ["/bin/echo", "x".repeat(3_000_000)] });
    expect(long.end.exit).toMatchObject({ kind: "not-started", code: "E2BIG" });
    const nul = await bash("echo a\0b");
    expect(nul.end.exit).toMatchObject({ kind: "not-started", code: "EINVAL" });
  });
});

describe("output", () => {
  test("both streams come in the order written through one real pipe", async () => {
    const { text } = await bash(
      "echo a; echo b >&2; echo c > /dev/stdout; echo d > /dev/stderr; echo e | tee /dev/stderr",
    );
    expect(text).toBe("a\nb\nc\nd\ne\ne\n");
  });

  test("separate streams stay separate", async () => {
    const stderr = new CollectingSink();
    const { text } = await bash("echo out; echo err >&2", { stderr });
    expect([text, stderr.text]).toEqual(["out\n", "err\n"]);
  });

  test("a slow sink holds the command back and loses nothing", async () => {
    let bytes = 0;
    const { end } = await bash("head -c 5000000 /dev/zero", {
      stdout: {
        write: async (chunk) => {
          await new Promise(setImmediate);
          bytes += chunk.length;
        },
      },
    });
    expect(end.outputComplete).toBe(true);
    expect(bytes).toBe(5_000_000);
  });

  test("standard input is empty", async () => {
    const { end, text } = await bash("read x; echo status=$?; perl -e 'exit(defined(<STDIN>) ? 0 : 9)'");
    expect(text).toContain("status=1");
    expect(end.exit).toEqual({ kind: "exited", code: 9 });
  });

  test("no descriptor of the host is inherited", async () => {
    const { text } = await bash("ls /proc/self/fd | sort -n | tr '\\n' ' '");
    const open = text.trim().split(" ").map(Number);
    // 0, 1, 2 and the directory that is being listed; what the host leaked reads as the empty device.
    const { text: targets } = await bash("for f in /proc/self/fd/*; do readlink $f; done");
    expect(open.slice(0, 3)).toEqual([0, 1, 2]);
    for (const target of targets.trim().split("\n"))
      expect(target).toMatch(/^(\/dev\/null|\/.*pipe-.*|\/proc\/.*)$/);
  });
});

describe("background processes", () => {
  test.each([
    "sleep 61 & echo done",
    "(while :; do echo x; sleep .05; done) & echo done",
    "setsid sleep 61 & echo done",
    "nohup sleep 61 >/dev/null 2>&1 & echo done",
    "setsid bash -c 'trap \"\" TERM HUP; while :; do sleep 1; done' & echo done",
  ])("%s returns soon and leaves nothing", async (script) => {
    const { end, text, ms } = await bash(script);
    expect(text).toContain("done");
    expect(end.exit).toEqual({ kind: "exited", code: 0 });
    expect(ms).toBeLessThan(20_000);
    expect(end.survivorsEnded).toBeGreaterThan(0);
    expect(end.survivorsLeft).toBe(0);
  });

  test("a daemon that left session and output is swept before the spawner closes", async () => {
    const spawner = scratchSpawner();
    const { text } = await bash(
      "setsid -f bash -c 'echo $$ > /dev/fd/3; exec sleep 61' 3>&1 >/dev/null 2>&1 </dev/null; sleep .2",
      {},
      spawner,
    );
    const pid = Number(text.trim());
    expect(pid).toBeGreaterThan(1);
    await spawner.close(0);
    expect(alive(pid)).toBe(false);
  });

  test("a background process that ends by itself in time is not counted as ended", async () => {
    const { end, text } = await bash("echo one; (echo two) &");
    expect(text).toBe("one\ntwo\n");
    expect(end.survivorsEnded).toBe(0);
  });
});

describe("deadline and cancel", () => {
  test("the deadline is the verdict whatever the exit says", async () => {
    const { end } = await bash("trap 'exit 0' TERM; sleep 60 & wait", { timeoutMs: 1_500 });
    expect(end.cause).toBe("timeout");
    expect(end.exit).toEqual({ kind: "exited", code: 0 });
  });

  test.each([
    "trap '' TERM; echo $$; while :; do sleep 1; done",
    'perl -e \'$| = 1; $SIG{TERM} = "IGNORE"; print "$$\\n"; sleep 300\'',
    "echo $$; kill -STOP $$; sleep 300",
  ])("%s is killed after the grace, judged by its real exit", async (script) => {
    const { end, text, ms } = await bash(script, { timeoutMs: 1_500, graceMs: 300 });
    expect(end.cause).toBe("timeout");
    expect(alive(Number(text.trim().split("\n")[0]))).toBe(false);
    expect(ms).toBeLessThan(30_000);
  });

  test("a cancel ends the whole tree, those that called setsid too", async () => {
    const controller = new AbortController();
    const sink = new CollectingSink();
    const running = scratchSpawner().start({
      argv: ["/bin/bash", "-c", "setsid bash -c 'echo pid=$$; exec sleep 61' & wait"],
      directory: "/",
      environment: commandEnvironment(process.env),
      stdout: sink,
      signal: controller.signal,
    });
    await sink.appearanceOf("\n");
    const pid = Number(/pid=([0-9]+)/.exec(sink.text)?.[1]);
    expect(alive(pid)).toBe(true);
    controller.abort();
    const end = await running.ended;
    expect(end.cause).toBe("cancelled");
    expect(alive(pid)).toBe(false);
  });

  test("a cancel before the start starts nothing", async () => {
    const { end } = await bash("echo never", { signal: AbortSignal.abort() });
    expect(end).toMatchObject({ cause: "cancelled", exit: { kind: "not-started", code: "cancelled" } });
  });
});

describe("the spawner's own life", () => {
  test("limits live commands and says the number", async () => {
    const spawner = scratchSpawner(1);
    const sink = new CollectingSink();
    const request: CommandRequest = {
      argv: ["/bin/sleep", "60"],
      directory: "/",
      environment: {},
      stdout: sink,
    };
    const running = spawner.start(request);
    expect(() => spawner.start(request)).toThrow(expect.objectContaining({ code: "spawner-busy" }));
    await spawner.close(0);
    expect((await running.ended).cause).toBe("cancelled");
    expect(() => spawner.start(request)).toThrow(expect.objectContaining({ code: "spawner-closed" }));
  });

  test("leaves no file behind", async () => {
    const ledgerDirectory = scratchDirectory();
    const spawner = new Spawner({ ledgerDirectory });
    await bash("echo x", {}, spawner);
    await spawner.close();
    expect(readdirSync(ledgerDirectory)).toEqual([]);
  });

  test("reports a ledger that cannot be written", () => {
    expect(() => new Spawner({ ledgerDirectory: "/etc/hosts/none" })).toThrow(
      expect.objectContaining({ code: "spawner-setup" }),
    );
  });

  test("without a descriptor left starts nothing and says so, still ends what runs, and works again with some", () => {
    const fixture = fileURLToPath(new URL("starved-fixture.ts", import.meta.url));
    const ended = spawnSync(
      "/bin/sh",
      ["-c", 'ulimit -n 400; exec "$@"', "sh", process.execPath, fixture, scratchDirectory()],
      { env: { PATH: process.env["PATH"] }, encoding: "utf8" },
    );
    expect(ended.stderr).toBe("");
    const seen = JSON.parse(ended.stdout) as Record<string, unknown>;
    expect(seen).toMatchObject({
      refused: { exit: { kind: "not-started" }, survivorsLeft: 0 },
      cancelled: { cause: "cancelled", exit: { kind: "signalled", signal: "SIGKILL" }, survivorsLeft: 0 },
      alive: [],
      again: { exit: { kind: "exited", code: 0 } },
      left: [],
    });
    // The first command's pipe is gone; nothing else came to stay.
    expect(seen["kept"]).toBeLessThanOrEqual(0);
  });
});
