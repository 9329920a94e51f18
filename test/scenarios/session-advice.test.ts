import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { answer, calls } from "../support/model-server/script.ts";
import { openScene, say } from "../support/sessions/composed-sessions.ts";

/** The user messages of a request, in order, as the model reads them. */
function userTexts(body: unknown): readonly string[] {
  const { input } = body as { input: { role?: string; content?: unknown }[] };
  return input.flatMap(({ role, content }) => {
    if (role !== "user") return [];
    return typeof content === "string" ? [content] : [JSON.stringify(content)];
  });
}

function install(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

const skill = `---\nname: release\ndescription: How releases are made here.\n---\nTag first, then build.\n`;

describe("advice in requests", () => {
  it("skills: the catalogue in every request, instructions from skill.load to the end of the turn, nothing of them in the record", async () => {
    await using scene = await openScene((request) =>
      request.number === 1
        ? calls([{ name: "skill__load", arguments: { name: "release" } }])
        : answer("done"),
    );
    install(scene.pit.workspace, { ".autolith/skills/release/SKILL.md": skill });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect((await session.invoke("skills", {})).text).toContain(
      "release (project): How releases are made here.",
    );
    await say(session, "release it");
    await say(session, "and now something else");
    const [first, second, third] = scene.server.requests.map(({ body }) => userTexts(body).join("\n"));
    expect(first).toContain("- release: How releases are made here.");
    expect(first).not.toContain("Tag first");
    expect(second).toContain("Tag first, then build.");
    expect(third).not.toContain("Tag first, then build.");
    expect(third).toContain("- release: How");
    const history = JSON.stringify(await session.history({}));
    expect(history).toContain("is in force until this turn ends");
    expect(history).not.toContain("Tag first");
    expect((await session.invoke("context", {})).text).toContain("skills:");
  });

  it("the catalogue keeps its place in history, so that what stands before it stays as it was", async () => {
    await using scene = await openScene((request) => answer(`answer ${request.number}`));
    install(scene.pit.workspace, { ".autolith/skills/release/SKILL.md": skill });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await say(session, "one");
    await say(session, "two");
    const inputs = scene.server.requests.map(({ body }) => (body as { input: unknown[] }).input);
    const [first = [], second = []] = inputs;
    expect(second.slice(0, first.length)).toEqual(first);
    expect(second.length).toBe(first.length + 2);
  });

  it("an unknown skill and a wrong file are told, and cost nothing else", async () => {
    await using scene = await openScene((request) =>
      request.number === 1 ? calls([{ name: "skill__load", arguments: { name: "nope" } }]) : answer("done"),
    );
    install(scene.pit.workspace, {
      ".autolith/skills/release/SKILL.md": skill,
      ".autolith/skills/bad/SKILL.md": "no matter",
    });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await say(session, "go");
    expect(scene.server.requests[1]?.text).toContain("There is no skill");
    expect((await session.invoke("skills", {})).text).toContain("bad/SKILL.md is no skill");
  });

  it("corrections of the data root are notes of the requests in which they hold", async () => {
    await using scene = await openScene((request) =>
      request.number === 1
        ? calls([{ name: "resource__read", arguments: { uri: "workspace:a.lisp" } }])
        : answer("done"),
    );
    install(join(scene.pit.home, ".local/share/autolith"), {
      "context-rules.sexp":
        '(:context-rules :version 1 :rules ((:id "lisp" :when (:languages ("common-lisp")) :instruction "Mind the parens.")))',
    });
    install(scene.pit.workspace, { "a.lisp": "(car nil)" });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await say(session, "read a.lisp");
    const [first, second] = scene.server.requests.map(({ body }) => userTexts(body).join("\n"));
    expect(first).not.toContain("Mind the parens.");
    expect(second).toContain("- lisp: Mind the parens.");
    expect((await session.invoke("context", {})).text).toContain(
      "note lisp (corrections, while-relevant, priority 0)",
    );
  });

  it("a broken file of corrections is told with its name, and the turn goes on", async () => {
    await using scene = await openScene(() => answer("done"));
    install(join(scene.pit.home, ".local/share/autolith"), { "context-rules.sexp": "(:context-rules" });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await session.attach({ name: "test", answersPermissions: true, tail: 0 });
    expect((await say(session, "hello")).outcome).toBe("end-turn");
    const { events } = await client.read();
    expect(JSON.stringify(events)).toContain("context-rules.sexp cannot be read");
  });
});
