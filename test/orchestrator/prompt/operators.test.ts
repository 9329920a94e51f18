import { describe, expect, it } from "vitest";
import { z } from "zod";
import { declareTool } from "../../../orchestrator/contract/tool.ts";
import { commandText, namedArguments } from "../../../orchestrator/prompt/operator-arguments.ts";
import { commandLambdaList, operatorDefinitions } from "../../../orchestrator/prompt/operators.ts";
import { promptArguments } from "../../../orchestrator/prompt/prompt-operator.ts";
import { vaultEntries } from "../../../orchestrator/prompt/vault-entries.ts";
import { commands } from "../../../orchestrator/sessions/commands/command-table.ts";
import { ToolRegistry } from "../../../orchestrator/tools/registry.ts";

const tool = declareTool({
  name: "some.tool",
  description: "Does something.",
  arguments: z.strictObject({
    uri: z.string(),
    filePath: z.string().optional(),
    names: z.array(z.string()).default([]),
    all: z.boolean().optional(),
  }),
  effects: "none",
  concurrency: "parallel",
  audience: "all",
  execute: () => Promise.resolve({ status: "ok", content: "" }),
});

describe("operators as Lisp functions", () => {
  it("have the parameters of the tool's schema; names with capitals keep them", () => {
    const [definition] = operatorDefinitions([], new ToolRegistry([tool]));
    expect(definition).toEqual({
      name: "SOME.TOOL",
      lambdaList: "&key uri |filePath| names all",
      documentation: "Does something.",
    });
  });

  it("have a lambda list for every command", () => {
    const lists = new Map(commands.map((command) => [command.name, commandLambdaList(command)]));
    expect(lists.get("new")).toBe("");
    expect(lists.get("resume")).toBe("&optional id");
    expect(lists.get("tasks")).toContain("&key offset limit");
    expect(lists.get("model")).toBe("&optional model &key provider");
  });

  it("take named arguments; the first of equal names counts, nil is an empty list where one is meant", () => {
    const named = (...args: Parameters<typeof namedArguments>[1]) =>
      namedArguments(tool, args, { keywords: args.flatMap((_, index) => (index % 2 === 0 ? [index] : [])) });
    expect(named("uri", "a", "uri", "b", "names", false, "all", false)).toEqual({
      uri: "a",
      names: [],
      all: false,
    });
    expect(namedArguments(tool, ["uri", "uri"], { keywords: [] })).toEqual({ uri: "uri" });
    expect(() => named("uri")).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    expect(() => namedArguments(tool, ["workspace:.", 1], { keywords: [] })).toThrow(/:name value/);
  });

  it("native arguments of commands become the text behind their names", () => {
    const command = (name: string) => commands.find((each) => each.name === name)!;
    expect(commandText(command("trace"), [true], { keywords: [] })).toBe("t");
    expect(commandText(command("trace"), [false], { keywords: [] })).toBe("nil");
    expect(commandText(command("permissions"), ["ask"], { keywords: [0] })).toBe(":ask");
    expect(
      commandText(command("tasks"), ["send", 'a "b"', "message", "c\nd", "limit", 4], {
        keywords: [0, 2, 4],
      }),
    ).toBe(':send "a \\"b\\"" :message "c\nd" :limit 4');
  });
});

describe("arguments of prompt", () => {
  it("options in pairs, the content last", () => {
    expect(promptArguments(["to", "child", "text"], { keywords: [0] })).toEqual({
      to: "child",
      images: [],
      text: "text",
    });
    expect(promptArguments(["images", ["a", "b"], "to", "x", "text"], { keywords: [0, 2] })).toEqual({
      to: "x",
      images: ["a", "b"],
      text: "text",
    });
    const reason = (args: Parameters<typeof promptArguments>[0], keywords: readonly number[]) => {
      try {
        promptArguments(args, { keywords });
        return undefined;
      } catch (error) {
        return (error as { details?: unknown }).details;
      }
    };
    expect(reason(["to", "x", "text"], [])).toEqual({ reason: "malformed-arguments" });
    expect(reason(["to", "x", "to", "y", "text"], [0, 2])).toEqual({ reason: "malformed-arguments" });
    expect(reason(["images", [1], "text"], [0])).toEqual({ reason: "invalid-images" });
    expect(reason(["images", Array.from({ length: 17 }, () => "a"), "text"], [0])).toEqual({
      reason: "invalid-images",
    });
    expect(reason(["to", "x".repeat(201), "text"], [0])).toEqual({ reason: "invalid-target" });
  });
});

describe("entries of the vault", () => {
  it("are a kind and a text", () => {
    expect(
      vaultEntries([
        ["message", "a"],
        ["command", "/b"],
        ["lisp", "(c)"],
      ]),
    ).toEqual([
      { type: "message", input: "a" },
      { type: "command", text: "/b" },
      { type: "lisp", source: "(c)" },
    ]);
    expect(vaultEntries(false)).toEqual([]);
    for (const wrong of [
      "a",
      [["message"]],
      [["message", ""]],
      [["other", "a"]],
      [["message", "a", "b"]],
      [5],
    ])
      expect(() => vaultEntries(wrong), JSON.stringify(wrong)).toThrow(
        expect.objectContaining({ code: "invalid-argument" }),
      );
  });
});
