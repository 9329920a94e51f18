import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  claimTokenSchema,
  conversationIdSchema,
  jobNameSchema,
  newExecutionId,
} from "../../../orchestrator/contract/identifiers.ts";
import { failureOf } from "../../../orchestrator/contract/failure.ts";
import type { ToolContext, ToolOutcome } from "../../../orchestrator/contract/tool.ts";
import { headlessAuthority } from "../../../orchestrator/permissions/headless-authority.ts";
import { resourceTools } from "../../../orchestrator/resources/resource-tools.ts";
import { CaptureStore } from "../../../workers/shell/capture-store.ts";
import { shellExecutor } from "../../../workers/shell/shell-executor.ts";
import { Spawner } from "../../../workers/spawner/spawner.ts";
import { MutationLocks } from "../../../workers/workspace/mutation-lock.ts";
import { fileSchemes } from "../../../workers/workspace/workspace-scheme.ts";

// Works on a small disk of its own (mounted by the test) that is filled, emptied and made read-only, and prints what
// became of each step. Run as: node full-disk-fixture.ts DISK OTHER-DIRECTORY
const [, , disk = "", other = ""] = process.argv;

const conversationId = conversationIdSchema.parse("b6uouHJ");
const workspace = join(disk, "workspace");
mkdirSync(workspace);
writeFileSync(join(workspace, "file.txt"), "one\ntwo\n");
const signal = new AbortController().signal;
const context: ToolContext = {
  caller: {
    ...{ kind: "primary", conversationId, rootConversationId: conversationId, executionId: newExecutionId() },
    ...{ jobName: "primary", depth: 0, role: "primary", lineage: [], position: "primary" },
  },
  callId: "call-1",
  workspace,
  authority: headlessAuthority({
    mode: "full",
    sandboxProblem: async () => await Promise.resolve("not needed"),
    classify: undefined,
    workspace,
  }),
  signal,
};
const spawner = new Spawner({ ledgerDirectory: join(disk, "ledger") });
const run = shellExecutor({
  spawner,
  captures: new CaptureStore({ root: join(disk, "captures") }),
  sandbox: async () => await Promise.resolve({ reason: "not needed" }),
  confinement: () => ({ workspace, git: "protect" }),
  temporaryRoot: join(other, "temporary"),
  environment: process.env,
});
const tools = resourceTools(fileSchemes(new MutationLocks({ directory: join(other, "locks") })));

async function shell(command: string): Promise<string> {
  const outcome = await run({
    executionId: newExecutionId(),
    conversationId,
    name: jobNameSchema.parse("exec:1"),
    payload: {
      command,
      directory: "/",
      workspace,
      timeoutMs: 20_000,
      separateOutput: false,
      execution: "full",
    },
    owner: { lineage: [] },
    claimToken: claimTokenSchema.parse("claim-token"),
    signal,
    claimedAt: 0,
  });
  return outcome.result?.content ?? outcome.state;
}

async function call(name: string, args: object): Promise<ToolOutcome> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(name);
  try {
    return await tool.execute(tool.arguments.parse(args), context);
  } catch (error) {
    const { code, message } = failureOf(error);
    return { status: "error", code, content: message };
  }
}

const edit = async (name: string, content: string): Promise<ToolOutcome> => {
  const uri = `workspace:${name}`;
  const revision = (await call("resource.read", { uri })).details?.["revision"];
  const operation =
    revision === "absent"
      ? { operation: "replace-empty", content }
      : { operation: "replace-lines", "start-line": 1, "end-line": 1, content };
  return await call("resource.edit", { uri, "base-revision": revision, operations: [operation] });
};

const filler = join(disk, "filler");
const fill = (): void => {
  execFileSync("sh", ["-c", `cat /dev/zero > '${filler}' 2>/dev/null || true`]);
};
const steps: Record<string, unknown> = {};

steps["overflowing command"] = await shell("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo the end");
fill();
steps["command on a full disk"] = await shell("df -h / | head -1");
steps["edit on a full disk"] = await edit("file.txt", "x".repeat(100_000));
steps["new file on a full disk"] = await edit("new.txt", "y".repeat(100_000));
steps["file after it"] = readFileSync(join(workspace, "file.txt"), "utf8");
steps["names after it"] = readdirSync(workspace);
rmSync(filler);
rmSync(join(disk, "captures"), { recursive: true });
steps["edit with room again"] = await edit("file.txt", "ONE");
steps["command with room again"] = await shell("echo fine");
execFileSync("mount", ["-o", "remount,ro", disk]);
steps["command on a read-only disk"] = await shell("echo shown all the same");
steps["edit on a read-only disk"] = await edit("file.txt", "no");
// More commands than there are pipes in store, so that new ones must be made somewhere else.
for (let index = 0; index < 20; index += 1) await shell("true");
steps["many commands on a read-only disk"] = await shell("echo still running");
execFileSync("mount", ["-o", "remount,rw", disk]);
steps["file at the end"] = readFileSync(join(workspace, "file.txt"), "utf8");
steps["names at the end"] = readdirSync(workspace);
await spawner.close();
process.stdout.write(JSON.stringify(steps));
