import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { drillSummary, runDrill } from "../../script/drill.ts";
import { mailDrillSummary, runMailDrill } from "../../script/drill/mail/mail-drill.ts";
import { trees } from "../../script/drill/job-tree.ts";
import { drillPlan, faults } from "../../script/drill/plan.ts";
import { canLimit } from "../../script/drill/spawner-faults.ts";
import { runSessionDrill, sessionDrillSummary } from "../../script/drill/sessions/session-drill.ts";
import { lispFactor, sessionLines, sessionPlan } from "../../script/drill/sessions/session-plan.ts";
import { runTerminalDrill, terminalDrillSummary } from "../../script/drill/terminals/terminal-drill.ts";

const seed = 20_261_130;
const cache = mkdtempSync(join(tmpdir(), "al-drill-"));

beforeAll(() => {
  process.env["NODE_COMPILE_CACHE"] = cache;
});

afterAll(() => {
  rmSync(cache, { recursive: true, force: true });
});

it("a sample of the crash drill: every effect at most once, recorded or reported unknown, nothing left behind", async () => {
  const results = await runDrill({ points: 12, seed, parallel: 2 });
  process.stdout.write(`${drillSummary(results, seed)}\n`);
  expect(
    results.flatMap(({ point, violations }) =>
      violations.map((each) => `${point.number} (${point.fault}): ${each}`),
    ),
  ).toEqual([]);
  expect(new Set(results.filter(({ hit }) => hit).map(({ point }) => point.fault)).size).toBe(
    canLimit ? faults.length : faults.length - 2,
  );
}, 3_000_000);

it("a sample of the session drill: nothing lost, shown or told twice, no call without its result, nothing left behind", async () => {
  const results = await runSessionDrill({ points: 4, seed, parallel: 2 });
  process.stdout.write(`${sessionDrillSummary(results, seed)}\n`);
  expect(
    results.flatMap(({ point, violations }) => violations.map((each) => `${point.number}: ${each}`)),
  ).toEqual([]);
  const plan = sessionPlan(300, seed);
  const places = plan.map(({ lines, lisp }) => lines / (lisp === true ? lispFactor : 1));
  expect(new Set(places).size).toBe(sessionLines + 1);
  expect(sessionPlan(300, seed)).toEqual(plan);
}, 300_000);

it("a sample of the terminal drill: what a person typed and saw is there once, whoever was killed", async () => {
  const results = await runTerminalDrill({ points: 3, seed, parallel: 1 });
  process.stdout.write(`${terminalDrillSummary(results, seed)}\n`);
  expect(
    results.flatMap(({ point, violations }) => violations.map((each) => `${point.number}: ${each}`)),
  ).toEqual([]);
}, 600_000);

it("a sample of the mail drill: no letter is lost, handed over twice or left with a dead child", async () => {
  const results = await runMailDrill({ points: 2, seed, parallel: 1 });
  process.stdout.write(`${mailDrillSummary(results, seed)}\n`);
  expect(
    results.flatMap(({ point, violations }) => violations.map((each) => `${point.number}: ${each}`)),
  ).toEqual([]);
}, 900_000);

it("a full drill visits every record of the journal and every fault", () => {
  const plan = drillPlan(500, seed);
  const visited = (name: string): number =>
    new Set(plan.flatMap(({ tree, records }) => (tree === name ? [records] : []))).size;
  expect(visited("deep")).toBe(trees.deep.journalRecords + 1);
  expect(visited("wide")).toBe(plan.filter(({ tree }) => tree === "wide").length);
  expect(new Set(plan.map(({ fault }) => fault))).toEqual(new Set(faults));
  expect(drillPlan(500, seed)).toEqual(plan);
  expect(drillPlan(500, seed + 1)).not.toEqual(plan);
});
