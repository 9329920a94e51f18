import { isAbsolute, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ResourceError } from "../../orchestrator/resources/resource-scheme.ts";

/** Characters a path may show in a URI as they are; everything else is percent-encoded. */
const plain = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/]/gu;

/** `workspace:` and the percent-encoded path, relative to the workspace when it lies in it. Both paths absolute. */
export function workspaceUri(path: string, workspace: string): string {
  const way = relative(workspace, path);
  const outside = way === ".." || way.startsWith("../") || isAbsolute(way);
  const shown = outside ? path : way === "" ? "." : way;
  return `workspace:${shown.replace(plain, (character) => encodeURIComponent(character.toWellFormed()))}`;
}

/**
 * The absolute path a `workspace:` or `file:` URI names, links not followed. Throws {@link ResourceError}
 * `malformed-uri` for anything else, a broken percent-encoding, a NUL, or a file of another machine.
 */
export function pathOfUri(uri: string, workspace: string): string {
  if (uri.startsWith("workspace:")) return checked(uri, workspacePath(uri, workspace));
  if (uri.startsWith("file:")) return checked(uri, filePath(uri));
  throw new ResourceError(
    "malformed-uri",
    `Expected workspace:PATH or file:///PATH, got ${JSON.stringify(uri)}.`,
  );
}

function workspacePath(uri: string, workspace: string): string {
  const text = decoded(uri, uri.slice("workspace:".length));
  if (text === "") return workspace;
  // join would read `//x` as a network path on some systems; normalize first.
  return isAbsolute(text) ? normalize(text) : join(workspace, text);
}

function filePath(uri: string): string {
  try {
    return normalize(fileURLToPath(uri));
  } catch (error) {
    throw new ResourceError(
      "malformed-uri",
      `Expected a file of this machine as file:///PATH, got ${JSON.stringify(uri)}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

function decoded(uri: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new ResourceError(
      "malformed-uri",
      `Broken percent-encoding in ${JSON.stringify(uri)}: a percent sign itself is written %25.`,
      { cause: error },
    );
  }
}

function checked(uri: string, path: string): string {
  if (path.includes("\0"))
    throw new ResourceError("malformed-uri", `A path cannot hold NUL: ${JSON.stringify(uri)}.`);
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
