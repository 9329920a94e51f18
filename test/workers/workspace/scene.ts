/** A workspace with the tools that read and edit its files, as an agent has them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolContext, ToolDeclaration, ToolOutcome } from "../../../orchestrator/contract/tool.ts";
import { resourceTools } from "../../../orchestrator/resources/resource-tools.ts";
import { MutationLocks } from "../../../workers/workspace/mutation-lock.ts";
import { fileSchemes } from "../../../workers/workspace/workspace-scheme.ts";
import { scratchDirectory } from "../spawner/collect.ts";
import { toolContext } from "./tool-context.ts";

export interface Scene {
  readonly workspace: string;
  read(uri: string, more?: object): Promise<ToolOutcome>;
  edit(uri: string, revision: string, ...operations: object[]): Promise<ToolOutcome>;
  write(name: string, content: string | Buffer): string;
  bytes(name: string): string;
}

/** Scenes with one `lockDirectory` and one context are two hosts of a user in one workspace. */
export function scene(
  context: ToolContext = toolContext(),
  lockDirectory = join(scratchDirectory(), "locks"),
): Scene {
  const { workspace } = context;
  const locks = new MutationLocks({ directory: lockDirectory, waitMs: 2000 });
  const [read, edit] = resourceTools(fileSchemes(locks));
  const call = async (tool: ToolDeclaration | undefined, args: object): Promise<ToolOutcome> => {
    if (tool === undefined) throw new Error("no tool");
    return await tool.execute(tool.arguments.parse(args), context);
  };
  return {
    workspace,
    read: async (uri, more = {}) => await call(read, { uri, ...more }),
    edit: async (uri, revision, ...operations) =>
      await call(edit, { uri, "base-revision": revision, operations }),
    write: (name, content) => {
      const path = join(workspace, name);
      writeFileSync(path, content);
      return path;
    },
    bytes: (name) => readFileSync(join(workspace, name), "latin1"),
  };
}

/** The revision that a reading or an edit answered with. */
export function revisionIn(outcome: ToolOutcome): string {
  const revision = outcome.details?.["revision"];
  if (typeof revision !== "string") throw new Error(outcome.content);
  return revision;
}

/** An operation that replaces one line. */
export const replaceLine = (line: number, content: string) => ({
  operation: "replace-lines",
  "start-line": line,
  "end-line": line,
  content,
});
