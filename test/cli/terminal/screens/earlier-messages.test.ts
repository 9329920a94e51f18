import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createConversation } from "../../../../orchestrator/record/conversation.ts";
import { openHostScene } from "../../../support/terminal/host-terminal.ts";

it(
  "earlier messages than those that were printed are looked at by Page Up, to the first one",
  { timeout: 240_000 },
  async () => {
    await using scene = await openHostScene();
    const directory = join(scene.pit.home, ".local/share/autolith/conversations");
    mkdirSync(directory, { recursive: true });
    const conversation = await createConversation(
      { directory, now: Date.now },
      { directory: scene.pit.workspace, model: "openai-api/gpt-5.6", reasoningEffort: "low" },
    );
    for (let number = 1; number <= 450; number += 1)
      await conversation.append({ kind: "message", content: `message ${number}` });
    await conversation.close();
    await using terminal = await scene.terminal(["resume", conversation.id], { columns: 60, rows: 14 });
    await terminal.shows(/ {2}message 450\n[\s\S]*❯ Ask for/);
    const printed = (await terminal.history()).join("\n");
    expect(printed).toContain("earlier messages: Page Up, or autolith replay");
    const first = Number(/message (\d+)/.exec(printed)?.[1]);
    expect(first).toBeGreaterThan(240);
    await terminal.keys("PageUp");
    await terminal.showsExactly(
      [
        expect.stringMatching(/^── earlier messages · lines (\d+)–(\d+) of \2 and more/),
        ...[3, 2, 1].flatMap((before) => ["❯ you", `  message ${first - before}`, ""]).slice(0, -1),
        "───────────────────────────────────────────────────────────",
        expect.stringMatching(/^REPL · ask · .*\/ 272K used/),
      ].toSpliced(1, 0, `  message ${first - 4}`, ""),
    );
    await terminal.keys("Home");
    // The next page comes in front; then there is no other one.
    await terminal.shows(/of \d+ · Page/);
    await terminal.keys("Home");
    await terminal.shows(/earlier messages · lines 1–10 of \d+ · Page.*\n❯ you\n {2}message 1\n/);
    await terminal.type("next");
    await terminal.shows("❯ next\nREPL");
  },
);
