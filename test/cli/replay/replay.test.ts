import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordText, shownCharacters } from "../../../cli/replay/record-text.ts";
import { locate } from "../../../cli/replay/replay-cursor.ts";
import { ReplaySession } from "../../../cli/replay/replay-session.ts";
import type { ConversationRecord, StoredRecord } from "../../../orchestrator/record/conversation-record.ts";
import { createConversation } from "../../../orchestrator/record/conversation.ts";
import { launch, makeSandpit } from "../../support/cli/launch.ts";

const noon = Date.parse("2026-08-28T12:00:00");
const minute = 60_000;

function stored(...records: readonly ConversationRecord[]): readonly StoredRecord[] {
  return records.map((record, index) => ({ seq: index + 1, at: noon + index * minute, record }));
}

const records = stored(
  { kind: "message", content: "first question" },
  { kind: "provider-item", item: { type: "assistant-message", text: "first answer" } },
  { kind: "message", content: "a job ended", automatic: true },
  { kind: "message", content: "second question" },
  { kind: "tool-result", callId: "c", tool: "shell.run", status: "ok", output: "red \u001b[31mtext\u0007" },
);

describe("places in a stored conversation", () => {
  it.each([
    ["turn", "1", 0],
    ["turn", "2", 3],
    ["sequence", "3", 2],
    ["date", "2026-08-28", 0],
    ["time", "2026-08-28T12:00:30", 1],
    ["time", "12:03", 3],
    ["time", new Date(noon + 2 * minute).toISOString(), 2],
  ] as const)("%s %s", (kind, value, index) => {
    expect(locate(records, kind, value)).toEqual({ kind: "at", index });
  });

  it.each([
    ["turn", "3"],
    ["turn", "0"],
    ["turn", "-1"],
    ["sequence", "6"],
    ["sequence", "two"],
    ["date", "2026-08-29"],
    ["date", "2026-13-01"],
    ["date", "28.8.2026"],
    ["time", "yesterday"],
  ] as const)("%s %s is refused, saying why", (kind, value) => {
    expect(locate(records, kind, value)).toMatchObject({
      kind: "none",
      reason: expect.stringMatching(/\S/) as string,
    });
  });
});

describe("the debugger of a replay", () => {
  it("steps, jumps, shows raw forms and ends", () => {
    const session = new ReplaySession(records, 0);
    expect(session.here()).toContain("#1");
    expect(session.execute("previous").text).toBe("This is the first record.");
    expect(session.execute("n").text).toContain("first answer");
    expect(session.execute("").text).toContain("#3");
    expect(session.execute("turn 2").text).toContain("second question");
    expect(session.execute("raw").text).toMatch(/^\(:message\s+:seq 4/i);
    expect(session.execute("turn 9").text).toContain("has 2");
    expect(session.execute("t 1").text).toContain("may be turn or time");
    expect(session.execute("turn").text).toBe("turn needs a value: turn 12.");
    expect(session.execute("jump").text).toContain("There is no");
    expect(session.execute("quit").isOver).toBe(true);
  });

  it("never lets control characters through, and bounds what it shows", () => {
    expect(recordText(records[4] as StoredRecord)).toContain("red text␇");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (content) => {
        expect(recordText({ seq: 1, at: noon, record: { kind: "message", content } })).not.toMatch(
          /[\p{Cc}--[\t\n]]/v,
        );
      }),
    );
    const long = recordText({
      seq: 1,
      at: noon,
      record: { kind: "message", content: "x".repeat(shownCharacters + 1) },
    });
    expect(long).toContain("raw shows all");
  });
});

describe("autolith replay", () => {
  it("prints what is asked for without touching the conversation, also while it is open", async () => {
    using pit = makeSandpit();
    const data = join(pit.home, ".local/share/autolith");
    mkdirSync(data, { recursive: true });
    const open = await createConversation(
      { directory: join(data, "conversations"), now: () => noon },
      { directory: pit.workspace, model: "m", reasoningEffort: "low" },
    );
    for (const { record } of records) await open.append(record);
    await open.flush();
    const files = () =>
      readdirSync(join(data, "conversations"), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), "utf8")]);
    const before = files();
    const shown = `${open.id.slice(0, 1)}-${open.id.slice(1)}`;
    const all = await launch(pit, ["replay", open.id]).ended;
    expect([all.status, all.stderr]).toEqual([0, ""]);
    expect(all.stdout.match(/^#\d/gm)).toHaveLength(records.length);
    const one = await launch(pit, ["replay", shown, "turn", "2"]).ended;
    expect([one.status, one.stdout]).toEqual([0, expect.stringContaining("second question")]);
    const none = await launch(pit, ["replay", shown, "turn", "7"]).ended;
    expect([none.status, none.stderr]).toEqual([64, expect.stringContaining("There is no turn 7")]);
    expect((await launch(pit, ["replay", "b-6uouHJ"]).ended).status).toBe(64);
    expect((await launch(pit, ["replay"]).ended).status).toBe(64);
    const bare = await launch(pit, ["replay", open.id, "turn"]).ended;
    expect([bare.status, bare.stderr]).toEqual([
      64,
      expect.stringContaining(`turn needs a value: autolith replay ${open.id} turn 12.`),
    ]);
    expect(files()).toEqual(before);
    await open.close();
  });
});
