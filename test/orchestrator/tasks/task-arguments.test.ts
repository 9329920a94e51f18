import { describe, expect, it } from "vitest";
import { taskItems, taskRunArguments } from "../../../orchestrator/tasks/task-arguments.ts";

const items = (args: unknown) => taskItems(taskRunArguments.parse(args));
const message = (args: unknown): string => {
  try {
    items(args);
  } catch (error) {
    return String(error);
  }
  return "accepted";
};

describe("task.run arguments", () => {
  it("one task: detached by default, role task, policy continue", () => {
    expect(items({ task: "Look around." })).toEqual([
      {
        name: undefined,
        agent: "task",
        task: "Look around.",
        context: undefined,
        blocking: false,
        completionPolicy: "continue",
        isolation: undefined,
      },
    ]);
  });

  it("a batch inherits waiting and policy, and joins contexts with a blank line", () => {
    const batch = items({
      context: "Shared.",
      blocking: true,
      "completion-policy": "notify",
      tasks: [
        { task: "One", context: "Own." },
        { task: "Two", async: true, agent: "Scout" },
      ],
    });
    expect(
      batch.map(({ context, blocking, completionPolicy, agent }) => ({
        context,
        blocking,
        completionPolicy,
        agent,
      })),
    ).toEqual([
      { context: "Shared.\n\nOwn.", blocking: true, completionPolicy: "notify", agent: "task" },
      { context: "Shared.", blocking: false, completionPolicy: "notify", agent: "scout" },
    ]);
  });

  it.each([
    [{}, "Give `task`"],
    [{ tasks: [{ task: "x" }] }, "shared `context`"],
    [{ context: "c", name: "n", tasks: [{ task: "x" }] }, "`name` does not go with `tasks`"],
    [{ task: "x", blocking: true, async: false }, "`blocking` and `async`"],
    [
      {
        context: "c",
        tasks: [
          { task: "x", name: "A" },
          { task: "y", name: "a" },
        ],
      },
      "used twice",
    ],
    [{ task: '"\\"  \\""' }, "`task` is empty"],
  ])("refuses %j", (args, expected) => {
    expect(message(args)).toContain(expected);
  });

  it("unwraps text that was encoded once or twice too often", () => {
    expect(items({ task: JSON.stringify(JSON.stringify("Do it.\nNow.")) })[0]?.task).toBe("Do it.\nNow.");
    expect(items({ task: '"quoted" words' })[0]?.task).toBe('"quoted" words');
  });

  it("fills in isolation defaults", () => {
    expect(items({ task: "x", isolation: {} })[0]?.isolation).toEqual({
      baseline: "HEAD",
      dirtyPolicy: "reject",
      artifactKind: "patch",
    });
  });
});
