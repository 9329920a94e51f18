/** Forms whose ends find no room in the record: they are over all the same, for everybody who looks. */
import { describe, expect, it, vi } from "vitest";
import { RecordLog } from "../../orchestrator/record/record-log.ts";
import { RecordError } from "../../orchestrator/record/failure.ts";
import { openScene, watch } from "../support/sessions/composed-sessions.ts";
import { evaluated, values } from "../support/sessions/form-scene.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

/** Refuses the ends of forms as a full disk does, until it is put back. */
function fullForEnds(): { [Symbol.dispose](): void } {
  // oxlint-disable-next-line typescript/unbound-method -- called with its own log below
  const append = RecordLog.prototype.append;
  const spy = vi.spyOn(RecordLog.prototype, "append").mockImplementation(function (this: RecordLog, record) {
    if (record.kind === "extension" && record.name === "form-result")
      return Promise.reject(new RecordError("no-space", "record", "There is no room: ENOSPC."));
    return append.call(this, record);
  });
  return { [Symbol.dispose]: () => spy.mockRestore() };
}

describe("a form whose end cannot be recorded", () => {
  it("is over for the terminals that are there and for new ones, and is recorded when there is room", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    {
      using _full = fullForEnds();
      expect(await evaluated(session, "(+ 1 2)")).toMatchObject({ status: "values" });
      const events = await eventsUntil(
        client,
        (event) => event.kind === "update" && event.update.type === "form-result",
      );
      expect(events).toContainEqual(
        expect.objectContaining({ update: expect.objectContaining({ formId: "form:1", status: "values" }) }),
      );
    }
    expect(session.state().runningForms).toBe(0);
    expect((await watch(session)).live).toMatchObject([{ type: "form-result", formId: "form:1" }]);

    expect(await values(session, "(+ 2 2)")).toEqual(["4"]);
    const later = await session.attach({ name: "test", answersPermissions: true, tail: "all" });
    expect(later.live).toEqual([]);
    expect(later.history.updates.filter(({ update }) => update.type === "form-result")).toHaveLength(2);
  });
});
