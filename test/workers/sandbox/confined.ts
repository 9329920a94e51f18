import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { probeSandbox } from "../../../workers/sandbox/sandbox.ts";
import type { Sandbox } from "../../../workers/sandbox/confined-command.ts";
import type { CommandEnd } from "../../../workers/spawner/command-end.ts";
import { commandEnvironment } from "../../../workers/spawner/command-environment.ts";
import { CollectingSink, scratchDirectory, scratchSpawner } from "../spawner/collect.ts";

export interface Scene {
  readonly sandbox: Sandbox;
  /** Parent of everything below; nothing in it but the workspace is writable for the command. */
  readonly root: string;
  readonly workspace: string;
  readonly temporary: string;
  readonly hidden: string;
}

/** A workspace, a private temp and a hidden directory with a real sandbox over them. Fails where none is possible. */
export async function scene(): Promise<Scene> {
  const root = scratchDirectory();
  const paths = {
    workspace: join(root, "workspace"),
    temporary: join(root, "temporary"),
    hidden: join(root, "hidden"),
  };
  for (const path of Object.values(paths)) mkdirSync(path);
  const probe = await probeSandbox({ environment: process.env, hidden: [paths.hidden] });
  if (!probe.available) throw new Error(`These tests need a sandbox: ${probe.reason}`);
  onTestFinished(() => {
    probe.sandbox.close();
  });
  return { sandbox: probe.sandbox, root, ...paths };
}

/** Runs a bash script in the scene's sandbox. */
export async function confinedBash(
  at: Scene,
  script: string,
  options: { readonly timeoutMs?: number; readonly git?: "protect" | "administer" } = {},
): Promise<{ readonly end: CommandEnd; readonly text: string }> {
  const { timeoutMs = 20_000, git = "protect" } = options;
  const command = at.sandbox.confine({
    argv: ["/bin/bash", "-c", script],
    directory: at.workspace,
    workspace: at.workspace,
    temporary: at.temporary,
    git,
  });
  const sink = new CollectingSink();
  try {
    const end = await scratchSpawner().run({
      argv: command.argv,
      directory: "/",
      environment: commandEnvironment(process.env, { set: command.set }),
      stdout: sink,
      contained: command.contained,
      opened: command.opened,
      timeoutMs,
    });
    return { end, text: sink.text };
  } finally {
    command.release();
  }
}
