import { lstatSync } from "node:fs";
import type { SandboxOptions } from "./confined-command.ts";
import { boundSockets, homeDirectories, secretPaths } from "./hidden-paths.ts";
import { isReachable, realPathOf } from "./real-path.ts";
import { isInside } from "./sandbox-arguments.ts";
import type { SandboxLayout } from "./sandbox-arguments.ts";

/** What to hide of everything that exists and would be seen. */
export function hiddenLayout(
  options: SandboxOptions,
  visible: readonly string[],
): Pick<SandboxLayout, "hiddenDirectories" | "hiddenFiles"> {
  const hiddenDirectories = new Set<string>();
  const hiddenFiles = new Set<string>();
  for (const path of secretPaths(homeDirectories(options.environment), options.hidden)) {
    const real = realPathOf(path);
    if (real === undefined || visible.includes(real) || !isReachable(real)) continue;
    const stats = lstatSync(real, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    (stats.isDirectory() ? hiddenDirectories : hiddenFiles).add(real);
  }
  for (const path of boundSockets()) {
    const real = realPathOf(path);
    if (real === undefined || isReplaced(real) || !isReachable(real)) continue;
    hiddenFiles.add(real);
  }
  return { hiddenDirectories: [...hiddenDirectories], hiddenFiles: [...hiddenFiles] };
}

/** Places every sandbox replaces as a whole. */
function isReplaced(path: string): boolean {
  return ["/run", "/tmp", "/var/tmp", "/dev", "/proc"].some((directory) => isInside(path, directory));
}
