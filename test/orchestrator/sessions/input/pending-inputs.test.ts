import { vaultEntryLimit } from "../../../../orchestrator/contract/session/input.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { conversationIdSchema } from "../../../../orchestrator/contract/identifiers.ts";
import { InputFile } from "../../../../orchestrator/sessions/input/input-file.ts";
import { PendingInputs } from "../../../../orchestrator/sessions/input/pending-inputs.ts";
import type { Waiting } from "../../../../orchestrator/sessions/input/waiting.ts";

const root = mkdtempSync(join(tmpdir(), "al-pi-"));
const letters = "abcdefghijkmnopqrstuvwxyz";
let conversations = 0;

function freshFile(): () => InputFile {
  conversations += 1;
  const name = [5, 4, 3, 2, 1, 0]
    .map((power) => letters[Math.floor(conversations / 25 ** power) % 25])
    .join("");
  const id = conversationIdSchema.parse(`${name}z`);
  return () => new InputFile(root, id);
}

const empty = { steering: [], queued: [], vault: [] };
const waiting = (inputId: string, text: string): Waiting => ({
  inputId,
  kind: "message",
  text,
  images: [],
  acceptedAt: 1,
});

type Step =
  | {
      readonly step: "admit";
      readonly delivery: "steering" | "queued";
      readonly text: string;
      readonly id: number;
    }
  | { readonly step: "deliver" | "store" | "restore" };

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    step: fc.constant("admit" as const),
    delivery: fc.constantFrom("steering" as const, "queued" as const),
    text: fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
      .map((each) => `x${each.replaceAll("\0", "")}`),
    id: fc.nat({ max: 6 }),
  }),
  fc.record({ step: fc.constantFrom("deliver" as const, "store" as const, "restore" as const) }),
);

describe("waiting input", () => {
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it("is after any steps on disk what it is in memory: nothing lost, nothing doubled", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 12 }), async (steps) => {
        const file = freshFile();
        const inputs = new PendingInputs(file(), empty, () => undefined);
        const delivered: string[] = [];
        const admitted: string[] = [];
        let restored = 0;
        for (const each of steps) {
          if (each.step === "admit") {
            const isKnown = [...inputs.steering, ...inputs.queued].some(
              ({ inputId }) => inputId === `i${each.id}`,
            );
            await inputs.admit(each.delivery, waiting(`i${each.id}`, each.text));
            if (!isKnown) admitted.push(each.text);
          } else if (each.step === "deliver") {
            const next = [...inputs.steering, ...inputs.queued].slice(0, 1);
            await inputs.delivered(next);
            delivered.push(...next.map(({ text }) => text));
          } else if (each.step === "store") await inputs.store();
          else
            await inputs.restore((entry) => {
              restored += 1;
              return waiting(`r${restored}`, entry.type === "message" ? entry.input : "");
            });
        }
        const stored = await file().read();
        expect(stored.steering).toEqual(inputs.steering);
        expect(stored.queued).toEqual(inputs.queued);
        expect(stored.vault).toEqual(inputs.vault);
        const kept = [
          ...inputs.listing().map(({ text }) => text),
          ...inputs.vault.map((entry) => (entry.type === "message" ? entry.input : "")),
          ...delivered,
        ];
        expect(kept.toSorted()).toEqual(admitted.toSorted());
      }),
      { numRuns: 60 },
    );
  });

  it("restored entries come before what waits, in their order; images and kinds survive", async () => {
    const file = freshFile();
    const inputs = new PendingInputs(file(), empty, () => undefined);
    await inputs.admit("queued", waiting("a", "first"));
    await inputs.admit("queued", { ...waiting("b", "/compact"), kind: "command" });
    await inputs.store();
    await inputs.admit("queued", {
      ...waiting("c", "later"),
      images: [{ mimeType: "image/png", data: "AAAA" }],
    });
    await inputs.restore((entry) =>
      entry.type === "command"
        ? { ...waiting("e", entry.text), kind: "command" }
        : waiting("d", entry.type === "message" ? entry.input : entry.source),
    );
    const { queued } = await file().read();
    expect(queued.map(({ text, kind, images }) => [text, kind, images.length])).toEqual([
      ["first", "message", 0],
      ["/compact", "command", 0],
      ["later", "message", 1],
    ]);
  });

  it("images of a message come through the vault, unless its text is edited", async () => {
    const file = freshFile();
    const inputs = new PendingInputs(file(), empty, () => undefined);
    const images = [{ mimeType: "image/png" as const, data: "AAAA" }];
    await inputs.admit("queued", { ...waiting("a", "look"), images });
    await inputs.admit("queued", { ...waiting("b", ""), images });
    await inputs.admit("queued", { ...waiting("c", "and this"), images });
    await inputs.store();
    await inputs.replaceVault([
      { type: "message", input: "(image)" },
      { type: "message", input: "look" },
      { type: "message", input: "edited" },
    ]);
    const { vault } = await file().read();
    expect(vault).toEqual([
      { type: "message", input: "(image)", images },
      { type: "message", input: "look", images },
      { type: "message", input: "edited" },
    ]);
  });

  it("the vault is bounded; what does not fit stays where it waits", async () => {
    const file = freshFile();
    const inputs = new PendingInputs(file(), empty, () => undefined);
    const entries = Array.from({ length: vaultEntryLimit }, (_, index) => ({
      type: "message" as const,
      input: `entry ${index}`,
    }));
    await inputs.replaceVault(entries);
    await inputs.admit("queued", waiting("a", "one more"));
    await expect(inputs.store()).rejects.toMatchObject({
      code: "input-limit",
      message: expect.stringContaining(`${vaultEntryLimit + 1} entries`) as string,
    });
    await expect(inputs.replaceVault([...entries, { type: "message", input: "more" }])).rejects.toMatchObject(
      { code: "input-limit" },
    );
    expect(inputs.queued.map(({ text }) => text)).toEqual(["one more"]);
    expect(inputs.vault).toEqual(entries);
    expect((await file().read()).vault).toHaveLength(vaultEntryLimit);
  });
});
