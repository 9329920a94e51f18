/** When a terminal drill kills, and what: a pure function of its seed. */
import { generator, shuffled } from "../plan.ts";

/** What is killed: the terminal, the session host behind it, or both at once. */
export const terminalVictims = ["terminal", "host", "both"] as const;
export type TerminalVictim = (typeof terminalVictims)[number];

/**
 * One point: the kill comes `delayMs` after a second client of the session has heard `events` events. With `againMs` the same is killed once more,
 * that long after somebody came back.
 */
export type TerminalPoint = {
  readonly number: number;
  readonly victim: TerminalVictim;
  readonly events: number;
  readonly delayMs: number;
  readonly againMs?: number;
};

/** Events to aim at: those of an undisturbed session, about. */
export const terminalEvents = 70;
const longestDelayMs = 60;
const longestSecondLifeMs = 3_000;

/** Events are visited in a shuffled order without repetition until all have been; every fourth point kills twice. */
export function terminalPlan(count: number, seed: number): readonly TerminalPoint[] {
  const random = generator(seed);
  const events: number[] = [];
  return Array.from({ length: count }, (_, index) => {
    if (events.length === 0) events.push(...shuffled(terminalEvents + 1, random));
    const delayMs = Math.floor(random() * (longestDelayMs + 1));
    const againMs = Math.floor(random() * (longestSecondLifeMs + 1));
    return {
      number: index + 1,
      victim: terminalVictims[index % terminalVictims.length] ?? "terminal",
      events: events.pop() ?? 0,
      delayMs,
      ...(index % 4 === 3 ? { againMs } : {}),
    };
  });
}
