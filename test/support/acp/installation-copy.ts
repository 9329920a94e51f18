/** A second copy of the program: processes that run it are of another build. */
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const rooms = ["bin", "cli", "lisp", "orchestrator", "redis", "roles", "workers", "package.json"];

export type InstallationCopy = Disposable & {
  /** What starts it, without a command. */
  readonly program: readonly [string, ...string[]];
};

export function copyInstallation(): InstallationCopy {
  const directory = mkdtempSync(join(tmpdir(), "copy-"));
  for (const room of rooms) cpSync(join(root, room), join(directory, room), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
  return {
    program: [process.execPath, "--disable-warning=ExperimentalWarning", join(directory, "cli/main.ts")],
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}
