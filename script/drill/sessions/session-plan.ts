/** When a session drill kills: a pure function of its seed. */
import { generator, shuffled } from "../plan.ts";

/**
 * One point: the host is killed `delayMs` after it printed `lines` lines. With `againMs` the host that resumes is killed as well, that long
 * after it opened the session. With `lisp` forms and evaluations are in flight as well.
 */
export type SessionPoint = {
  readonly number: number;
  readonly lines: number;
  readonly delayMs: number;
  readonly againMs?: number;
  readonly lisp?: true;
};

/** Lines to aim at: those of an undisturbed session, about, and its rest. */
export const sessionLines = 120;
/** How many times as many a session with forms prints, about. */
export const lispFactor = 3;
const longestDelayMs = 12;
const longestSecondLifeMs = 1_500;

/** Lines are visited in a shuffled order without repetition until all have been; every fourth point kills twice. */
export function sessionPlan(count: number, seed: number): readonly SessionPoint[] {
  const random = generator(seed);
  const lines: number[] = [];
  return Array.from({ length: count }, (_, index) => {
    if (lines.length === 0) lines.push(...shuffled(sessionLines + 1, random));
    const delayMs = Math.floor(random() * (longestDelayMs + 1));
    const againMs = Math.floor(random() * (longestSecondLifeMs + 1));
    const isLisp = index % 5 === 2 || index % 10 === 3;
    return {
      number: index + 1,
      // Forms print lines of their own.
      lines: (lines.pop() ?? 0) * (isLisp ? lispFactor : 1),
      delayMs,
      ...(index % 4 === 3 ? { againMs } : {}),
      ...(isLisp ? { lisp: true as const } : {}),
    };
  });
}
