import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { conversationIdSchema } from "../../orchestrator/contract/identifiers.ts";
import type { SessionUpdate } from "../../orchestrator/contract/session.ts";
import { loadConversation } from "../../orchestrator/record/conversation.ts";
import { resolveRoots } from "../../orchestrator/record/roots.ts";
import { replayedUpdates } from "../../orchestrator/sessions/view/history-pages.ts";
import { type Sandpit, makeSandpit } from "../support/cli/launch.ts";
import { type RecordedRequest, answer, calls } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { startHostProcess } from "../support/sessions/session-host-process.ts";

type Item = { readonly type: string; readonly call_id?: string; readonly role?: string };

const itemsOf = ({ body }: RecordedRequest): readonly Item[] => (body as { input: readonly Item[] }).input;

/** What the record shows, as a host that opens it would replay it. */
async function shownOf(pit: Sandpit, id: string): Promise<readonly SessionUpdate[]> {
  const directory = join(resolveRoots(pit.environment).data, "conversations");
  const { records } = await loadConversation({ directory }, conversationIdSchema.parse(id));
  return replayedUpdates(records, pit.workspace).map(({ update }) => update);
}

function isTyped(item: Item | undefined): boolean {
  return item?.type === "message" && item.role === "user" && !JSON.stringify(item).includes(":EXECUTION-ID");
}

/** Calls of a request that have not exactly one result. */
function unpaired(request: RecordedRequest): readonly string[] {
  const items = itemsOf(request);
  const callIds = items.flatMap((item) => (item.type === "function_call" ? [item.call_id ?? ""] : []));
  return callIds.filter(
    (id) => items.filter((item) => item.type === "function_call_output" && item.call_id === id).length !== 1,
  );
}

describe("a session host killed in the middle of its work", () => {
  // After so many lines of its output: between admission, request, call, job, result, boundary and the next turn.
  it.each([4, 14, 19, 30])(
    "after %i events: resumed, nothing is lost and nothing is delivered twice",
    async (events) => {
      using pit = makeSandpit();
      await using server = await startModelServer((request) => {
        if (request.text.includes("below a title")) return answer("A title");
        // Work for what a person typed alone: a model that starts a job for each completion it is told of never ends.
        return isTyped(itemsOf(request).at(-1))
          ? calls([
              { name: "shell__run", arguments: { command: `echo ran >> ran-${request.number}` } },
              { name: "shell__run", arguments: { command: "true", async: true } },
            ])
          : answer(`answer ${request.number}`);
      });
      const environment = { AUTOLITH_OPENAI_BASE_URL: server.baseUrl };
      const first = await startHostProcess(pit, environment);
      const inputs = ["first input", "second input", "third input"];
      first.send(`prompt ${inputs[0]}`);
      for (const input of inputs.slice(1)) first.send(`queue ${input}`);
      await Promise.all([
        first.seen(({ kind, verb }) => kind === "accepted" && verb === "prompt"),
        first.seen(() => first.lines.filter(({ kind }) => kind === "accepted").length === inputs.length),
        first.seen(() => first.lines.length >= events),
      ]);
      await first.kill();
      const second = await startHostProcess(pit, environment, first.opened.id);
      second.send("prompt final input");
      await second.seen(
        () =>
          second.lines.some((line) => line.kind === "turn" && line["state"] === "idle") &&
          second.lines.findLast(({ kind }) => kind === "turn")?.["state"] === "idle" &&
          lastPending(second.lines) === 0,
      );
      await second.close();
      const shown = await shownOf(pit, first.opened.id);
      const typed = shown.flatMap((update) =>
        update.type === "user-message" && update.origin !== "automatic" ? [update.text] : [],
      );
      expect(typed.toSorted()).toEqual([...inputs, "final input"].toSorted());
      const completions = shown.flatMap((update) =>
        update.type === "user-message" && update.origin === "automatic"
          ? [/:EXECUTION-ID "([^"]+)"/.exec(update.text)?.[1] ?? update.text]
          : [],
      );
      expect(new Set(completions).size).toBe(completions.length);
      for (const request of server.requests) expect(unpaired(request)).toEqual([]);
    },
    // Two session hosts are started from source; on a busy machine that alone takes a minute.
    300_000,
  );
});

/** How many inputs wait after these lines; those of the state at the beginning count until the first news. */
function lastPending(lines: readonly Readonly<Record<string, unknown>>[]): number {
  const news = lines.findLast((line) => line["kind"] === "pending-input");
  const opened = lines.find((line) => line["kind"] === "open")?.["state"] as {
    pendingInputs: readonly unknown[];
  };
  return ((news?.["inputs"] as readonly unknown[] | undefined) ?? opened.pendingInputs).length;
}
