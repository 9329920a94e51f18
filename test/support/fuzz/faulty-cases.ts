/** About one case in a hundred, the same ones whenever they are run. */
import { Random } from "../../../script/fuzz/random.ts";

export function isFaulty(random: Random): boolean {
  return random.oneIn(100);
}

/** The first faulty case of a seed. */
export function firstFaultyCase(seed: number): number {
  for (let number = 0; ; number += 1) if (isFaulty(new Random(seed, number))) return number;
}
