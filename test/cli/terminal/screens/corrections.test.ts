/** A complaint in a whole terminal: proposed, amended, saved, and in the next request. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answer } from "../../../support/model-server/script.ts";
import { openHostScene } from "../../../support/terminal/host-terminal.ts";

/** Each test starts several programs from source. */
const patience = { timeout: 300_000 };

const proposal = { id: "result-first", instruction: "Give the result first.", trigger: "Let me explain" };

describe("a complaint in a terminal", patience, () => {
  it("is reviewed in a dialog and holds from the next request on", async () => {
    await using scene = await openHostScene({
      script: (request) =>
        request.text.includes("Complaint:")
          ? answer(JSON.stringify(proposal))
          : answer(`Let me explain, ${request.text.includes("first. Always") ? "corrected" : "at length"}.`),
    });
    await using terminal = await scene.terminal(["--permissions", "full"]);
    await terminal.shows("❯ Ask for");
    await terminal.type("why?");
    await terminal.keys("Enter");
    await terminal.shows("at length.");
    await terminal.type("/complain too long");
    await terminal.shows("❯ /complain too long");
    await terminal.keys("Enter");
    await terminal.shows("▸ 1 Instruction: Give the result first.");
    await terminal.keys("Enter");
    await terminal.shows("❯ Give the result first.");
    await terminal.type(" Always so.");
    await terminal.keys("Enter");
    await terminal.shows("▸ 1 Instruction: Give the result first. Always so.");
    await terminal.type("5");
    await terminal.shows("▸ 5 Save for all workspaces");
    await terminal.keys("Enter");
    await terminal.shows("Saved the correction result-first for all workspaces");
    await terminal.type("again");
    await terminal.keys("Enter");
    await terminal.shows("corrected.");
    const path = join(scene.pit.home, ".local/share/autolith/context-rules.sexp");
    expect(readFileSync(path, "utf8")).toContain("Give the result first. Always so.");
    await terminal.type('(wtf "again too long")');
    await terminal.shows('again too long")');
    await terminal.keys("Enter");
    await terminal.shows("saved already (global)");
    await terminal.keys("Escape");
    await terminal.shows("❯ Ask for");
    await terminal.keys("C-d");
    await terminal.ended();
  });
});
