import { readFileSync, statfsSync } from "node:fs";

/** A mounted file system. */
interface Mount {
  readonly point: string;
  readonly readOnly: boolean;
}

/** The file system that holds a path, from the text of `/proc/self/mountinfo`. */
export function mountOf(path: string, mountInfo: string): Mount {
  let found: Mount = { point: "/", readOnly: false };
  for (const line of mountInfo.split("\n")) {
    const [, , , , encoded, options = "", ...rest] = line.split(" ");
    if (encoded === undefined) continue;
    const point = encoded.replace(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    const holds = point === "/" || path === point || path.startsWith(`${point}/`);
    // Both the mount and the file system itself may be read-only.
    const all = [...options.split(","), ...(rest.at(-1) ?? "").split(",")];
    if (holds && point.length >= found.point.length) found = { point, readOnly: all.includes("ro") };
  }
  return found;
}

/**
 * One sentence about a failed write that names the file system, so that a reader looks in the right place: a full disk is
 * rarely the one the command worked on. `path` is the file or directory that could not be written.
 */
export function describeWriteFailure(error: unknown, path: string): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  const { place, readOnly } = fileSystemOf(path);
  if (code === "ENOSPC") return `No space left on the file system mounted at ${place} (needed for ${path}).`;
  if (code === "EDQUOT") {
    return `The disk quota on the file system mounted at ${place} is used up (needed for ${path}).`;
  }
  // Making directories on such a disk fails with other codes too.
  if (code === "EROFS" || readOnly) {
    return `The file system mounted at ${place} is read-only (needed for ${path}).`;
  }
  return `Cannot write ${path} on the file system mounted at ${place} (${code}).`;
}

function fileSystemOf(path: string): { readonly place: string; readonly readOnly: boolean } {
  let mount: Mount = { point: "unknown", readOnly: false };
  try {
    mount = mountOf(path, readFileSync("/proc/self/mountinfo", "utf8"));
    const { bavail, bsize } = statfsSync(mount.point);
    return {
      place: `${mount.point}, ${Math.floor((bavail * bsize) / 1024)} KiB free`,
      readOnly: mount.readOnly,
    };
  } catch {
    // No /proc, or the mount point is not reachable: the path in the sentence has to do.
    return { place: mount.point, readOnly: mount.readOnly };
  }
}
