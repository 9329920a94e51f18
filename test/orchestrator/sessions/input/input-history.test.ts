import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { conversationIdSchema } from "../../../../orchestrator/contract/identifiers.ts";
import { InputHistory, recalledCharacters } from "../../../../orchestrator/sessions/input/input-history.ts";

const directory = mkdtempSync(join(tmpdir(), "inputs-"));
afterAll(() => rmSync(directory, { recursive: true }));

const history = (id: string): InputHistory =>
  new InputHistory({ directory, id: conversationIdSchema.parse(id), records: () => [] });

describe("the history of inputs", () => {
  it("gives pages from the newest on, as many as fit, and says when there are older ones", async () => {
    const inputs = history("pBPAAAA");
    for (let index = 1; index <= 5; index += 1)
      await inputs.add({ kind: "message", text: `input ${index}`, at: index });
    expect(await inputs.page(2, undefined)).toMatchObject({
      inputs: [{ seq: 4 }, { seq: 5, text: "input 5" }],
      hasOlder: true,
    });
    expect(await inputs.page(10, 3)).toMatchObject({ inputs: [{ seq: 1 }, { seq: 2 }], hasOlder: false });
    await inputs.add({ kind: "message", text: "x".repeat(recalledCharacters + 1), at: 6 });
    const { inputs: page, hasOlder } = await inputs.page(10, undefined);
    expect([page.length, hasOlder, page[0]?.text.length]).toEqual([1, true, recalledCharacters]);
    expect(page[0]?.text).toContain("shortened");
    await inputs.close();
  });

  it("survives a cut last line", async () => {
    const first = history("pBPBBBB");
    await first.add({ kind: "command", text: "/info", at: 1 });
    await first.close();
    appendFileSync(join(directory, "pBPBBBB.inputs.sexp"), "(:input :seq 2 :at 2 :kind :mess");
    const again = history("pBPBBBB");
    await again.add({ kind: "message", text: "two\nlines", at: 3 });
    expect((await again.page(10, undefined)).inputs).toMatchObject([
      { kind: "command", text: "/info" },
      { kind: "message", text: "two\nlines" },
    ]);
    await again.close();
  });
});
