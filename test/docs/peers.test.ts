import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolCaller } from "../../orchestrator/contract/caller.ts";
import {
  conversationIdSchema,
  executionIdSchema,
  jobNameSchema,
} from "../../orchestrator/contract/identifiers.ts";
import type { ToolContext } from "../../orchestrator/contract/tool.ts";
import { type Job, jobOfAdmission } from "../../orchestrator/jobs/job-table.ts";
import { type Endpoint, callerEndpoint, endpointId } from "../../orchestrator/peers/endpoint.ts";
import { grantLimit, mailboxLimit, messageLimit } from "../../orchestrator/peers/peer-decisions.ts";
import { PeerMessageError } from "../../orchestrator/peers/peer-error.ts";
import { peerTextLimit } from "../../orchestrator/peers/peer-records.ts";
import { peerTools } from "../../orchestrator/peers/peer-tools.ts";
import { headlessAuthority } from "../../orchestrator/permissions/headless-authority.ts";
import { mailScene } from "../support/peers/mail-scene.ts";
import { MemoryTransport } from "../support/peers/memory-transport.ts";
import { documentedExamples, pageText, tableColumn } from "./documented-examples.ts";

const page = "peers.md";
const session = conversationIdSchema.parse("sessKey");

function child(name: string, order: number): Job {
  return jobOfAdmission(
    {
      kind: "admitted",
      at: 0,
      executionId: executionIdSchema.parse(`00000000-0000-4000-8000-00000000000${order}`),
      name: jobNameSchema.parse(name),
      order,
      jobKind: "agent",
      payload: {},
      owner: { lineage: [] },
      detached: true,
      completionPolicy: "continue",
      completionOwner: session,
    },
    session,
  );
}

const jobs = [child("builder-1", 1), child("tester-2", 2)];

function contextOf(name: string): ToolContext {
  const job = jobs.find((each) => each.name === name);
  const caller: ToolCaller = {
    kind: job === undefined ? "primary" : "child",
    conversationId: session,
    rootConversationId: session,
    executionId: job?.executionId,
    lineage: job === undefined ? [] : [job.executionId],
    position: name,
    jobName: job?.name ?? "primary",
    depth: job === undefined ? 0 : 1,
    role: "task",
  };
  return {
    caller,
    callId: "call",
    workspace: "/",
    signal: new AbortController().signal,
    authority: headlessAuthority({
      mode: "full",
      workspace: "/",
      sandboxProblem: () => Promise.resolve(undefined),
      classify: undefined,
    }),
  };
}

describe("docs/peers.md", () => {
  it("its calls are answered and refused as it says, one after the other", async () => {
    const directory = mkdtempSync(join(tmpdir(), "peers-"));
    const scene = await mailScene(directory, session, new MemoryTransport(), { isOpen: () => true });
    try {
      const tools = peerTools({ supervisor: { jobs: () => jobs }, peers: () => scene.service });
      const places: Record<string, Endpoint> = {
        TESTER: callerEndpoint(contextOf("tester-2").caller),
        PRIMARY: { session },
      };
      const refusals: string[] = [];
      for (const { language, what, text, line } of documentedExamples(page)) {
        const [actor = "", name, expected] = what;
        const tool = tools.find((each) => each.name === name);
        const given = text.replace(/"(TESTER|PRIMARY)"/, (_, word: string) =>
          JSON.stringify(endpointId(places[word] ?? { session })),
        );
        const args: unknown = tool?.arguments.parse(JSON.parse(given));
        const answered = await tool?.execute(args, contextOf(actor)).then(
          ({ status }) => status,
          (error: unknown) => {
            refusals.push((error as PeerMessageError).reason);
            return "refused";
          },
        );
        expect([line, language, answered]).toEqual([line, "json", expected ?? "ok"]);
      }
      expect(refusals).toEqual(["identity-conflict", "outcome-conflict"]);
      const states = scene.service.visible(undefined).map(({ id, state }) => [id, state]);
      expect(states).toEqual([
        ["m1", "acknowledged"],
        ["m2", "queued"],
      ]);
      expect(scene.service.contextWaiting({ session }).map(({ payload }) => payload)).toEqual(["All green."]);
    } finally {
      await scene.close();
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it("lists the states, and the bounds in force", () => {
    expect(tableColumn(page, "state").map((cell) => cell.replaceAll("`", ""))).toEqual([
      "queued",
      "delivered",
      "unknown",
      "acknowledged",
      "cancelled",
    ]);
    const number = (value: number): string => value.toLocaleString("en-US");
    expect(pageText(page)).toContain(
      `${number(peerTextLimit)} characters a message, ${mailboxLimit} unsettled messages a receiver, ${number(messageLimit)} messages and ${grantLimit} active grants a session`,
    );
  });
});
