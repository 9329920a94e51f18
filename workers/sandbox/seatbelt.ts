import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { promisify } from "node:util";
import { confinableWorkspace } from "./confinable-workspace.ts";
import type { ConfinedCommand, Sandbox, SandboxOptions, SandboxRequest } from "./confined-command.ts";
import { hiddenLayout } from "./hidden-layout.ts";
import { protectWorkspace } from "./repository-protection.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";

const program = "/usr/bin/sandbox-exec";
const probeMs = 5_000;
const runFile = promisify(execFile);

/**
 * Confines commands on macOS. Written from the documents and never run: this project is tested on Linux only. There is no
 * process namespace, so what a command leaves behind is ended by group and session as without a sandbox.
 */
class SeatbeltSandbox implements Sandbox {
  readonly processLimit = "none";
  readonly #options: SandboxOptions;

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  confine(request: SandboxRequest): ConfinedCommand {
    const workspace = confinableWorkspace(request.workspace, this.#options.environment["HOME"]);
    const temporary = realpathSync(request.temporary);
    const protection = protectWorkspace(workspace, request.git ?? "protect");
    const writable = [workspace, ...protection.writable, temporary];
    const { hiddenDirectories, hiddenFiles } = hiddenLayout(this.#options, writable);
    const profile = seatbeltProfile({
      writable,
      protected: protection.protected,
      hidden: [...hiddenDirectories, ...hiddenFiles],
    });
    return {
      argv: [program, "-p", profile, ...request.argv],
      contained: false,
      opened: {},
      neverStarted: () => false,
      set: { TMPDIR: temporary },
      release: () => {
        protection.release();
      },
    };
  }

  close(): void {
    // A profile holds nothing of the machine.
  }
}

/** Tries the profile on a command that does nothing. Never rejects. */
export async function probeSeatbelt(
  options: SandboxOptions,
): Promise<
  | { readonly available: true; readonly sandbox: Sandbox }
  | { readonly available: false; readonly reason: string }
> {
  const profile = seatbeltProfile({ writable: [], protected: [], hidden: [] });
  try {
    await runFile(program, ["-p", profile, "/usr/bin/true"], { timeout: probeMs });
    return { available: true, sandbox: new SeatbeltSandbox(options) };
  } catch (error) {
    return {
      available: false,
      reason: `sandbox-exec cannot make a sandbox here: ${String(error).slice(0, 500)}`,
    };
  }
}
