import { cpSync, existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseCassette } from "../../orchestrator/cassette/cassette-format.ts";
import { CassettePlayer } from "../../orchestrator/cassette/cassette-player.ts";
import { cassettePath, recordedExamples, recordExample } from "../../script/record-examples.ts";
import { launch, makeSandpit } from "../support/cli/launch.ts";

const examples = resolve(dirname(fileURLToPath(import.meta.url)), "../../examples");

describe.each(recordedExamples)("the example %s", (name) => {
  it("runs from its cassette in a fresh directory, twice, and changes nothing in the checkout", async () => {
    const tracked = readFileSync(join(examples, name, "src/duration.js"), "utf8");
    using pit = makeSandpit();
    for (const directory of ["one", "two"]) {
      const { status, stdout, stderr } = await launch(pit, ["example", name, directory]).ended;
      expect([status, stderr]).toEqual([0, expect.stringContaining(join(pit.workspace, directory))]);
      expect(
        stdout
          .trimEnd()
          .split("\n")
          .every((line) => line.startsWith("(:AUTOLITH-EVENT ")),
      ).toBe(true);
      const result = readFileSync(join(pit.workspace, directory, "result.sexp"), "utf8");
      expect(result).toContain(":STATUS :SUCCEEDED");
      expect(readFileSync(join(pit.workspace, directory, "src/duration.js"), "utf8")).not.toBe(tracked);
    }
    expect(readFileSync(join(examples, name, "src/duration.js"), "utf8")).toBe(tracked);
    expect(existsSync(join(examples, name, "result.sexp"))).toBe(false);
  });

  it("is recorded today as it was: the committed cassette answers every request of a new recording", async () => {
    const committed = parseCassette(readFileSync(cassettePath(name), "utf8"));
    const fresh = parseCassette(await recordExample(name));
    const player = new CassettePlayer(committed);
    for (const { key, request, response } of fresh) {
      const reply = player.answer({ key, request });
      const items = reply.outcome === "response" ? reply.response.items : reply.failure.message;
      expect(items).toEqual(response.items);
    }
    expect(player.unused).toEqual([]);
  });

  it("stops with the turn and the difference where the project is not the recorded one", async () => {
    using pit = makeSandpit();
    cpSync(join(examples, name), pit.workspace, { recursive: true });
    // Another text of the module makes its revision another one, so that the recorded edit is refused.
    pit.write("src/duration.js", "export const formatDuration = String;\n");
    const options = ["--input", "job.sexp", "--output", "result.sexp"];
    const replay = ["--replay", "cassette.jsonl"];
    const { status, stderr } = await launch(pit, ["run-job", ...options, ...replay]).ended;
    expect(status).toBe(1);
    expect(stderr).toMatch(/turn 3 of agent root.*result-status is now "failure", was recorded as "success"/);
  });
});
