/** When a mail drill strikes, and at what: a pure function of its seed. */
import { generator, shuffled } from "../plan.ts";

/** The fault comes `delayMs` after the host printed `lines` lines: the host dies, or Redis under it. */
export type MailPoint = {
  readonly number: number;
  readonly fault: "host" | "redis";
  readonly lines: number;
  readonly delayMs: number;
};

/** Lines to aim at: those of an undisturbed session, about. */
export const mailLines = 1_000;
const longestDelayMs = 25;

/** Lines are visited in a shuffled order without repetition until all have been; every fourth point kills Redis. */
export function mailPlan(count: number, seed: number): readonly MailPoint[] {
  const random = generator(seed);
  const lines: number[] = [];
  return Array.from({ length: count }, (_, index) => {
    if (lines.length === 0) lines.push(...shuffled(mailLines + 1, random));
    return {
      number: index + 1,
      fault: index % 4 === 3 ? "redis" : "host",
      lines: lines.pop() ?? 0,
      delayMs: Math.floor(random() * (longestDelayMs + 1)),
    };
  });
}
