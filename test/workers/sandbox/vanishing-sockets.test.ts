import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  claimTokenSchema,
  conversationIdSchema,
  jobNameSchema,
  newExecutionId,
} from "../../../orchestrator/contract/identifiers.ts";
import type { Sandbox } from "../../../workers/sandbox/confined-command.ts";
import { CaptureStore } from "../../../workers/shell/capture-store.ts";
import { shellExecutor } from "../../../workers/shell/shell-executor.ts";
import { scratchDirectory, scratchSpawner } from "../spawner/collect.ts";
import { confinedBash, scene } from "./confined.ts";
import type { Scene } from "./confined.ts";
import { sceneBase } from "./escape-scene.ts";

/** A directory every sandbox shows, with a socket in it that somebody listens on. */
async function visibleSocket(): Promise<{ readonly directory: string; readonly socket: string }> {
  const base = sceneBase(undefined);
  const directory = join(base.path, `sockets-${process.pid}`);
  mkdirSync(directory);
  const socket = join(directory, "s");
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(socket, resolve);
  });
  onTestFinished(() => {
    server.close();
    rmSync(directory, { recursive: true, force: true });
    base.remove();
  });
  return { directory, socket };
}

/** Runs a command as a job in a sandbox that is given. */
async function runJob(at: Scene, sandbox: Sandbox, command: string) {
  const root = join(scratchDirectory(), "captures");
  const run = shellExecutor({
    spawner: scratchSpawner(),
    captures: new CaptureStore({ root }),
    sandbox: async () => await Promise.resolve(sandbox),
    confinement: () => ({ workspace: at.workspace, git: "protect" }),
    temporaryRoot: at.temporary,
    environment: process.env,
  });
  const outcome = await run({
    executionId: newExecutionId(),
    conversationId: conversationIdSchema.parse("b6uouHJ"),
    name: jobNameSchema.parse("exec:1"),
    payload: {
      ...{ command, directory: at.workspace, workspace: at.workspace, timeoutMs: 20_000 },
      ...{ separateOutput: false, execution: "sandboxed" },
    },
    owner: { lineage: [] },
    claimToken: claimTokenSchema.parse("claim-token"),
    signal: new AbortController().signal,
    claimedAt: 0,
  });
  return { outcome, captures: existsSync(root) ? readdirSync(root, { recursive: true }).map(String) : [] };
}

/** The scene's sandbox, with something done between finding out what to hide and starting the command. */
function disturbed(at: Scene, disturb: (attempt: number) => void): Sandbox {
  let attempts = 0;
  return {
    processLimit: at.sandbox.processLimit,
    confine: (request) => {
      const command = at.sandbox.confine(request);
      disturb((attempts += 1));
      return command;
    },
    close: () => undefined,
  };
}

describe("sockets that come and go", () => {
  test("one that vanishes while a sandbox is set up only costs another try", async () => {
    const at = await scene();
    const { socket } = await visibleSocket();
    const sandbox = disturbed(at, (attempt) => {
      if (attempt === 1) rmSync(socket);
    });
    const { outcome, captures } = await runJob(at, sandbox, "echo ran >> log; cat log");
    expect(outcome).toMatchObject({ state: "completed", result: { exitCode: 0 } });
    // Run once, not twice; and what bubblewrap said of the first try is nobody's output.
    expect(outcome.result?.content).toMatch(/\nran$/);
    expect(captures.filter((name) => name.endsWith("capture.json"))).toHaveLength(1);
  });

  test("a sandbox that can never be set up is a failure that says why, and nothing ran", async () => {
    const at = await scene();
    const sandbox: Sandbox = {
      ...disturbed(at, () => undefined),
      confine: (request) => {
        const command = at.sandbox.confine(request);
        const [program, ...rest] = command.argv;
        return {
          ...command,
          argv: [program, ...rest.map((part) => (part === "/run" ? "/no/such/place" : part))],
        };
      },
    };
    const { outcome, captures } = await runJob(at, sandbox, "echo ran >> log");
    expect(outcome).toMatchObject({ state: "failed", failure: { code: "sandbox-unavailable" } });
    expect(outcome.state === "failed" ? outcome.failure.message : "").toContain("bwrap: ");
    expect(existsSync(join(at.workspace, "log"))).toBe(false);
    expect(captures).toEqual([]);
  });

  test("a command that fails by itself is never tried again", async () => {
    const at = await scene();
    const { outcome } = await runJob(
      at,
      at.sandbox,
      "echo ran >> log; echo 'bwrap: not at all'; cat log; exit 1",
    );
    expect(outcome).toMatchObject({ state: "completed", result: { exitCode: 1 } });
    expect(outcome.result?.content.match(/^ran$/gm)).toHaveLength(1);
  });

  test("one in a directory that is closed to the user is no obstacle", async () => {
    const at = await scene();
    const { directory } = await visibleSocket();
    chmodSync(directory, 0o700);
    if (process.getuid?.() === 0) chownSync(directory, 64_323, 64_323);
    else chmodSync(directory, 0);
    onTestFinished(() => {
      chmodSync(directory, 0o700);
    });
    const { text } = await confinedBash(at, `ls ${directory} 2>&1; echo ran`);
    expect(text).toContain("ran");
    expect(text).toMatch(/denied|No such file/);
  });
});
