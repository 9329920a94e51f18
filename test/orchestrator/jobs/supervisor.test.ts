import { describe, expect, it } from "vitest";
import type { ShellResult } from "../../../orchestrator/contract/job-catalog.ts";
import type { Outcome } from "../../../orchestrator/jobs/lifecycle.ts";
import { liveJobLimit, unresolvedCompletionLimit } from "../../../orchestrator/jobs/job-table.ts";
import type { Executor } from "../../../orchestrator/jobs/supervisor.ts";
import { conversationId, shellRequest, supervised } from "../../support/jobs/supervised.ts";

const result: ShellResult = { ending: "exited", exitCode: 0, content: "", shellLogs: [], durationMs: 1 };
const completed: Outcome<ShellResult> = { state: "completed", result };

/** An executor whose jobs run until they are released by name, or until they are cancelled. */
function heldShell() {
  const started: string[] = [];
  const releases = new Map<string, () => void>();
  const arrivals = new Map<string, () => void>();
  const executor: Executor<"shell"> = (job) => {
    const name = job.payload.command;
    started.push(name);
    arrivals.get(name)?.();
    return new Promise((resolve) => {
      releases.set(name, () => resolve(completed));
      job.signal.addEventListener("abort", () => resolve({ state: "aborted", reason: "user" }), {
        once: true,
      });
      if (job.signal.aborted) resolve({ state: "aborted", reason: "user" });
    });
  };
  return {
    executor,
    started,
    release: (name: string) => releases.get(name)?.(),
    running: (name: string) =>
      new Promise<void>((resolve) => {
        if (started.includes(name)) resolve();
        else arrivals.set(name, resolve);
      }),
  };
}

describe("the supervisor", () => {
  it("records admission, claim and settlement in that order, and announces after each", async () => {
    const { supervisor, records, announcements } = await supervised({
      shell: () => Promise.resolve(completed),
    });
    const [job] = await supervisor.admit(conversationId, [shellRequest("a")]);
    const settlement = await supervisor.settled(job!.executionId);
    expect(settlement.outcome).toEqual(completed);
    expect(records.map(({ kind }) => kind)).toEqual(["admitted", "claimed", "settled"]);
    expect(announcements.map(({ kind }) => kind)).toEqual(["admitted", "started", "settled"]);
    const [, claimed, settled] = records;
    expect(
      settled?.kind === "settled" && claimed?.kind === "claimed" && settled.claimToken === claimed.claimToken,
    ).toBe(true);
  });

  it("admits a batch whole or not at all", async () => {
    const held = heldShell();
    const { supervisor, records } = await supervised({ shell: held.executor });
    const requests = Array.from({ length: liveJobLimit - 1 }, (_, index) => shellRequest(`job-${index}`));
    await supervisor.admit(conversationId, requests);
    await expect(
      supervisor.admit(conversationId, [shellRequest("x"), shellRequest("y")]),
    ).rejects.toMatchObject({
      code: "live-job-limit",
    });
    expect(records.filter(({ kind }) => kind === "admitted").length).toBe(liveJobLimit - 1);
    await supervisor.shutdown(1_000);
  });

  it("starts no more detached jobs for an owner that does not read what has ended", async () => {
    const { supervisor } = await supervised({ shell: () => Promise.resolve(completed) });
    for (let count = 0; count < unresolvedCompletionLimit; count += 1) {
      const [job] = await supervisor.admit(conversationId, [
        shellRequest(`job-${count}`, { detached: true }),
      ]);
      await supervisor.settled(job!.executionId);
    }
    await expect(
      supervisor.admit(conversationId, [shellRequest("one more", { detached: true })]),
    ).rejects.toMatchObject({
      code: "completion-limit",
      message: expect.stringContaining("at most 128") as string,
    });
    const [read] = supervisor.jobs(conversationId);
    read!.delivered = true;
    await supervisor.admit(conversationId, [shellRequest("one more", { detached: true })]);
    await supervisor.admit(conversationId, [shellRequest("waited for")]);
    await supervisor.shutdown(1_000);
  });

  it("answers a repeated idempotency key with the first job, also while its admission is being written", async () => {
    const { supervisor, records } = await supervised({ shell: () => Promise.resolve(completed) });
    const request = shellRequest("once", { idempotencyKey: "key" });
    const [first, second] = await Promise.all([
      supervisor.admit(conversationId, [request]),
      supervisor.admit(conversationId, [request]),
    ]);
    const third = await supervisor.admit(conversationId, [request]);
    expect([second[0], third[0]]).toEqual([first[0], first[0]]);
    expect(records.filter(({ kind }) => kind === "admitted").length).toBe(1);
  });

  it("cancels a queued job without running it and a running one by its signal, descendants included", async () => {
    const held = heldShell();
    const { supervisor } = await supervised(
      { shell: held.executor },
      { limits: { children: 1, executions: 1, evaluations: 1, gates: 1, wakeups: 1 } },
    );
    const [parent] = await supervisor.admit(conversationId, [shellRequest("parent")]);
    await held.running("parent");
    const [child] = await supervisor.admit(conversationId, [
      shellRequest("child", { owner: { lineage: [parent!.executionId] } }),
    ]);
    const accepted = await supervisor.cancel(parent!, "user");
    expect(accepted).toEqual([parent, child]);
    expect((await supervisor.settled(parent!.executionId)).outcome).toEqual({
      state: "aborted",
      reason: "user",
    });
    expect((await supervisor.settled(child!.executionId)).outcome).toEqual({
      state: "aborted",
      reason: "user",
    });
    expect(held.started).toEqual(["parent"]);
  });

  it("publishes a body that returns after its cancel as aborted, with what it reached", async () => {
    const returned = Promise.withResolvers<Outcome<ShellResult>>();
    const begun = Promise.withResolvers<void>();
    const { supervisor } = await supervised({
      shell: () => {
        begun.resolve();
        return returned.promise;
      },
    });
    const [job] = await supervisor.admit(conversationId, [shellRequest("late")]);
    await begun.promise;
    await supervisor.cancel(job!, "signal");
    returned.resolve(completed);
    expect((await supervisor.settled(job!.executionId)).outcome).toEqual({
      state: "aborted",
      reason: "signal",
      result,
    });
  });

  it("a deadline cancels with reason timeout, whatever the body returns then", async () => {
    const { supervisor } = await supervised({
      shell: (job) =>
        new Promise((resolve) =>
          job.signal.addEventListener("abort", () => resolve(completed), { once: true }),
        ),
    });
    const [job] = await supervisor.admit(conversationId, [shellRequest("slow", { timeoutMs: 20 })]);
    expect((await supervisor.settled(job!.executionId)).outcome).toMatchObject({
      state: "aborted",
      reason: "timeout",
    });
  });

  it("a thrown error settles the job as failed with its code", async () => {
    const { supervisor } = await supervised({
      shell: () => Promise.reject(Object.assign(new Error("broken"), { code: "EPIPE" })),
    });
    const [job] = await supervisor.admit(conversationId, [shellRequest("x")]);
    expect((await supervisor.settled(job!.executionId)).outcome).toEqual({
      state: "failed",
      failure: { code: "EPIPE", message: "broken", retry: "terminal" },
    });
  });

  it("a waiting parent lends its slot, so that its child runs although the class is full", async () => {
    const held = heldShell();
    const { supervisor } = await supervised(
      { shell: held.executor },
      { limits: { children: 1, executions: 1, evaluations: 1, gates: 1, wakeups: 1 } },
    );
    const [parent] = await supervisor.admit(conversationId, [shellRequest("parent")]);
    await held.running("parent");
    const [child] = await supervisor.admit(conversationId, [shellRequest("child")]);
    const waiting = supervisor.settled(child!.executionId, { lender: parent!.executionId });
    await held.running("child");
    held.release("child");
    expect((await waiting).outcome).toEqual(completed);
    await supervisor.shutdown(1_000);
  });

  it("lends one slot, however many waits of a parent run at once", async () => {
    const held = heldShell();
    const { supervisor } = await supervised(
      { shell: held.executor },
      { limits: { children: 1, executions: 1, evaluations: 1, gates: 1, wakeups: 1 } },
    );
    const [parent] = await supervisor.admit(conversationId, [shellRequest("parent")]);
    await held.running("parent");
    const children = await supervisor.admit(conversationId, [shellRequest("one"), shellRequest("two")]);
    const waits = children.map((child) =>
      supervisor.settled(child.executionId, { lender: parent!.executionId }),
    );
    await held.running("one");
    expect(children.map(({ life }) => life.state)).toEqual(["running", "queued"]);
    held.release("one");
    await held.running("two");
    held.release("two");
    expect((await Promise.all(waits)).map(({ outcome }) => outcome)).toEqual([completed, completed]);
    const [next] = await supervisor.admit(conversationId, [shellRequest("next")]);
    expect(next!.life.state).toBe("queued");
    await supervisor.shutdown(1_000);
  });

  it("keeps queued work while the store does not answer, and runs it once when it is back", async () => {
    const runs: string[] = [];
    const { supervisor, queue, failures } = await supervised({
      shell: (job) => {
        runs.push(job.payload.command);
        return Promise.resolve(completed);
      },
    });
    queue.setHealth("degraded");
    const [job] = await supervisor.admit(conversationId, [shellRequest("patient")]);
    expect([job!.life.state, failures]).toEqual(["queued", ["queue-unavailable"]]);
    queue.setHealth("connected");
    expect((await supervisor.settled(job!.executionId)).outcome).toEqual(completed);
    expect(runs).toEqual(["patient"]);
  });

  it("an admission that cannot be recorded is refused, and nothing of it runs", async () => {
    const held = heldShell();
    const { supervisor, failRecords } = await supervised({ shell: held.executor });
    failRecords(["admitted"]);
    await expect(
      supervisor.admit(conversationId, [shellRequest("lost", { idempotencyKey: "k" })]),
    ).rejects.toMatchObject({ code: "no-space" });
    failRecords([]);
    const [job] = await supervisor.admit(conversationId, [shellRequest("kept", { idempotencyKey: "k" })]);
    await held.running("kept");
    held.release("kept");
    expect((await supervisor.settled(job!.executionId)).outcome).toEqual(completed);
    expect(held.started).toEqual(["kept"]);
  });

  it("a claim that cannot be recorded runs nothing, and a settlement that cannot be recorded is a failure", async () => {
    const held = heldShell();
    const { supervisor, failRecords } = await supervised({ shell: held.executor });
    failRecords(["claimed"]);
    const [unclaimed] = await supervisor.admit(conversationId, [shellRequest("unclaimed")]);
    expect((await supervisor.settled(unclaimed!.executionId)).outcome).toMatchObject({ state: "failed" });
    failRecords(["settled"]);
    const [unsettled] = await supervisor.admit(conversationId, [shellRequest("unsettled")]);
    await held.running("unsettled");
    held.release("unsettled");
    expect((await supervisor.settled(unsettled!.executionId)).outcome).toMatchObject({
      state: "failed",
      failure: { code: "no-space" },
    });
    expect(held.started).toEqual(["unsettled"]);
  });

  it("shutdown cancels everything, admits nothing more and resolves in time", async () => {
    const held = heldShell();
    const { supervisor } = await supervised({ shell: held.executor });
    const [job] = await supervisor.admit(conversationId, [shellRequest("x")]);
    await held.running("x");
    await supervisor.shutdown(1_000);
    expect(job!.life.state).toBe("aborted");
    await expect(supervisor.admit(conversationId, [shellRequest("y")])).rejects.toMatchObject({
      code: "shutting-down",
    });
  });

  it("ending a wait does not end the job", async () => {
    const held = heldShell();
    const { supervisor } = await supervised({ shell: held.executor });
    const [job] = await supervisor.admit(conversationId, [shellRequest("x")]);
    await held.running("x");
    await expect(
      supervisor.settled(job!.executionId, { signal: AbortSignal.timeout(5) }),
    ).rejects.toBeInstanceOf(DOMException);
    held.release("x");
    expect((await supervisor.settled(job!.executionId)).outcome).toEqual(completed);
  });
});
