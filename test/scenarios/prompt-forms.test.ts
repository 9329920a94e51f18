import { describe, expect, it } from "vitest";
import { answer } from "../support/model-server/script.ts";
import { openScene, say } from "../support/sessions/composed-sessions.ts";
import { evaluated, shown } from "../support/sessions/form-scene.ts";

describe("forms at the prompt", () => {
  it("answers with values, in the record, and the model reads it before its next request", async () => {
    await using scene = await openScene((request) => answer(`answer ${request.number}`));
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect(await evaluated(session, "(+ 1 2)")).toMatchObject({
      status: "values",
      values: [{ text: "3", report: false, cut: false }],
    });
    expect(await shown(session, '(progn (format t "hi~%") (values 1 "x"))')).toBe('hi\n⇒ 1\n⇒ "x"');
    expect(scene.server.requests).toHaveLength(0);
    const { updates } = await session.history({});
    expect(updates.map(({ update }) => update.type)).toEqual(["form", "form-result", "form", "form-result"]);
    await say(session, "hello");
    const request = scene.server.requests[0]?.text ?? "";
    expect(request).toContain("(+ 1 2)");
    expect(request).toContain("⇒ 3");
    await say(session, "again");
    expect(scene.server.requests[1]?.text.split("⇒ 3")).toHaveLength(2);
  });

  it("tools and commands are functions", async () => {
    await using scene = await openScene([]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect(await shown(session, '(resource.read :uri "workspace:.")')).toContain("workspace:");
    expect(await shown(session, "(help)")).toContain("Topics:");
    expect(await shown(session, "(tasks)")).toContain("⇒");
  });
});
