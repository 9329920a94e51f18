/** Feature expressions of `#+` and `#-`. */
import { Cons, listToArray } from "../data/cons.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** Truth of a feature expression against a list of features; `undefined` when it has no valid form. */
export function featureHolds(expression: LispValue, features: LispValue): boolean | undefined {
  if (expression instanceof LSymbol) return expression === NIL ? undefined : isMember(expression, features);
  if (!(expression instanceof Cons) || !(expression.car instanceof LSymbol)) return undefined;
  const operands = listToArray(expression.cdr);
  if (operands === null) return undefined;
  return combine(expression.car.name, operands, features);
}

function combine(operator: string, operands: readonly LispValue[], features: LispValue): boolean | undefined {
  if (operator === "NOT") {
    if (operands.length !== 1) return undefined;
    const inner = featureHolds(operands[0] as LispValue, features);
    return inner === undefined ? undefined : !inner;
  }
  if (operator !== "AND" && operator !== "OR") return undefined;
  let result = operator === "AND";
  for (const operand of operands) {
    const holds = featureHolds(operand, features);
    if (holds === undefined) return undefined;
    result = operator === "AND" ? result && holds : result || holds;
  }
  return result;
}

function isMember(symbol: LSymbol, features: LispValue): boolean {
  for (let rest = features; rest instanceof Cons; rest = rest.cdr) if (rest.car === symbol) return true;
  return false;
}
