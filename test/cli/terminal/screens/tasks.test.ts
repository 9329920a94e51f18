/** Forty children of one session in a whole terminal: their live rows, and the inventory page by page. */
import { describe, expect, it } from "vitest";
import { cast, submit, tool } from "../../../support/model-server/cast.ts";
import { answer } from "../../../support/model-server/script.ts";
import { eventually } from "../../../support/eventually.ts";
import { openHostScene } from "../../../support/terminal/host-terminal.ts";

const patience = { timeout: 300_000 };

const children = 40;
/** The last of them work until they may end; as many as may work at once. */
const working = 8;
const words = Array.from({ length: children }, (_, index) => `CHILD${String(index + 1).padStart(2, "0")}`);

const hold = { command: "while [ ! -e go ]; do sleep 0.1; done", "timeout-seconds": 300 };

/** Starts them in batches of at most sixteen. */
const batches = [0, 16, 32].map(
  (first) => () =>
    tool("task__run", {
      context: "Part of a test.",
      "completion-policy": "notify",
      tasks: words
        .slice(first, first + 16)
        .map((word) => ({ task: `Be ${word}.`, name: word.toLowerCase() })),
    }),
);

describe("forty children in a terminal", patience, () => {
  it("are rows while they work, and pages of the inventory, live ones first", async () => {
    await using scene = await openHostScene({
      script: cast({
        PRIMARY: [...batches, () => answer("All are started.")],
        ...Object.fromEntries(
          words.map((word, index) => [
            word,
            index < children - working
              ? [() => submit("done")]
              : [
                  () => tool("shell__run", { ...hold, async: true }),
                  () => answer("waiting"),
                  () => submit("done"),
                ],
          ]),
        ),
      }),
      environment: { AUTOLITH_EXECUTION_MAX_CONCURRENCY: String(working) },
    });
    await using terminal = await scene.terminal(["--permissions", "full"], { columns: 120, rows: 40 });
    const enter = async (text: string): Promise<void> => {
      await terminal.type(text);
      await terminal.shows(`❯ ${text}`);
      await terminal.keys("Enter");
    };
    await terminal.shows("❯ Ask for");
    await enter("PRIMARY, begin.");
    await terminal.shows("All are started.");
    const handedOff = (): number =>
      scene.model.requests.filter(({ text }) => text.includes("HANDED-OFF-P")).length;
    await eventually(handedOff).toBe(working);
    // Rows share a bound with those of commands; what has no row is counted.
    await terminal.shows(/◐ child\d\d-\d+ \d+:\d\d/);
    await terminal.shows(`… ${2 * working - 4} more running or queued`);

    await enter("/tasks");
    await terminal.shows(`More: offset 32.`);
    const page = (await terminal.history()).join("\n").split("Tasks 1 to 32 of ")[1] ?? "";
    expect(page.startsWith(`${children + working}.`)).toBe(true);
    const states = [...page.matchAll(/^\s*\S+ {2}(running|queued|completed) {2}parent/gm)].map(
      ([, state]) => state,
    );
    expect(states).toHaveLength(32);
    expect(states.slice(0, 2 * working).filter((state) => state === "completed")).toEqual([]);
    expect(states.slice(2 * working).filter((state) => state !== "completed")).toEqual([]);

    await enter("(tasks :list :offset 32 :limit 64)");
    await terminal.shows("child01-1  completed");
    expect((await terminal.history()).join("\n")).toContain(
      `Tasks 33 to ${children + working} of ${children + working}.`,
    );
    await enter("/tasks list :limit 65");
    await terminal.shows("limit is a whole number from 1 to 64, not 65");

    // What was refused is back in the composer.
    await terminal.keys("C-u", "C-d");
    await terminal.ended();
  });
});
