/** Entries of the vault of kind `:native-lisp`: forms of scheduled wakeups, about which nobody is asked. */
import { describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { answer } from "../support/model-server/script.ts";
import { openScene } from "../support/sessions/composed-sessions.ts";
import { values } from "../support/sessions/form-scene.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

const failing = '(restart-case (error "nobody is asked") (go-on () :went-on))';

/** Puts the vault's entries into the queue and reads until a form ends, or waits for a restart. */
async function restored(session: Session, client: Parameters<typeof eventsUntil>[0]): Promise<string> {
  await session.vaultRestore();
  const events = await eventsUntil(
    client,
    (event) =>
      event.kind === "restarts-requested" || (event.kind === "update" && event.update.type === "form-result"),
  );
  const last = events.find(
    (event) =>
      event.kind === "restarts-requested" || (event.kind === "update" && event.update.type === "form-result"),
  );
  if (last?.kind === "restarts-requested") return "asks";
  return last?.kind === "update" && last.update.type === "form-result" ? last.update.status : "nothing";
}

describe("entries of kind :native-lisp", () => {
  it("are read and written like the others, survive a restart, and end with a condition that nobody is asked about", async () => {
    await using scene = await openScene(() => answer("hello"));
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const entry = `(:native-lisp ${JSON.stringify(failing)})`;
    expect(await values(session, `(setf (vault-contents) '(${entry}))`)).toHaveLength(1);
    expect(await values(session, "(first (vault-contents 0))")).toEqual([":NATIVE-LISP"]);
    await session.invoke("vault-contents", { input: `0 ${entry}` });
    const service = await scene.reopen();
    const again = await service.load(session.id, {});
    expect(again.vaultContents()).toEqual([{ type: "native-lisp", source: failing }]);
    const client = await again.attach({
      name: "test",
      answersPermissions: true,
      answersRestarts: true,
      tail: 0,
    });
    expect(await restored(again, client)).toBe("condition");
    // A form of a person waits for a choice in the same place.
    await again.setVaultContents([{ type: "lisp", source: failing }]);
    expect(await restored(again, client)).toBe("asks");
    await again.chooseRestart(again.restarts()[0]?.requestId ?? "", { kind: "abort" });
  });
});
