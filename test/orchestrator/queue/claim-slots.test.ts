import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ClaimSlots } from "../../../orchestrator/queue/claim-slots.ts";

/** What a test claim is doing. */
type Phase = "waiting" | "running" | "lending" | "regaining" | "ended" | "refused";

/** Claims driven by random steps, with the phases that the slots' promises put them into. */
class Model {
  readonly slots: ClaimSlots;
  readonly phases: Phase[] = [];
  readonly #regain: ((signal?: AbortSignal) => Promise<void>)[] = [];
  readonly #abort: AbortController[] = [];

  constructor(limit: number) {
    this.slots = new ClaimSlots(limit);
  }

  count(...phases: Phase[]): number {
    return this.phases.filter((phase) => phases.includes(phase)).length;
  }

  async step(action: string, pick: number): Promise<void> {
    const candidates = (phase: Phase): number[] =>
      this.phases.flatMap((each, index) => (each === phase ? [index] : []));
    const choose = (phase: Phase): number | undefined => {
      const found = candidates(phase);
      return found[pick % Math.max(found.length, 1)];
    };
    if (action === "acquire") this.#acquire();
    else if (action === "end") this.#end(choose("running"));
    else if (action === "lend") this.#lend(choose("running"));
    else if (action === "regain") this.#askBack(choose("lending"));
    else this.#cancel(choose("regaining"));
    // Promises settle before the next step looks at the phases.
    await new Promise((resolve) => setImmediate(resolve));
  }

  #acquire(): void {
    const index = this.phases.push("waiting") - 1;
    void this.slots.acquire().then((begun) => (this.phases[index] = begun ? "running" : "refused"));
  }

  #end(index: number | undefined): void {
    if (index === undefined) return;
    this.phases[index] = "ended";
    this.slots.release();
  }

  #lend(index: number | undefined): void {
    if (index === undefined) return;
    this.phases[index] = "lending";
    this.#regain[index] = this.slots.lend();
  }

  #askBack(index: number | undefined): void {
    if (index === undefined) return;
    this.phases[index] = "regaining";
    const abort = new AbortController();
    this.#abort[index] = abort;
    const regained = (): Phase => (this.phases[index] = "running");
    void this.#regain[index]?.(abort.signal).then(regained, regained);
  }

  #cancel(index: number | undefined): void {
    if (index !== undefined) this.#abort[index]?.abort(new Error("cancelled"));
  }
}

describe("claim slots", () => {
  it("property: the limit holds, no slot is lost, regaining goes before beginning", async () => {
    const action = fc.constantFrom("acquire", "acquire", "end", "lend", "regain");
    const steps = fc.array(fc.tuple(action, fc.nat()), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (limit, script) => {
        const model = new Model(limit);
        for (const [name, pick] of script) {
          await model.step(name, pick);
          const active = model.count("running");
          const wanting = model.count("waiting", "regaining");
          expect(active).toBeLessThanOrEqual(limit);
          if (wanting > 0) expect(active, "a slot is free while somebody wants one").toBe(limit);
          expect(model.slots.running).toBe(model.count("running", "lending", "regaining"));
          expect(model.slots.capacity).toBe(limit + model.count("lending"));
        }
      }),
      { numRuns: 200 },
    );
  });

  it("property: with cancelled regains every slot comes back in the end", async () => {
    const action = fc.constantFrom("acquire", "acquire", "end", "lend", "regain", "cancel");
    const steps = fc.array(fc.tuple(action, fc.nat()), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), steps, async (limit, script) => {
        const model = new Model(limit);
        for (const [name, pick] of script) await model.step(name, pick);
        while (model.count("waiting", "running", "lending", "regaining") > 0) {
          await model.step("regain", 0);
          await model.step("end", 0);
        }
        expect(model.slots.running).toBe(0);
        await model.slots.idle();
        for (let index = 0; index < limit; index += 1) expect(await model.slots.acquire()).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("closed, they refuse who waits and who comes, and still give slots back", async () => {
    const slots = new ClaimSlots(1);
    await slots.acquire();
    const regain = slots.lend();
    await slots.acquire();
    const waiting = slots.acquire();
    slots.close();
    expect(await waiting).toBe(false);
    expect(await slots.acquire()).toBe(false);
    const regained = regain();
    slots.release();
    await regained;
    slots.release();
    await slots.idle();
  });

  it("asking for a slot back twice asks once", async () => {
    const slots = new ClaimSlots(1);
    await slots.acquire();
    const regain = slots.lend();
    await Promise.all([regain(), regain()]);
    slots.release();
    expect(await slots.acquire()).toBe(true);
  });

  it.each([0, -1, 1.5, Number.NaN])("a limit of %d is refused", (limit) => {
    expect(() => new ClaimSlots(limit)).toThrow(RangeError);
  });
});
