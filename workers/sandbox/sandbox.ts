import { probeBubblewrap } from "./bubblewrap.ts";
import type { Sandbox, SandboxOptions } from "./confined-command.ts";
import { probeSeatbelt } from "./seatbelt.ts";

/** What the probe at start found. */
export type SandboxProbe =
  | { readonly available: true; readonly sandbox: Sandbox }
  | { readonly available: false; readonly reason: string };

/** Tries to make a sandbox as every command will need it, and says why when that is impossible. Never rejects. */
export async function probeSandbox(options: SandboxOptions): Promise<SandboxProbe> {
  switch (process.platform) {
    case "linux":
      return await probeBubblewrap(options);
    case "darwin":
      return await probeSeatbelt(options);
    default:
      return { available: false, reason: `There is no sandbox for ${process.platform} in this version.` };
  }
}
