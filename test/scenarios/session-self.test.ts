import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { answer, calls } from "../support/model-server/script.ts";
import { eventsUntil, isTurnEnd } from "../support/sessions/read-events.ts";
import { type SessionScene, openScene, say, text } from "../support/sessions/composed-sessions.ts";

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];

/** Calls tools one after the other as the model would; their results. */
async function asModel(
  scene: SessionScene,
  session: Session,
  script: readonly Call[],
): Promise<readonly string[]> {
  pending = [...script];
  const before = scene.server.requests.length;
  await say(session, "work");
  const last = scene.server.requests.at(-1)?.body as { input: { type?: string; output?: unknown }[] };
  expect(scene.server.requests.length).toBe(before + script.length + 1);
  return last.input
    .flatMap(({ type, output }) => (type === "function_call_output" ? [String(output)] : []))
    .slice(-script.length);
}

let pending: Call[] = [];
const script = () => {
  const next = pending.shift();
  return next === undefined
    ? answer("done")
    : calls([{ name: next[0].replace(".", "__"), arguments: next[1] }]);
};

async function values(session: Session, source: string): Promise<readonly string[]> {
  const submitted = await session.prompt(text(source));
  if (submitted.kind !== "form") throw new Error("a form was expected");
  const { values: shown, condition } = await submitted.finished;
  return condition === undefined ? shown.map((value) => value.text) : [condition.text];
}

const twice = '(defun twice (n) "Doubles." (* 2 n))';

describe("self-modification", () => {
  it("keeps definitions, shows them, publishes them, and images that start later have them", async () => {
    await using scene = await openScene(script);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const [installed, changed, set, status, diff, exercised, evaluated] = await asModel(scene, session, [
      ["self.redefine", { definition: twice }],
      ["self.redefine", { definition: "(defun twice (n) (+ n n))" }],
      ["self.set", { symbol: "*answer*", value: "(twice 21)" }],
      ["self.status", {}],
      ["self.diff", {}],
      ["self.exercise", { form: "(twice 4)" }],
      ["self.eval", { form: "(list (twice 1) *answer*)" }],
    ]);
    expect(installed).toMatch(/^Installed mutation-[0-9a-f]{8}: defun AUTOLITH::TWICE \(new\)\.$/);
    expect(changed).toContain("defun AUTOLITH::TWICE (new)");
    expect(set).toContain("set AUTOLITH::*ANSWER* (new)");
    expect(status).toContain("No image commit is in force.");
    expect(diff).toContain(`-${twice}\n+(defun twice (n) (+ n n))`);
    expect(exercised).toBe("8");
    expect(evaluated).toBe("(2 42)");
    expect(await values(session, "(twice 3)")).toEqual(["6"]);
    const [committed, again, after] = await asModel(scene, session, [
      ["self.commit", { title: "Doubling" }],
      ["self.commit", { title: "Nothing" }],
      ["self.status", {}],
    ]);
    expect(committed).toContain("with 2 definition(s) is in force");
    expect(again).toContain("nothing that is not committed");
    expect(after).toContain(": Doubling (2 definitions).");
    const service = await scene.reopen();
    const next = await service.create({ workingDirectory: scene.pit.workspace });
    expect(await values(next, "(list (twice 5) *answer*)")).toEqual(["(10 42)"]);
  });

  it("what is not committed is there after a restart, too; --pristine has none of it and offers no change", async () => {
    await using scene = await openScene(script);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await asModel(scene, session, [["self.redefine", { definition: twice }]]);
    const next = await (await scene.reopen()).create({ workingDirectory: scene.pit.workspace });
    expect(await values(next, "(twice 5)")).toEqual(["10"]);
    await using pristine = await openScene(script, { pit: scene.pit, pristine: true });
    const clean = await pristine.service.create({ workingDirectory: scene.pit.workspace });
    expect((await values(clean, "(twice 5)")).join()).toMatch(/undefined|TWICE/i);
    const names = clean.operations().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["self.status", "self.diff"]));
    expect(
      names.filter((name) =>
        /^self\.(eval|redefine|define|set|persist-definition|discard|exercise|commit)$/.test(name),
      ),
    ).toEqual([]);
  });

  it("discard puts back what was there: functions, variables, methods, and what was not there at all", async () => {
    await using scene = await openScene(script);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await values(session, "(defun old (x) (list :old x))");
    await values(session, "(defvar *speed* 1)");
    await values(session, "(defgeneric size (x))");
    await values(session, "(defmethod size ((x integer)) :integer)");
    await asModel(scene, session, [
      ["self.redefine", { definition: "(defun old (x) (list :new x))" }],
      ["self.set", { symbol: "*speed*", value: "2" }],
      ["self.redefine", { definition: "(defmethod size ((x integer)) :changed)" }],
      ["self.redefine", { definition: "(defmethod size ((x string)) :string)" }],
      ["self.redefine", { definition: "(defun fresh () 1)" }],
    ]);
    expect(await values(session, '(list (old 1) *speed* (size 1) (size "x") (fresh))')).toEqual([
      "((:NEW 1) 2 :CHANGED :STRING 1)",
    ]);
    const results = await asModel(
      scene,
      session,
      Array.from({ length: 5 }, (): Call => ["self.discard", {}]),
    );
    for (const result of results) expect(result).toContain("what was there before is there again");
    expect(await values(session, "(list (old 1) *speed* (size 1) (fboundp 'fresh))")).toEqual([
      "((:OLD 1) 1 :INTEGER NIL)",
    ]);
    expect((await values(session, '(size "x")')).join()).toContain("SIZE");
    const [nothing] = await asModel(scene, session, [["self.discard", {}]]);
    expect(nothing).toContain("No mutation waits");
  });

  it("refuses what is no definition, what does not evaluate, and COMMON-LISP; nothing of it is kept", async () => {
    await using scene = await openScene(script);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const results = await asModel(scene, session, [
      ["self.redefine", { definition: "(+ 1 2)" }],
      ["self.redefine", { definition: "(defun f (x) x) (defun g (x) x)" }],
      ["self.redefine", { definition: "(defun f (x" }],
      ["self.redefine", { definition: "(defparameter *broken* (car 1))" }],
      ["self.redefine", { definition: "(defun cl:car (x) x)" }],
      ["self.redefine", { definition: "(defun f (x) x)", package: "NOWHERE" }],
      ["self.status", {}],
    ]);
    expect(results[0]).toContain("is no defining operator");
    expect(results[1]).toContain("One form is expected");
    expect(results[2]).toMatch(/end of (file|stream)/i);
    expect(results[3]).toContain("TYPE-ERROR");
    expect(results[4]).toContain("locked");
    expect(results[5]).toContain("There is no package NOWHERE");
    expect(results[6]).toContain("Nothing waits for a commit.");
  });

  it("takes a restart that a condition offers, with its value", async () => {
    await using scene = await openScene(script);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const [chosen, offered] = await asModel(scene, session, [
      [
        "self.eval",
        { form: "(+ 1 (symbol-value '*nowhere*))", restart: "use-value", "restart-value": "(* 6 7)" },
      ],
      ["self.eval", { form: "(+ 1 (symbol-value '*nowhere*))" }],
    ]);
    expect(chosen).toBe("43");
    expect(offered).toContain("Restarts: ");
    expect(offered).toContain("use-value");
  });

  it("skips what no longer fits with one notice, leaves it out of the next commit, and hands it to the model", async () => {
    await using scene = await openScene(script);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await asModel(scene, session, [
      ["self.redefine", { definition: "(defun config (name) (list :mine name))" }],
      ["self.redefine", { definition: twice }],
      ["self.commit", { title: "Two" }],
    ]);
    // As if the program had changed under it since.
    const current = /:ID "([0-9a-f]+)"/.exec(
      readFileSync(join(scene.pit.home, ".local/state/autolith/current-image-commit.sexp"), "utf8"),
    )?.[1];
    const path = join(scene.pit.home, `.local/share/autolith/image-commits/${current}.sexp`);
    expect(existsSync(path)).toBe(true);
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace(/:SHADOWS "[0-9a-f]+"/, ':SHADOWS "000000000000000000000000"'),
    );
    const next = await (await scene.reopen()).create({ workingDirectory: scene.pit.workspace });
    const client = await next.attach({ name: "test", answersPermissions: true, tail: 0 });
    expect(JSON.stringify(client.live)).toContain(
      "the built-in definition that it replaced has changed: AUTOLITH:CONFIG",
    );
    expect(await values(next, "(list (twice 2) (config :hurry-up-p))")).toEqual(["(4 NIL)"]);
    const requests = scene.server.requests.length;
    expect((await next.invoke("fix-skipped-definitions", { input: '"Drop all of these."' })).text).toContain(
      "asked about 1",
    );
    await eventsUntil(client, isTurnEnd);
    expect(scene.server.requests[requests]?.text).toContain("Drop all of these.");
    expect(scene.server.requests[requests]?.text).toContain("(list :mine name)");
    const [committed] = await asModel(scene, next, [["self.commit", { title: "Without it" }]]);
    expect(committed).toContain("with 1 definition(s)");
  });

  it("is asked for in mode ask, and denied when nobody is there to ask", async () => {
    await using scene = await openScene(script, { permissions: "ask" });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const [denied, looked] = await asModel(scene, session, [
      ["self.eval", { form: '(delete-file "/tmp/x")' }],
      ["self.status", {}],
    ]);
    expect(denied).toMatch(/approval|denied|asked/i);
    expect(looked).toContain("Nothing waits");
    expect((await session.prompt(text('(self.eval :form "(+ 1 2)")'))).kind).toBe("form");
  });

  it("a broken file stops the start with its name", async () => {
    await using scene = await openScene(script);
    await (await scene.service.create({ workingDirectory: scene.pit.workspace })).setMode("full");
    const path = join(scene.pit.home, ".local/state/autolith/mutations.sexp");
    writeFileSync(path, "(:mutations :version 1");
    await expect(scene.service.create({ workingDirectory: scene.pit.workspace })).rejects.toMatchObject({
      code: "mutations-unreadable",
      message: expect.stringContaining(path) as string,
    });
  });
});
