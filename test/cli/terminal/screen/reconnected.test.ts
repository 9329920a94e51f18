import { expect, it } from "vitest";
import type { SessionUpdate } from "../../../../orchestrator/contract/session.ts";
import {
  type Action,
  type Command,
  type ScreenState,
  initialScreen,
} from "../../../../cli/terminal/screen/screen-state.ts";
import { update } from "../../../../cli/terminal/screen/screen-update.ts";
import { entryLines, plainLook } from "../../../../cli/terminal/transcript/entry-lines.ts";
import { lineText } from "../../../../cli/terminal/text/styled-line.ts";
import { attached, sessionState } from "./any-state.ts";

const usage = {
  inputTokens: 1_200,
  cachedInputTokens: 0,
  outputTokens: 30,
  reasoningTokens: 0,
  requests: 2,
} as const;

function played(actions: readonly Action[]): {
  readonly state: ScreenState;
  readonly printed: readonly string[];
} {
  const commands: Command[] = [];
  let state = initialScreen({ columns: 60, rows: 20 }, "client");
  for (const action of actions) {
    const done = update(state, action);
    state = done.state;
    commands.push(...done.commands);
  }
  const printed = commands
    .flatMap((command) => (command.type === "print" ? command.entries : []))
    .flatMap(({ entry }) => entryLines(entry, 60, plainLook))
    .map(lineText);
  return { state, printed };
}

const view = (updates: readonly SessionUpdate[], live: readonly SessionUpdate[] = []) => ({
  state: sessionState(),
  history: {
    updates: updates.map((each, index) => ({ recordSeq: index + 1, update: each })),
    firstSeq: 1,
    lastSeq: updates.length,
    hasOlder: false,
    hasNewer: false,
  },
  live: [...live],
  clients: [],
});

const lost: Action = { type: "link", link: "lost", reason: "it ended", at: 2_000 };
const streaming: SessionUpdate = { type: "message-chunk", messageId: "r:1:m1", text: "half an ans", at: 0 };

it("every terminal says that it is connected again, before what streams already", () => {
  const again = attached({ view: view([], [streaming]), at: 3_000 });
  const { state, printed } = played([attached(), lost, again]);
  expect(printed.at(-1)).toBe("∙ Connected again.");
  expect(state.transcript.live).toMatchObject([{ kind: "message", text: "half an ans", isFinal: false }]);
});

it("a history shows how its turns ended, and a terminal that attaches again shows no end twice", () => {
  const end = (turnId: string, outcome: "end-turn" | "cancelled" | "condition"): SessionUpdate => ({
    type: "turn-end",
    turnId,
    outcome,
    source: "prompt",
    durationMs: 3_200,
    usage,
    ...(outcome === "condition" ? { failure: { code: "authentication", message: "no such key" } } : {}),
    at: 0,
  });
  const history = [end("t:3", "end-turn"), end("t:7", "cancelled"), end("t:9", "condition")];
  const { printed } = played([attached({ view: view(history) }), lost, attached({ view: view(history) })]);
  const ends = printed.filter((line) => /^[─⊘✗] (?!The session host)/.test(line));
  expect(ends).toEqual([
    "─ 3.2 s · 2 requests · 1.2k in · 30 out",
    "⊘ stopped · 3.2 s · 2 requests · 1.2k in · 30 out",
    "✗ no such key",
  ]);
});
