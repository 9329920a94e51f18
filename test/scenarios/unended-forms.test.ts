/** Lisp that does not end when it is cancelled: within a bound its image is ended, and the session goes on with another one. */
import { describe, expect, it } from "vitest";
import type { Attachment, SessionEvent } from "../../orchestrator/contract/session.ts";
import { answer } from "../support/model-server/script.ts";
import { openScene, say, text, watch } from "../support/sessions/composed-sessions.ts";
import { values } from "../support/sessions/form-scene.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

const unending = '(unwind-protect (progn (format t "going") (loop)) (loop))';
const lost = {
  status: "lost",
  reason:
    "the cleanup of what was cancelled did not end within 5000 ms; the image was ended, and its definitions are gone except journalled ones",
};

/** Resolves when a form has written. */
async function written(client: Attachment): Promise<void> {
  await eventsUntil(client, (event) => event.kind === "update" && event.update.type === "form-output");
}

function isLostForm(event: SessionEvent): boolean {
  return event.kind === "update" && event.update.type === "form-result" && event.update.status === "lost";
}

describe("a form whose cleanup does not end", () => {
  it("is lost with its image, and the next form starts another one", { timeout: 60_000 }, async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await values(session, "(defun here () 1)");
    const stuck = await session.prompt(text(unending));
    if (stuck.kind !== "form") throw new Error("a form was expected");
    await written(client);
    expect(await session.cancel()).toBe(true);
    expect(await session.cancel()).toBe(true);
    const behind = values(session, "(list (fboundp 'here) (+ 1 2))");
    expect(await stuck.finished).toMatchObject(lost);
    expect(await behind).toEqual(["(NIL 3)"]);
  });

  it("is lost likewise as a job that is cancelled", { timeout: 60_000 }, async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await session.prompt(text(`? ${unending}`));
    await written(client);
    const ended = eventsUntil(client, isLostForm);
    await values(session, "(job.cancel :id 1)").catch(() => undefined);
    const event = (await ended).find(isLostForm);
    expect(event).toMatchObject({ update: lost });
    expect(await values(session, "(+ 1 2)")).toEqual(["3"]);
  });

  it(
    "does not keep its session from being closed; a pause says that it runs on",
    { timeout: 60_000 },
    async () => {
      await using scene = await openScene([]);
      const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
      const client = await watch(session);
      const stuck = await session.prompt(text(unending));
      if (stuck.kind !== "form") throw new Error("a form was expected");
      await written(client);
      expect(await session.pause()).toBe(true);
      expect(session.state().runningForms).toBe(1);
      await scene.service.closeSession(session.id);
      expect(await stuck.finished).toMatchObject(lost);
    },
  );
});

describe("a contributor that does not end", () => {
  it(
    "is stopped with its request, and is asked no more when it is removed",
    { timeout: 60_000 },
    async () => {
      await using scene = await openScene(() => answer("hello"));
      const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
      await values(
        session,
        "(progn (defvar *stopped* 0) (defvar *asked* 0) (define-context-contributor loopy (request) (incf *asked*) (unwind-protect (loop) (incf *stopped*))))",
      );
      await say(session, "hello");
      expect(
        await values(
          session,
          "(progn (loop until (plusp *stopped*) do (sleep 0.01)) (list *asked* *stopped*))",
        ),
      ).toEqual(["(1 1)"]);
      expect(
        await values(session, "(list (unregister-contributor 'loopy) (unregister-contributor 'loopy))"),
      ).toEqual(["(T NIL)"]);
      await say(session, "hello again");
      expect(await values(session, "(values *asked*)")).toEqual(["1"]);
    },
  );
});
