/** What the manual names and this version has not says why, wherever it is asked for. */
import { describe, expect, it } from "vitest";
import { cast, lastOutput, tool } from "../support/model-server/cast.ts";
import { answer } from "../support/model-server/script.ts";
import { openScene, say } from "../support/sessions/composed-sessions.ts";
import { evaluated, shown } from "../support/sessions/form-scene.ts";

describe("operators that are not here", () => {
  it("say why, to forms, slash text, help, REPLs and the model", async () => {
    let told = "";
    await using scene = await openScene(
      cast({
        REFINE: [
          () => tool("self__refine", { action: "status" }),
          (request) => {
            told = lastOutput(request);
            return answer("done");
          },
        ],
      }),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await session.setSetting("session-title-generation-p", false);
    await say(session, "REFINE it");
    expect(told).toContain("self.refine is not here");
    expect(await evaluated(session, '(redact "Alice")')).toMatchObject({
      status: "condition",
      condition: {
        type: "HOST-ERROR",
        text: expect.stringMatching(/^redact is not here: .*model/) as string,
      },
    });
    expect(await shown(session, "(refine)")).toContain("refine is not here: there are no proposals");
    expect(await shown(session, '(self.refine :action "status")')).toContain("self.refine is not here");
    await expect(session.invoke("redact", { input: "Alice" })).rejects.toMatchObject({ code: "unsupported" });
    expect((await session.invoke("help", { input: "refine" })).text).toContain("is not here");
    const inRepl = session.invoke("lisp.eval", { form: '(autolith:redact "Alice")' });
    await expect(inRepl).rejects.toMatchObject({
      message: expect.stringContaining("redact is not here") as string,
    });
  });

  it("of an immutable session say so, and a pristine one says that nothing kept is loaded", async () => {
    await using kept = await openScene(() => answer("done"));
    const usual = await kept.service.create({ workingDirectory: kept.pit.workspace });
    const definition = '(self.redefine :definition "(defun twice (n) (* 2 n))")';
    expect(await shown(usual, definition)).toContain("Installed");
    await using scene = await openScene(() => answer("done"), { pit: kept.pit, pristine: true });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect(await shown(session, definition)).toContain("not in an immutable session");
    expect(await shown(session, "(self.status)")).toContain("none of the following is loaded");
  });

  it("are models that no provider lists: the choice says so", async () => {
    await using scene = await openScene(() => answer("done"));
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const { text } = await session.invoke("model", { input: "nope" });
    expect(text).toContain("No configured provider lists nope");
    const listed = session.models().find(({ id, current }) => !current && id.startsWith("openai-api/"));
    const known = await session.invoke("model", { input: listed?.id });
    expect(known.text).toContain(`model = ${listed?.id ?? "one that a provider lists"}`);
    expect(known.text).not.toContain("lists");
  });
});
