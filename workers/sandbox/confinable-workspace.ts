import { realpathSync } from "node:fs";
import { accountHome } from "./hidden-paths.ts";
import { realPathOf } from "./real-path.ts";
import { isInside } from "./sandbox-arguments.ts";
import { SandboxError } from "./sandbox-error.ts";

/** The real path of a workspace that may be made writable as a whole. */
export function confinableWorkspace(path: string, home: string | undefined): string {
  const workspace = realpathSync(path);
  // A home of the environment strictly inside the workspace is a test's; the account's own never is.
  for (const entry of home === undefined ? [accountHome()] : [accountHome(), home]) {
    const real = realPathOf(entry);
    if (real === undefined || !isInside(real, workspace)) continue;
    if (entry === home && entry !== accountHome() && real !== workspace) continue;
    throw new SandboxError(
      "sandbox-workspace",
      `No sandbox in ${workspace}: it holds the home directory ${entry}, whose start-up files would be writable.`,
    );
  }
  return workspace;
}
