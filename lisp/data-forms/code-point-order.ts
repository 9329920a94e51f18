/** Compares strings by code points, as Lisp's `STRING<` does; JavaScript's `<` compares UTF-16 units. */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const [leftUnit, rightUnit] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (leftUnit === rightUnit) continue;
    const [leftSurrogate, rightSurrogate] = [isSurrogate(leftUnit), isSurrogate(rightUnit)];
    if (leftSurrogate !== rightSurrogate) return leftSurrogate ? 1 : -1;
    return leftUnit - rightUnit;
  }
  return left.length - right.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
