import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createConversation } from "../../orchestrator/record/conversation.ts";
import { commands } from "../../orchestrator/sessions/commands/command-table.ts";
import { launch, makeSandpit } from "../support/cli/launch.ts";
import { examplesOf, pageText, tableColumn } from "./documented-examples.ts";

const page = "sessions.md";

describe("docs/sessions.md", () => {
  it("has every command with its behaviour and summary, and no others", () => {
    expect(tableColumn(page, "command")).toEqual(commands.map(({ name }) => `\`/${name}\``));
    for (const { name, busy, summary } of commands)
      expect(pageText(page)).toContain(`| \`/${name}\` | ${busy} | ${summary} |`);
  });

  it("its replays run as written", async () => {
    using pit = makeSandpit();
    const data = join(pit.home, ".local/share/autolith");
    mkdirSync(data, { recursive: true });
    const conversation = await createConversation(
      { directory: join(data, "conversations"), now: () => Date.parse("2026-08-28T12:00:00") },
      { directory: pit.workspace, model: "m", reasoningEffort: "low" },
    );
    for (const content of ["one", "two", "three"]) await conversation.append({ kind: "message", content });
    await conversation.close();
    const lines = examplesOf(page, "sh", "replay").flatMap(({ text }) => text.split("\n"));
    expect(lines.length).toBe(5);
    const shown = `${conversation.id.slice(0, 1)}-${conversation.id.slice(1)}`;
    for (const line of lines) {
      const [, ...argv] = line.replace("b-6uouHJ", shown).split(" ");
      expect(await launch(pit, argv).ended).toMatchObject({ status: 0, stderr: "" });
    }
  });
});
