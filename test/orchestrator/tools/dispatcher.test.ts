import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ResourceError } from "../../../orchestrator/resources/resource-scheme.ts";
import { toolArgumentDepth } from "../../../orchestrator/model-exchange/tool-arguments.ts";
import { declareTool } from "../../../orchestrator/contract/tool.ts";
import { type SettledCall, dispatchCalls } from "../../../orchestrator/tools/dispatcher.ts";
import { ToolRegistry } from "../../../orchestrator/tools/registry.ts";
import { toolContext } from "../../workers/workspace/tool-context.ts";

const executed: unknown[] = [];
const registry = new ToolRegistry([
  declareTool({
    name: "thing.edit",
    description: "Edits a thing.",
    arguments: z.strictObject({ name: z.string(), data: z.json().optional() }),
    effects: "none",
    concurrency: ({ name }) => {
      if (name === "nameless") throw new ResourceError("unknown-scheme", "names no thing");
      return name;
    },
    audience: "all",
    execute: (args) => {
      executed.push(args);
      return Promise.resolve({ status: "ok", content: "done" });
    },
  }),
]);

async function dispatched(argumentTexts: readonly string[]): Promise<readonly SettledCall[]> {
  executed.length = 0;
  return await dispatchCalls(
    argumentTexts.map((text, index) => ({
      type: "tool-call",
      callId: `c${index}`,
      tool: "thing.edit",
      arguments: text,
    })),
    toolContext(),
    {
      registry,
      journal: { append: () => Promise.resolve() },
      overflow: { put: () => Promise.resolve("context:0") },
      observer: { started: () => undefined, finished: () => undefined },
      withoutSecrets: (text) => text,
      now: () => 0,
    },
  );
}

describe("dispatching the calls of a turn", () => {
  it("says where the arguments are no JSON, and what was expected there", async () => {
    const settled = await dispatched(["{name: 1}", '{"name": "a"']);
    expect(settled[0]?.result.output).toContain(
      "not valid JSON (at character 1 a name in double quotes or } was expected, not name: 1})",
    );
    expect(settled[1]?.result.output).toContain("it ends at character 12, where a comma or } was expected");
  });

  it("tells whoever gives an unknown argument which there are", async () => {
    const settled = await dispatched(['{"name":"a","nam":"b"}', '{"name":1}']);
    expect(settled[0]?.result.output).toMatch(
      / has no argument "nam"\. It takes "name", "data"\.\nExample of its arguments: \{/,
    );
    expect(settled[1]?.result.output).toMatch(/ takes a string for "name", not 1\.\nExample/);
  });

  it("answers a call whose resource cannot be named, and runs the others", async () => {
    const settled = await dispatched(['{"name":"nameless"}', '{"name":"a"}']);
    expect(settled.map(({ result, code }) => [result.callId, result.status, code])).toEqual([
      ["c0", "error", "unknown-scheme"],
      ["c1", "ok", undefined],
    ]);
    expect(settled[0]?.result.output).toBe("names no thing");
    expect(executed).toEqual([{ name: "a" }]);
  });

  it("refuses arguments that nest deeper than records can hold, with the bound", async () => {
    const nested = (depth: number): string =>
      `{"name":"a","data":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    const settled = await dispatched([
      nested(toolArgumentDepth),
      nested(toolArgumentDepth + 1),
      nested(100_000),
    ]);
    expect(settled.map(({ code }) => code)).toEqual([undefined, "invalid-arguments", "invalid-arguments"]);
    expect(settled[1]?.result.output).toContain(`deeper than ${toolArgumentDepth}`);
    expect(executed).toHaveLength(1);
  });
});
