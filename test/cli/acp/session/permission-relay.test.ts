import { describe, expect, test, vi } from "vitest";
import { PermissionRelay } from "../../../../cli/acp/session/permission-relay.ts";
import { conversationIdSchema } from "../../../../orchestrator/contract/identifiers.ts";
import type { PermissionRequest } from "../../../../orchestrator/contract/session.ts";

const id = conversationIdSchema.parse("abcdefg");
const request: PermissionRequest = {
  requestId: "permission-1",
  epoch: 1,
  kind: "command",
  callId: "c",
  tool: "shell.run",
  asker: "primary",
  title: "ls",
  command: "ls",
  directory: "/",
  askedAt: 0,
};

describe("a client that never answers", () => {
  test("denies when its time is over, and that is reported", async () => {
    const answered = Promise.withResolvers<unknown[]>();
    const reports: unknown[] = [];
    const relay = new PermissionRelay(
      { id, answerPermission: (...given) => (answered.resolve(given), true) },
      () => new Promise(() => undefined),
      (error) => reports.push(error),
      5,
    );
    relay.open([request, request]);
    expect(await answered.promise).toEqual([request.requestId, "deny"]);
    expect(reports).toEqual([expect.objectContaining({ message: expect.stringContaining("5 ms") })]);
  });

  test("answers nothing for requests that were withdrawn", async () => {
    const answerPermission = vi.fn(() => true);
    const reports: unknown[] = [];
    const withdrawn = Promise.withResolvers<void>();
    const relay = new PermissionRelay(
      { id, answerPermission },
      (_request, signal) => {
        signal.addEventListener("abort", () => withdrawn.resolve());
        return new Promise(() => undefined);
      },
      (error) => reports.push(error),
    );
    relay.open([request]);
    relay.close();
    await withdrawn.promise;
    expect([answerPermission.mock.calls, reports]).toEqual([[], []]);
  });
});
