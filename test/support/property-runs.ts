/**
 * Set-up of vitest when `AUTOLITH_TEST_PROPERTY_RUNS` is set: every property runs that many times its own number of runs.
 * `AUTOLITH_TEST_PROPERTY_SEED` sets the seed, a 32-bit integer; otherwise each property takes one of its own and reports it.
 */
import type * as fastCheck from "fast-check";
import { vi } from "vitest";

type Module = typeof fastCheck;

/** Runs of a property that names no number, as fast-check has it. */
const usualRuns = 100;

const factor = Number(process.env["AUTOLITH_TEST_PROPERTY_RUNS"]);
const seed = process.env["AUTOLITH_TEST_PROPERTY_SEED"];

vi.mock("fast-check", async (importOriginal) => {
  const original = await importOriginal<Module & { default: Module }>();
  const assert = <Values>(
    property: fastCheck.IRawProperty<Values>,
    given: fastCheck.Parameters<Values> = {},
  ): Promise<void> | void =>
    original.assert(property, {
      ...given,
      numRuns: (given.numRuns ?? usualRuns) * factor,
      ...(seed === undefined ? {} : { seed: Number(seed) }),
    });
  const module = { ...original, assert };
  return { ...module, default: module };
});
