import { readFileSync, statfsSync } from "node:fs";

/** Where the file system that holds a path is mounted, from the text of `/proc/self/mountinfo`. */
export function mountPointOf(path: string, mountInfo: string): string {
  let found = "/";
  for (const line of mountInfo.split("\n")) {
    const encoded = line.split(" ")[4];
    if (encoded === undefined) continue;
    const point = encoded.replace(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    const holds = point === "/" || path === point || path.startsWith(`${point}/`);
    if (holds && point.length >= found.length) found = point;
  }
  return found;
}

/**
 * One sentence about a failed write that names the file system, so that a reader looks in the right place: a full disk is
 * rarely the one the command worked on. `path` is the file or directory that could not be written.
 */
export function describeWriteFailure(error: unknown, path: string): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  const place = fileSystemOf(path);
  switch (code) {
    case "ENOSPC":
      return `No space left on the file system mounted at ${place} (needed for ${path}).`;
    case "EDQUOT":
      return `The disk quota on the file system mounted at ${place} is used up (needed for ${path}).`;
    case "EROFS":
      return `The file system mounted at ${place} is read-only (needed for ${path}).`;
    default:
      return `Cannot write ${path} on the file system mounted at ${place} (${code}).`;
  }
}

function fileSystemOf(path: string): string {
  let point = "unknown";
  try {
    point = mountPointOf(path, readFileSync("/proc/self/mountinfo", "utf8"));
    const { bavail, bsize } = statfsSync(point);
    return `${point}, ${Math.floor((bavail * bsize) / 1024)} KiB free`;
  } catch {
    // No /proc, or the mount point is not reachable: the path in the sentence has to do.
    return point;
  }
}
