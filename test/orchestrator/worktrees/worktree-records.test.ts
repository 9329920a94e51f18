/** Records, markers and decisions about worktrees. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { runningNote, securedOutcome } from "../../../orchestrator/agents/secured-outcome.ts";
import {
  type ExecutionId,
  conversationIdSchema,
  newExecutionId,
} from "../../../orchestrator/contract/identifiers.ts";
import type { AgentResult } from "../../../orchestrator/contract/job-catalog.ts";
import { type Job, jobOfAdmission } from "../../../orchestrator/jobs/job-table.ts";
import { ExecutionDirectory } from "../../../orchestrator/record/execution-directory.ts";
import { checkoutAround } from "../../../orchestrator/worktrees/conversation-worktrees.ts";
import { reasonsToKeep } from "../../../orchestrator/worktrees/unsecured-work.ts";
import type { CheckoutState } from "../../../orchestrator/worktrees/worktree-machine.ts";
import { WorktreeRegistry } from "../../../orchestrator/worktrees/worktree-registry.ts";
import {
  type WorktreeArtifact,
  type WorktreeRecord,
  artifactDocument,
  decodedPatch,
  encodedPatch,
  markerOf,
  markerText,
  ownerParts,
  ownerText,
} from "../../../orchestrator/worktrees/worktree.ts";
import { admitted, admittedAgent } from "../recovery/job-history.ts";

const conversation = conversationIdSchema.parse("abcdefg");
const commit = "a".repeat(40);

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), "wt-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function record(root: string): WorktreeRecord {
  const id = newExecutionId();
  return {
    version: 1,
    id,
    owner: ownerText(conversation, id),
    source: "/src",
    path: join(root, "checkouts", id),
    baseline: commit,
    artifactKind: "patch",
    metadataPath: "/m/worktree.sexp",
  };
}

describe("records", () => {
  test("an artifact's patch comes back byte for byte, through the file it is kept in", async () => {
    const root = scratch();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 300 }),
          fc.string({ unit: "binary", maxLength: 200 }).map((text) => Buffer.from(text)),
        ),
        fc.array(
          fc.string({ minLength: 1, maxLength: 30 }).filter((name) => !name.includes("\0")),
          { maxLength: 4 },
        ),
        async (patch, paths) => {
          const artifact: WorktreeArtifact = {
            worktreeId: "w",
            owner: "o",
            source: "/s",
            isolatedPath: "/i",
            baseline: commit,
            kind: "patch",
            tip: commit,
            paths,
            ...encodedPatch(patch),
          };
          const directory = new ExecutionDirectory(
            join(root, String((count += 1))),
            conversation,
            newExecutionId(),
          );
          await directory.writeForm("worktree-artifact.sexp", artifactDocument.toForm(artifact));
          const read = artifactDocument.fromForm(
            (await directory.readForm("worktree-artifact.sexp")) ?? false,
          );
          expect(decodedPatch(read).equals(Buffer.from(patch))).toBe(true);
          expect(read.paths).toEqual(paths);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("git's marker names owner, baseline and kind; the locks of others are none", () => {
    const made = record("/r");
    expect(markerOf(markerText(made))).toEqual({
      owner: made.owner,
      baseline: commit,
      artifactKind: "patch",
    });
    expect(ownerParts(made.owner)).toEqual({ conversation, executionId: made.id });
    for (const reason of [
      "",
      "initializing",
      "on a stick",
      markerText(made).replace("1", "2"),
      `${markerText(made)} x`,
      markerText({ ...made, owner: "abcdefg/../x" }),
    ])
      expect(markerOf(reason)).toBeUndefined();
  });

  test("a registry tells a conversation's own, and reports what it cannot read without losing the rest", async () => {
    const root = scratch();
    const registry = new WorktreeRegistry(root);
    const [own, foreign] = [record(root), { ...record(root), owner: `hijkmnp/${newExecutionId()}` }];
    for (const each of [own, foreign]) await registry.publish(each);
    writeFileSync(join(root, "registry", `${newExecutionId()}.sexp`), "(:version 1");
    writeFileSync(join(root, "registry", "notes.txt"), "x");
    mkdirSync(join(root, "checkouts"));
    const reports: unknown[] = [];
    expect(await registry.ownedBy(conversation, (error) => reports.push(error))).toEqual([own]);
    expect(reports).toMatchObject([{ code: "malformed" }]);
    await registry.forget(own.id);
    await registry.forget(own.id);
    expect(await registry.read(own.id)).toBeUndefined();
  });

  test("a directory lies in a checkout, in none, or is no checkout's", () => {
    expect(checkoutAround("/d/checkouts", "/d/checkouts/x/sub/dir")).toBe("/d/checkouts/x");
    expect(checkoutAround("/d/checkouts", "/d/checkouts/x")).toBe("/d/checkouts/x");
    for (const elsewhere of ["/d/checkouts", "/d/checkouts-2/x", "/d", "/"])
      expect(checkoutAround("/d/checkouts", elsewhere)).toBeUndefined();
  });
});

describe("what keeps a checkout", () => {
  const clean: CheckoutState = {
    tip: commit,
    patch: Buffer.alloc(0),
    paths: [],
    uncommitted: [],
    untracked: [],
    ignored: [],
    leftCommits: [],
    discardedCommits: [],
    stashes: [],
    submodules: [],
  };
  const tip = "b".repeat(40);
  const patch = Buffer.from("diff");
  const artifact: WorktreeArtifact = {
    worktreeId: "w",
    owner: "o",
    source: "/s",
    isolatedPath: "/i",
    baseline: commit,
    kind: "patch",
    tip,
    paths: ["a"],
    ...encodedPatch(patch),
  };

  test("nothing, when it is as it began or all of it is in the artifact", () => {
    expect(reasonsToKeep({ baseline: commit }, clean, undefined)).toEqual([]);
    expect(reasonsToKeep({ baseline: commit }, { ...clean, tip, patch, paths: ["a"] }, artifact)).toEqual([]);
  });

  test("anything else, each kind with its names", () => {
    fc.assert(
      fc.property(
        fc.record({
          uncommitted: fc.subarray(["c"]),
          untracked: fc.subarray(["u"]),
          ignored: fc.subarray(["i"]),
          leftCommits: fc.subarray(["1234567 left"]),
          submodules: fc.subarray(["s"]),
          moved: fc.boolean(),
          edited: fc.boolean(),
          secured: fc.boolean(),
        }),
        ({ moved, edited, secured, ...lists }) => {
          const state = {
            ...clean,
            ...lists,
            tip: moved ? tip : commit,
            patch: edited ? patch : Buffer.alloc(0),
          };
          const held = secured ? { ...artifact, tip: state.tip, ...encodedPatch(state.patch) } : undefined;
          const reasons = reasonsToKeep({ baseline: commit }, state, held).join("; ");
          for (const name of Object.values(lists).flat()) expect(reasons).toContain(JSON.stringify(name));
          expect(reasons.includes("no artifact holds")).toBe((moved || edited) && !secured);
          expect(reasons === "").toBe(
            Object.values(lists).flat().length === 0 && (secured || !(moved || edited)),
          );
        },
      ),
    );
    // Work after the artifact was made is not in it.
    expect(
      reasonsToKeep({ baseline: commit }, { ...clean, tip, patch: Buffer.from("diff2") }, artifact),
    ).toHaveLength(1);
    expect(
      reasonsToKeep({ baseline: commit }, { ...clean, tip: "c".repeat(40), patch }, artifact),
    ).toHaveLength(1);
  });
});

describe("the outcome of an isolated child", () => {
  const result: AgentResult = {
    status: "success",
    output: "done",
    yielded: true,
    structuredOutputPresent: false,
    usage: { providerRequests: 1 },
    durationMs: 1,
    model: "m",
    undeliveredPromptCount: 0,
  };

  test("names checkout and artifact whatever its state", () => {
    const secured = { worktree: "/w", artifactPath: "/a" };
    for (const outcome of [
      { state: "completed", result },
      { state: "aborted", reason: "user", result: { ...result, status: "aborted" } },
      {
        state: "failed",
        failure: { code: "x", message: "x", retry: "terminal" },
        result: { ...result, status: "failed" },
      },
    ] as const)
      expect(securedOutcome(outcome, secured)).toMatchObject({
        state: outcome.state,
        result: { worktree: "/w", worktreeArtifactPath: "/a" },
      });
  });

  test("a command of the child that still runs is named in the note; ended ones and those of others are not", () => {
    const child = admittedAgent();
    const job = (lineage: readonly ExecutionId[]): Job =>
      jobOfAdmission(admitted({ owner: { lineage: [...lineage] } }), conversation);
    const running = job([child.executionId]);
    const ended = job([child.executionId]);
    ended.life = { ...ended.life, state: "completed" };
    expect(runningNote(child.executionId, [job([]), ended])).toBeUndefined();
    expect(runningNote(child.executionId, [running, ended, job([])])).toBe(
      `${running.name} still runs; what is changed in the checkout from now on is not secured.`,
    );
  });

  test("a success whose work could not be secured is a failure, and says why; other ends stay what they are", () => {
    const lost = { worktree: "/w", error: "no room" };
    expect(securedOutcome({ state: "completed", result }, lost)).toMatchObject({
      state: "failed",
      failure: { code: "worktree-extraction" },
      result: {
        status: "failed",
        worktreeError: "no room",
        error: expect.stringContaining("no room") as string,
      },
    });
    expect(securedOutcome({ state: "aborted", reason: "user", result }, lost)).toMatchObject({
      state: "aborted",
      result: { worktreeError: "no room" },
    });
    expect(securedOutcome({ state: "aborted", reason: "user" }, lost)).toEqual({
      state: "aborted",
      reason: "user",
    });
  });
});
