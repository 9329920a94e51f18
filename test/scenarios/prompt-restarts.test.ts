import { describe, expect, it } from "vitest";
import type { RestartRequest, Session } from "../../orchestrator/contract/session.ts";
import { type RecordedRequest, answer } from "../support/model-server/script.ts";
import { conversationIdSchema } from "../../orchestrator/contract/identifiers.ts";
import { serveHost } from "../support/acp/served-host.ts";
import { openScene, text } from "../support/sessions/composed-sessions.ts";
import { evaluated, values } from "../support/sessions/form-scene.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

/** Submits a form that signals, and answers its restarts and its end. */
async function stopped(session: Session, source: string) {
  const client = await session.attach({
    name: "test",
    answersPermissions: true,
    answersRestarts: true,
    tail: 0,
  });
  const submission = await session.prompt(text(source));
  if (submission.kind !== "form") throw new Error("a form was expected");
  const events = await eventsUntil(client, ({ kind }) => kind === "restarts-requested");
  const request = events.flatMap((event) => (event.kind === "restarts-requested" ? [event.request] : []))[0]!;
  return { client, request, finished: submission.finished };
}

function restart(request: RestartRequest, name: string): number {
  const found = request.restarts.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no restart ${name} in ${JSON.stringify(request.restarts)}`);
  return found.index;
}

describe("the restart debugger", () => {
  it("keeps restarts live until somebody chooses: with an argument form, a retry, other values, or the end", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const first = await stopped(session, "(+ 1 (undefined-here 5))");
    expect(first.request).toMatchObject({
      source: "(+ 1 (undefined-here 5))",
      condition: { type: "UNDEFINED-FUNCTION" },
    });
    expect(first.request.condition.details).toContainEqual({ name: "NAME", value: "UNDEFINED-HERE" });
    expect(session.state().restartRequests).toEqual([first.request]);
    await expect(
      session.chooseRestart(first.request.requestId, { kind: "restart", index: 99 }),
    ).rejects.toMatchObject({ code: "invalid-argument" });
    const useValue = restart(first.request, "USE-VALUE");
    const choice = { kind: "restart", index: useValue, argument: "(lambda (x) (* 8 x))" } as const;
    expect(await session.chooseRestart(first.request.requestId, choice)).toBe(true);
    expect(await first.finished).toMatchObject({ status: "values", values: [{ text: "41" }] });
    expect(await session.chooseRestart(first.request.requestId, { kind: "abort" })).toBe(false);

    const aborted = await stopped(session, '(error "boo")');
    await session.chooseRestart(aborted.request.requestId, { kind: "abort" });
    expect(await aborted.finished).toMatchObject({ status: "condition", condition: { text: "boo" } });

    await values(session, "(defvar *tries* 0)");
    const retried = await stopped(session, '(if (< (incf *tries*) 2) (error "again") (list :tried *tries*))');
    await session.chooseRestart(retried.request.requestId, { kind: "retry" });
    expect(await retried.finished).toMatchObject({ status: "values", values: [{ text: "(:TRIED 2)" }] });

    const replaced = await stopped(session, '(error "never mind")');
    const failing = { kind: "values", source: "(car 5)" } as const;
    expect(await session.chooseRestart(replaced.request.requestId, failing)).toBe(true);
    await eventsUntil(replaced.client, ({ kind }) => kind === "restarts-requested");
    const [kept] = session.state().restartRequests;
    expect(kept?.condition.text).toMatch(/^never mind\nThe form \(car 5\) has no values: TYPE-ERROR: /);
    await session.chooseRestart(kept!.requestId, { kind: "values", source: "(values 1 2)" });
    expect(await replaced.finished).toMatchObject({
      status: "values",
      values: [{ text: "1" }, { text: "2" }],
    });
  });

  it("asks about the condition again when the argument form fails, with the same restarts", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const { client, request, finished } = await stopped(session, "(list (undefined-here))");
    const useValue = restart(request, "USE-VALUE");
    const bad = { kind: "restart", index: useValue, argument: "(car 5)" } as const;
    expect(await session.chooseRestart(request.requestId, bad)).toBe(true);
    await eventsUntil(client, ({ kind }) => kind === "restarts-requested");
    const [again] = session.restarts();
    expect(again).toMatchObject({
      formId: request.formId,
      condition: {
        type: "UNDEFINED-FUNCTION",
        text: expect.stringContaining("The argument (car 5) has no value"),
      },
      restarts: request.restarts,
    });
    await session.chooseRestart(again!.requestId, { kind: "abort" });
    expect(await finished).toMatchObject({ status: "condition", condition: request.condition });
  });

  it("a diagnosis offers recoveries that are done when chosen, the repair first", async () => {
    const questions: string[] = [];
    await using scene = await openScene((request: RecordedRequest) => {
      questions.push(request.text);
      return answer(
        JSON.stringify({
          explanation: "HELPER is not defined.",
          recoveries: [
            {
              title: "Define it",
              reason: "missing",
              repair: "(defun helper (x) (* 2 x))",
              action: { kind: "retry" },
            },
            { title: "Nonsense", reason: "no such restart", action: { kind: "restart", index: 77 } },
            { title: "Stop", reason: "", action: { kind: "abort" } },
            { title: "Zero", reason: "", repair: null, action: { kind: "values", source: "0" } },
            { title: "One too many", reason: "", action: { kind: "abort" } },
          ],
        }),
      );
    });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const { request, finished } = await stopped(session, "(helper 21)");
    const diagnosis = await session.diagnoseRestart(request.requestId);
    expect(diagnosis.recoveries.map(({ title }) => title)).toEqual(["Define it", "Stop", "Zero"]);
    expect(diagnosis.explanation).toContain("1 way out that the model proposed cannot be done");
    expect(diagnosis.explanation).toContain("1 way out beyond the first 3 left out");
    expect(questions[0]).toContain("(helper 21)");
    expect(questions[0]).toContain("UNDEFINED-FUNCTION");
    expect(session.restarts()).toHaveLength(1);
    expect(await session.chooseRestart(request.requestId, { kind: "recovery", index: 0 })).toBe(true);
    expect(await finished).toMatchObject({ status: "values", values: [{ text: "42" }] });
    // What was run stands in the conversation: what was chosen, and the repair as a form with its values.
    const shown = (await session.history({})).updates.map(({ update }) => update);
    expect(shown).toContainEqual(
      expect.objectContaining({
        type: "notice",
        text: expect.stringContaining(
          "“Define it”: evaluates the whole form again; the repair is evaluated first",
        ),
      }),
    );
    expect(shown).toContainEqual(
      expect.objectContaining({
        type: "form",
        source: expect.stringMatching(/Repair for form:1.*Define it\n\(defun helper \(x\) \(\* 2 x\)\)$/s),
      }),
    );
  });

  it("ends the form with its condition when nobody can be asked, and when whoever was asked leaves", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect(await evaluated(session, '(error "alone")')).toMatchObject({
      status: "condition",
      condition: { type: "SIMPLE-ERROR", text: "alone" },
    });
    const { client, finished } = await stopped(session, '(error "left")');
    client.detach();
    expect(await finished).toMatchObject({ status: "condition", condition: { text: "left" } });
    expect(session.restarts()).toEqual([]);
  });

  it("cancelling a diagnosis leaves the restarts; cancelling the form ends both", async () => {
    const asked = Promise.withResolvers<void>();
    await using scene = await openScene(() => {
      asked.resolve();
      return { kind: "answer", text: "late", fault: { kind: "stall", after: "request" } };
    });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const { request, finished } = await stopped(session, '(error "slow")');
    const diagnosis = session.diagnoseRestart(request.requestId);
    const refused = expect(diagnosis).rejects.toMatchObject({ code: "cancelled" });
    await asked.promise;
    expect(session.cancelDiagnosis(request.requestId)).toBe(true);
    await refused;
    expect(session.restarts()).toHaveLength(1);
    expect(await session.cancel()).toBe(true);
    expect(await finished).toMatchObject({ status: "cancelled" });
    expect(session.restarts()).toEqual([]);
  });

  it("is served to clients of the local endpoint: requests in the state, a choice, a diagnosis; not to those that only look on", async () => {
    await using scene = await openScene([
      answer(JSON.stringify({ explanation: "It says so.", recoveries: [] })),
    ]);
    await using served = serveHost(scene.service);
    const client = await served.client("local");
    const { sessionId } = await client.value("open", { how: "new", cwd: scene.pit.workspace });
    await client.value("attach", { sessionId, answersRestarts: true });
    const input = {
      parts: [{ type: "text" as const, text: '(restart-case (error "stuck") (use-value (x) (* 2 x)))' }],
    };
    expect(await client.value("submit", { sessionId, input, as: "prompt" })).toEqual({
      kind: "form",
      formId: "form:1",
    });
    await client.event(({ kind }) => kind === "restarts-requested");
    const [request] = (await client.value("restarts", { sessionId })).requests;
    expect(request).toMatchObject({ formId: "form:1", condition: { text: "stuck" } });
    const { requestId } = request!;
    const late = await served.client("local");
    const { state } = await late.value("attach", { sessionId, readOnly: true });
    expect(state).toMatchObject({ restartRequests: [request], runningForms: 1 });
    const choice = { kind: "restart", index: restart(request!, "USE-VALUE"), argument: "21" } as const;
    await expect(late.value("restart", { sessionId, requestId, choice })).rejects.toThrow(
      /read-only|only watches/,
    );
    expect(
      await client.value("restart", { sessionId, requestId, choice: { kind: "diagnose" } }),
    ).toMatchObject({
      settled: false,
      diagnosis: { explanation: "It says so.", recoveries: [] },
    });
    expect(await client.value("restart", { sessionId, requestId, choice })).toEqual({ settled: true });
    await client.event(({ kind, data }) => kind === "update" && JSON.stringify(data).includes("form-result"));
    const { updates } = await scene.service.find(conversationIdSchema.parse(sessionId))!.history({});
    expect(updates.at(-1)?.update).toMatchObject({ type: "form-result", values: [{ text: "42" }] });
    for (const each of [client, late]) each.close();
  });
});
