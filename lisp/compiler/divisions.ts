import { isFloat, type Kind, MOST } from "./kinds.ts";
import { fixnums } from "./primitives.ts";

/**
 * JavaScript condition that computes both values of FLOOR or TRUNCATE: of two fixnums of which the divisor is positive, or of a
 * float. Null when the operator or the kinds of its arguments are others.
 */
export function divisionTest(
  name: string,
  quotient: string,
  remainder: string,
  kinds: readonly Kind[],
  args: readonly string[],
): string | null {
  if (name !== "FLOOR" && name !== "TRUNCATE") return null;
  const [kind] = kinds;
  const [a, b] = args as [string, string];
  if (kinds.length === 1 && kind !== undefined && isFloat(kind)) {
    const rounded = `Math.${name === "FLOOR" ? "floor" : "trunc"}(${a})+0`;
    const rest = `${a}-${quotient}`;
    const object = kind.type === "double" ? `new Db(${rest})` : `new Sf(Fr(${rest}))`;
    return `(${quotient}=${rounded})<=${MOST}&&${quotient}>=-${MOST}&&((${remainder}=${object}),true)`;
  }
  if (kinds.length !== 2 || kinds.some(isFloat)) return null;
  const adjust = name === "FLOOR" ? `${remainder}<0&&(${remainder}+=${b}),` : "";
  return (
    `${fixnums(a, b)}&&${b}>0&&((${remainder}=${a}%${b}+0),${adjust}` +
    `(${quotient}=(${a}-${remainder})/${b}),true)`
  );
}
