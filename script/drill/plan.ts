/** Which faults a drill inflicts and when: a pure function of its seed. */
import { type TreeName, trees } from "./job-tree.ts";
import { spawnerFaults } from "./spawner-faults.ts";

/** What is made to fail. A host, and Redis, by SIGKILL; an agent thread, and what starts processes, in three ways each. */
export const faults = [
  "host",
  "redis",
  "thread-exit",
  "thread-out-of-memory",
  "thread-terminate",
  ...spawnerFaults,
] as const;
export type Fault = (typeof faults)[number];

/**
 * One point: the fault comes `delayMs` after the job journal holds `records` records. With `againMs` the host that recovers is killed
 * as well, that long after it began, and another one recovers.
 */
export type DrillPoint = {
  readonly number: number;
  readonly tree: TreeName;
  readonly fault: Fault;
  readonly records: number;
  readonly delayMs: number;
  readonly againMs?: number;
  /** How long the spawner is kept from starting anything, where that is the fault. */
  readonly holdMs: number;
};

/** Longest delay after the record, in milliseconds: spreads faults over what happens between two records. */
const longestDelayMs = 12;

/** Longest life of a recovering host that is killed, in milliseconds. */
const longestSecondLifeMs = 2_000;

/** Longest time that the spawner is kept from starting anything, in milliseconds: several commands of a run. */
const longestHoldMs = 400;

/** Every third point kills the host; the others are shared by the remaining faults. */
const turns: readonly Fault[] = [
  "host",
  "redis",
  "spawner-kill",
  "host",
  "thread-exit",
  "spawner-descriptors",
  "host",
  "thread-terminate",
  "spawner-processes",
  "host",
  "thread-out-of-memory",
  "spawner-kill",
];

/** Faults that take room from the host. */
const limitFaults: ReadonlySet<Fault> = new Set(["spawner-descriptors", "spawner-processes"]);

/** Every so many points drill the wide tree, which takes longer; no divisor of the turns, so that it meets every fault. */
const wideEvery = 5;

/** The points of a drill. Records are visited in a shuffled order without repetition until all have been, so that few points spread well. */
export function drillPlan(count: number, seed: number): readonly DrillPoint[] {
  const random = generator(seed);
  const ahead: Record<TreeName, number[]> = { deep: [], wide: [] };
  return Array.from({ length: count }, (_, index) => {
    const tree = index % wideEvery === wideEvery - 1 ? "wide" : "deep";
    const records = ahead[tree];
    if (records.length === 0) records.push(...shuffled(trees[tree].journalRecords + 1, random));
    const fault = turns[index % turns.length] ?? "host";
    const againMs = Math.floor(random() * (longestSecondLifeMs + 1));
    const holdMs = 20 + Math.floor(random() * (longestHoldMs - 19));
    return {
      number: index + 1,
      tree,
      fault,
      // Before the first record the program itself is being loaded, and without room it cannot say anything in its own words.
      records: Math.max(records.pop() ?? 0, limitFaults.has(fault) ? 1 : 0),
      delayMs: Math.floor(random() * (longestDelayMs + 1)),
      holdMs,
      // The last host point of each round of turns.
      ...(index % turns.length === turns.lastIndexOf("host") ? { againMs } : {}),
    };
  });
}

/** Numbers from 0 to below 1 that a seed determines (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The numbers below `length` in an order that the generator determines. */
export function shuffled(length: number, random: () => number): number[] {
  const numbers = Array.from({ length }, (_, index) => index);
  for (let index = length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [numbers[index], numbers[other]] = [numbers[other] ?? 0, numbers[index] ?? 0];
  }
  return numbers;
}
