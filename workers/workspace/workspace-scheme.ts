import { dirname } from "node:path";
import { z } from "zod";
import type { ToolContext, ToolOutcome } from "../../orchestrator/contract/tool.ts";
import { refuseOthers } from "../../orchestrator/resources/resource-scheme.ts";
import type {
  ResourceEdit,
  ResourceRead,
  ResourceScheme,
} from "../../orchestrator/resources/resource-scheme.ts";
import { allowedPath, HeldDirectory, openRegular } from "./confined-file.ts";
import { readDirectory } from "./directory-reading.ts";
import { editOperationSchema } from "./edit-operation.ts";
import { editFile } from "./file-editing.ts";
import { readOpenFile } from "./file-reading.ts";
import { pathOfUri, workspaceUri } from "./file-uri.ts";
import { absentRevision } from "./line-index.ts";
import type { MutationLocks } from "./mutation-lock.ts";
import type { RegularFile } from "./regular-file.ts";

/** The schemes `workspace:` and `file:`: the same files under two names, with the caller's authority over paths. */
export function fileSchemes(locks: MutationLocks): readonly ResourceScheme[] {
  return ["workspace", "file"].map((scheme) => ({
    scheme,
    read: readFileResource,
    editing: {
      operation: editOperationSchema,
      edit: async (request, context) => await editFileResource(request, context, locks),
      resourceName: (uri, workspace) => `file ${pathOfUri(uri, workspace)}`,
    },
  }));
}

async function readFileResource(request: ResourceRead, context: ToolContext): Promise<ToolOutcome> {
  refuseOthers(request, ["start-line", "line-count", "query", "max-results", "byte-offset", "byte-count"]);
  const target = await allowedPath(pathOfUri(request.uri, context.workspace), "read", context);
  const uri = workspaceUri(target.path, context.workspace);
  if (!target.exists) {
    return {
      status: "error",
      code: "not-found",
      content: `There is no ${uri} (revision ${absentRevision}). resource.edit makes it with base-revision ${absentRevision} and one replace-empty operation.`,
      details: { revision: absentRevision },
    };
  }
  if (dirname(target.path) === target.path) {
    return await readDirectory(request, uri, target.path, context.signal);
  }
  const directory = HeldDirectory.open(dirname(target.path));
  let file: RegularFile | undefined;
  try {
    file = openRegular(directory, target.path);
    if (file === undefined) return await readDirectory(request, uri, target.path, context.signal);
    return await readOpenFile(request, uri, file, context.signal);
  } finally {
    file?.close();
    directory.close();
  }
}

async function editFileResource(
  request: ResourceEdit,
  context: ToolContext,
  locks: MutationLocks,
): Promise<ToolOutcome> {
  const operations = z.array(editOperationSchema).parse(request.operations);
  const path = pathOfUri(request.uri, context.workspace);
  return await locks.hold(context.workspace, context.signal, async (mark) => {
    // Resolved under the lock: what a link leads to is part of what may change.
    const target = await allowedPath(path, "write", context);
    const uri = workspaceUri(target.path, context.workspace);
    return await editFile({ uri, baseRevision: request.baseRevision, operations }, target, context, mark);
  });
}
