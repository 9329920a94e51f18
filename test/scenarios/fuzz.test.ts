import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fuzzSummary } from "../../script/fuzz.ts";
import { runCampaign } from "../../script/fuzz/campaign.ts";
import { subjectNames } from "../../script/fuzz/subjects.ts";
import { firstFaultyCase } from "../support/fuzz/faulty-cases.ts";

const seed = 20_261_130;
const cache = mkdtempSync(join(tmpdir(), "al-fuzz-"));

beforeAll(() => {
  process.env["NODE_COMPILE_CACHE"] = cache;
});

afterAll(() => {
  rmSync(cache, { recursive: true, force: true });
});

it("a sample of the fuzz: no crash, no hang, bounded memory, and every refusal names its place", async () => {
  const results = await runCampaign({ subjects: subjectNames, count: 200, seed, parallel: 2 });
  process.stdout.write(`${fuzzSummary(results, seed)}\n`);
  expect(
    results.flatMap(({ subject, violations }) => violations.map((each) => `${subject} ${each}`)),
  ).toEqual([]);
  expect(results.map(({ subject, cases }) => [subject, cases])).toEqual(
    subjectNames.map((name) => [name, 200]),
  );
}, 300_000);

describe("a reader that is broken is found and its case is named:", () => {
  const entry = new URL("../support/fuzz/broken-main.ts", import.meta.url);
  const number = firstFaultyCase(1);
  const found = async (subject: string): Promise<readonly string[]> => {
    const options = {
      subjects: [subject],
      count: number + 5,
      seed: 1,
      hangMs: subject === "hangs" ? 3_000 : 60_000,
      caseMs: 300,
      heapMb: 64,
      entry,
    };
    const [result] = await runCampaign(options);
    expect(result?.cases).toBe(number + 5);
    return result?.violations ?? [];
  };

  it("none for a sound one", async () => {
    expect(await found("sound")).toEqual([]);
  });

  it.each([
    ["wrong", 'the input is read; the input was "(input)"'],
    ["throws", "threw RangeError: escaped"],
    ["slow", "of processor time, over 300"],
    ["exits", "the process ended with status 3"],
    ["hangs", "did not end within 3000 ms"],
    ["hoards", "near heap limit"],
  ])(
    "%s",
    async (subject, what) => {
      const violations = await found(subject);
      expect(violations).toHaveLength(1);
      expect(violations[0]).toContain(`case ${number}: `);
      expect(violations[0]).toContain(what);
    },
    120_000,
  );
});
