import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readDataForm, recordLimits } from "../../../lisp/data-forms/index.ts";
import { contextRuleForm, contextRuleOf, ruleHolds } from "../../../orchestrator/advice/context-rule.ts";
import type { RequestSnapshot } from "../../../orchestrator/advice/request-snapshot.ts";
import { RuleCollections, collectionRuleLimit } from "../../../orchestrator/advice/rule-collections.ts";
import { TurnTrace } from "../../../orchestrator/advice/turn-trace.ts";

const rule = (text: string) => contextRuleOf(readDataForm(Buffer.from(text), { limits: recordLimits }));
const session = { conversationId: "c", workspace: "/home/me/project", role: "primary", model: "m" };

function request(prepare: (trace: TurnTrace) => void = () => undefined): RequestSnapshot {
  const trace = new TurnTrace();
  trace.begin("hello");
  prepare(trace);
  return trace.next(session);
}

describe("context rules", () => {
  it("hold when every condition has one value that fits", () => {
    const lispEdits = rule(
      '(:id "lisp-edits" :when (:paths ("src/") :languages ("common-lisp") :events ("tool-success")) :instruction "Check the changed declarations before committing." :priority 30 :lifetime :while-relevant)',
    );
    expect(ruleHolds(lispEdits, request())).toBe(false);
    const edited = (path: string, isOk: boolean) =>
      request((trace) =>
        trace.called(
          { tool: "resource.edit", arguments: JSON.stringify({ uri: path }) },
          session.workspace,
          isOk,
        ),
      );
    expect(ruleHolds(lispEdits, edited("workspace:src/a.lisp", true))).toBe(true);
    expect(ruleHolds(lispEdits, edited("file:/home/me/project/src/a.lisp", true))).toBe(true);
    expect(ruleHolds(lispEdits, edited("workspace:src/a.lisp", false))).toBe(false);
    expect(ruleHolds(lispEdits, edited("workspace:src/a.py", true))).toBe(false);
    expect(ruleHolds(lispEdits, edited("workspace:test/a.lisp", true))).toBe(false);
  });

  it("match output without case, and workspaces by directory", () => {
    const said = request((trace) => trace.wrote("I will REIMPLEMENT it."));
    expect(
      ruleHolds(rule('(:id "x" :when (:output-contains ("reimplement")) :instruction "Do not.")'), said),
    ).toBe(true);
    expect(ruleHolds(rule('(:id "x" :when (:workspace "/home/me") :instruction "i")'), said)).toBe(true);
    expect(ruleHolds(rule('(:id "x" :workspace "/home/me/pro" :instruction "i")'), said)).toBe(false);
    expect(ruleHolds(rule('(:id "x" :when (:tools (:shell.run)) :instruction "i")'), said)).toBe(false);
    expect(ruleHolds(rule('(:id "x" :instruction "always")'), said)).toBe(true);
  });

  it("survive being written and read", () => {
    const text =
      '(:id "x" :when (:roles ("primary" "task") :namespaces (:shell) :workspace "/w/") :instruction "i" :priority -3 :lifetime :turn)';
    expect(contextRuleOf(contextRuleForm(rule(text)))).toEqual(rule(text));
  });

  it.each([
    ['(:id "" :instruction "i")', "ID"],
    ['(:id "x")', "INSTRUCTION"],
    ['(:id "x" :instruction "i" :when (:path ("a")))', "PATH"],
    ['(:id "x" :instruction "i" :when (:paths (3)))', ":paths"],
    ['(:id "x" :instruction "i" :when (:workspace "relative"))', "absolute"],
    ['(:id "x" :instruction "i" :lifetime :forever)', "LIFETIME"],
  ])("refuse %s", (text, problem) => {
    expect(() => rule(text)).toThrowError(
      expect.objectContaining({
        code: "invalid-context-rule",
        message: expect.stringMatching(new RegExp(problem, "i")),
      }),
    );
  });
});

describe("kept corrections", () => {
  const replacing = { replace: true };

  it("are not replaced unawares", async () => {
    const root = mkdtempSync(join(tmpdir(), "alrl-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const collections = new RuleCollections(root);
    const save = (instruction: string, replace: boolean) =>
      collections.save(rule(`(:id "style" :instruction "${instruction}")`), "global", "/w", { replace });
    expect(await save("First.", false)).toBe(false);
    await expect(save("Second.", false)).rejects.toMatchObject({ code: "correction-exists" });
    expect((await collections.rules("/w")).map(({ instruction }) => instruction)).toEqual(["First."]);
    expect(await save("Third.", true)).toBe(true);
    expect((await collections.rules("/w")).map(({ instruction }) => instruction)).toEqual(["Third."]);
  });

  it("are files; one of the workspace goes before the global one of its id, and changes count at once", async () => {
    const root = mkdtempSync(join(tmpdir(), "alrl-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const [mine, theirs] = [new RuleCollections(root), new RuleCollections(root)];
    await mine.save(rule('(:id "style" :instruction "Everywhere.")'), "global", "/w", replacing);
    await mine.save(rule('(:id "style" :instruction "Here.")'), "workspace", "/w", replacing);
    await mine.save(rule('(:id "other" :instruction "Other.")'), "global", "/w", replacing);
    const seen = async (workspace: string) =>
      (await theirs.rules(workspace)).map(({ instruction }) => instruction);
    expect(await seen("/w")).toEqual(["Here.", "Other."]);
    expect(await seen("/elsewhere")).toEqual(["Everywhere.", "Other."]);
    await mine.save(rule('(:id "other" :instruction "Changed.")'), "global", "/w", replacing);
    expect(await seen("/elsewhere")).toEqual(["Everywhere.", "Changed."]);
    expect(readFileSync(join(root, "context-rules.sexp"), "utf8")).toContain("(:CONTEXT-RULES");
    writeFileSync(join(root, "context-rules.sexp"), "(:context-rules");
    await expect(theirs.rules("/w")).rejects.toMatchObject({
      code: "context-rules-unreadable",
      message: expect.stringContaining(join(root, "context-rules.sexp")),
    });
  });

  it("beyond the bound of a file are told with their number, not left out", async () => {
    const root = mkdtempSync(join(tmpdir(), "alrl-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const rules = Array.from(
      { length: collectionRuleLimit + 1 },
      (_, index) => `(:id "r${index}" :instruction "i")`,
    );
    writeFileSync(
      join(root, "context-rules.sexp"),
      `(:context-rules :version 1 :rules (${rules.join(" ")}))`,
    );
    await expect(new RuleCollections(root).rules("/w")).rejects.toMatchObject({
      code: "context-rules-unreadable",
      message: expect.stringContaining(`it holds ${collectionRuleLimit + 1} rules`) as string,
    });
  });

  it("are not lost by hosts that save at the same time", async () => {
    const root = mkdtempSync(join(tmpdir(), "alrl-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const ids = Array.from({ length: 12 }, (_, index) => `rule-${index}`);
    await Promise.all(
      ids.map((id) =>
        new RuleCollections(root).save(rule(`(:id "${id}" :instruction "i")`), "global", "/w", replacing),
      ),
    );
    const kept = (await new RuleCollections(root).rules("/w")).map(({ id }) => id);
    expect(kept.toSorted()).toEqual(ids.toSorted());
  });
});
