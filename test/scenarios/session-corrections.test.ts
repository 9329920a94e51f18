/** Complaints: a model proposes a correction of what it wrote, a person saves it, and the next requests carry it. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { answer } from "../support/model-server/script.ts";
import { type SessionScene, openScene, say } from "../support/sessions/composed-sessions.ts";
import { evaluated, values } from "../support/sessions/form-scene.ts";
import { rawLines } from "../support/acp/raw-lines.ts";
import { serveHost } from "../support/acp/served-host.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

const proposed = {
  id: "result-first",
  instruction: "Give the result first, then at most two sentences of explanation.",
  trigger: "Let me explain",
};

/** A model that explains at length, and proposes `proposal` when it is shown a complaint. */
function explaining(proposal: unknown = proposed): Parameters<typeof openScene>[0] {
  return (request) =>
    request.text.includes("Complaint:")
      ? answer(`Here it is:\n${JSON.stringify(proposal)}`)
      : answer("Let me explain in detail why that is.");
}

async function opened(scene: SessionScene): Promise<Session> {
  const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
  await session.setSetting("session-title-generation-p", false);
  return session;
}

async function failing(session: Session, input: string): Promise<string> {
  return session.invoke("complain", { input }).then(
    () => "",
    (error: unknown) => `${(error as { code: string }).code}: ${(error as Error).message}`,
  );
}

const dataRoot = (scene: SessionScene): string => join(scene.pit.home, ".local", "share", "autolith");
const carries = (scene: SessionScene): boolean =>
  scene.server.requests.at(-1)?.text.includes(proposed.instruction) === true;

describe("a complaint", () => {
  it("becomes a proposal from what the model wrote; saved for a workspace it holds there from the next request on, in other sessions too", async () => {
    await using scene = await openScene(explaining());
    const session = await opened(scene);
    await say(session, "why?");
    const proposal = await session.corrections.propose(
      "Your explanations are too long. Give the result first.",
    );
    expect(proposal).toEqual({ candidate: proposed, matched: true, existing: [] });
    const asked = scene.server.requests.at(-1)?.text ?? "";
    expect(asked).toContain("Your explanations are too long.");
    expect(asked).toContain("Let me explain in detail");
    const saved = await session.corrections.save({ candidate: proposal.candidate, scope: "workspace" });
    expect(saved).toMatchObject({ id: "result-first", scope: "workspace", replaced: false });
    expect(saved.path).toContain(join(dataRoot(scene), "context-rules"));
    expect(readFileSync(saved.path, "utf8")).toContain(`:WORKSPACE "${scene.pit.workspace}"`);
    const other = await opened(scene);
    await say(other, "first");
    expect(carries(scene)).toBe(false);
    await say(other, "second");
    expect(carries(scene)).toBe(true);
    await say(session, "again");
    expect(carries(scene)).toBe(true);
    expect((await session.invoke("context", {})).text).toContain("note result-first (corrections");
    // What the model wrote before the host was opened counts as well.
    const service = await scene.reopen();
    const again = await service.load(session.id, {});
    await say(again, "and now?");
    expect(carries(scene)).toBe(true);
  });

  it("is saved against doubt only when that is confirmed: an unmatched trigger, and a correction in place of another", async () => {
    await using scene = await openScene(explaining());
    const session = await opened(scene);
    await say(session, "why?");
    const never = { ...proposed, trigger: "never said" };
    await expect(session.corrections.save({ candidate: never, scope: "global" })).rejects.toMatchObject({
      code: "correction-unmatched",
      details: { trigger: "never said" },
    });
    expect(existsSync(join(dataRoot(scene), "context-rules.sexp"))).toBe(false);
    await session.corrections.save({ candidate: never, scope: "global", confirmUnmatched: true });
    expect((await session.corrections.propose("again")).existing).toEqual(["global"]);
    await expect(session.corrections.save({ candidate: proposed, scope: "global" })).rejects.toMatchObject({
      code: "correction-exists",
    });
    const saved = await session.corrections.save({
      candidate: proposed,
      scope: "global",
      confirmReplace: true,
    });
    expect(saved).toMatchObject({ replaced: true, path: join(dataRoot(scene), "context-rules.sexp") });
    // The workspace's own goes before the global one of its id.
    const own = { ...proposed, instruction: "Answer in one sentence here." };
    await session.corrections.save({ candidate: own, scope: "workspace" });
    await say(session, "again");
    expect(scene.server.requests.at(-1)?.text).toContain("Answer in one sentence here.");
    expect(carries(scene)).toBe(false);
    expect(
      readdirSync(join(dataRoot(scene), "context-rules")).filter((name) => name.endsWith(".sexp")),
    ).toHaveLength(1);
  });

  it("is refused where nobody sees a review, and answered by options", async () => {
    await using scene = await openScene(explaining());
    const session = await opened(scene);
    await say(session, "why?");
    expect(await failing(session, "too long")).toMatch(/^interaction-required: .*:scope workspace/);
    expect(await failing(session, "too long :scope nowhere")).toMatch(
      /^invalid-argument: .*workspace or global/,
    );
    expect(await failing(session, '"" :scope global')).toMatch(/^invalid-argument: A complaint has 1 to/);
    const told = await session.invoke("wtf", { input: "Use :key arguments, please. :scope global" });
    expect(told.text).toMatch(/^Saved the correction result-first \(global\)/);
    expect(scene.server.requests.at(-1)?.text).toContain("Use :key arguments, please.");
    const again = await failing(session, '"too long" :scope global');
    expect(again).toMatch(/^correction-exists: .*:confirm-replace t with :id "result-first"/);
    const [replaced] = await values(
      session,
      '(complain "too long" :scope :global :confirm-replace t :confirm-unmatched t :id "result-first" :trigger "as \\"said\\"" :instruction "Do not.")',
    );
    expect(replaced).toContain("Replaced the correction result-first (global)");
    expect(readFileSync(join(dataRoot(scene), "context-rules.sexp"), "utf8")).toContain(
      String.raw`"as \"said\""`,
    );
  });

  it("opens a review at the client that has one: the one that gave the command, or submitted the form", async () => {
    await using scene = await openScene(explaining());
    const session = await opened(scene);
    const client = await session.attach({
      name: "test",
      answersPermissions: false,
      reviewsCorrections: true,
      tail: 0,
    });
    expect(await session.invoke("complain", { input: "too long" })).toMatchObject({
      clientAction: "review-correction",
      complaint: "too long",
    });
    expect(await session.invoke("wtf", {})).toEqual({
      text: expect.any(String) as string,
      clientAction: "review-correction",
    });
    const result = await evaluated(session, '(complain "Give \\"it\\" first.")');
    expect(result.status).toBe("values");
    const events = await eventsUntil(client, ({ kind }) => kind === "form-action");
    expect(events.find(({ kind }) => kind === "form-action")).toMatchObject({
      action: "review-correction",
      complaint: 'Give "it" first.',
    });
    client.detach();
    expect(await failing(session, "too long")).toMatch(/^interaction-required/);
  });

  it.each([
    ["no JSON", "I would rather not."],
    ["no trigger", { id: "a", instruction: "b" }],
    ["an instruction that is too long", { ...proposed, instruction: "x".repeat(4_001) }],
  ])("a model's answer that is no correction is told: %s", async (_name, proposal) => {
    await using scene = await openScene((request) =>
      answer(typeof proposal === "string" ? proposal : `${JSON.stringify(proposal)} ${request.number}`),
    );
    const session = await opened(scene);
    await expect(session.corrections.propose("too long")).rejects.toMatchObject({
      code: "correction-unreadable",
    });
  });

  it("can be cancelled while the model is asked, and nothing is saved", async () => {
    await using scene = await openScene(() => ({ kind: "answer", text: "late", latencyMs: 600_000 }));
    const session = await opened(scene);
    const proposing = session.corrections.propose("too long");
    const settled = proposing.then(
      () => "proposed",
      (error: unknown) => (error as { code: string }).code,
    );
    await expect.poll(() => scene.server.requests.length, { timeout: 60_000 }).toBe(1);
    expect(session.corrections.cancel()).toBe(true);
    expect(await settled).toBe("cancelled");
    expect(session.corrections.cancel()).toBe(false);
    expect(existsSync(join(dataRoot(scene), "context-rules.sexp"))).toBe(false);
  });

  it("is made by any ACP client: proposed, refused until it is confirmed, saved; as a prompt it says what it needs", async () => {
    await using scene = await openScene(explaining());
    await using served = serveHost(scene.service);
    const { write, read } = served.pipes();
    const raw = rawLines(write, read);
    let id = 0;
    const request = async (method: string, params: object) => {
      id += 1;
      raw.request(id, method, params);
      return raw.answerTo(id);
    };
    await request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const opening = await request("session/new", { cwd: scene.pit.workspace, mcpServers: [] });
    const { sessionId } = opening.result as { sessionId: string };
    const correction = (action: object) => request("_autolith/correction", { sessionId, action });
    expect(await correction({ kind: "propose", complaint: "too long" })).toMatchObject({
      result: { outcome: "ok", value: { proposal: { candidate: proposed, matched: false, existing: [] } } },
    });
    const save = { kind: "save", candidate: proposed, scope: "global" };
    expect(await correction(save)).toMatchObject({
      result: { outcome: "condition", code: "correction-unmatched" },
    });
    expect(await correction({ ...save, confirmUnmatched: true })).toMatchObject({
      result: { outcome: "ok", value: { saved: { id: "result-first", scope: "global", replaced: false } } },
    });
    expect(await correction({ kind: "cancel" })).toMatchObject({ result: { value: { cancelled: false } } });
    expect(await correction({ kind: "save", candidate: { id: "x" }, scope: "global" })).toMatchObject({
      error: { code: -32_602 },
    });
    const prompt = await request("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text: "/complain too long" }],
    });
    expect(JSON.stringify(prompt)).toContain("interaction-required");
  });
});
