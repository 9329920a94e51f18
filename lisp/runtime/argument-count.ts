/** What a call with too few or too many arguments is told. */
import { Cons } from "../data/cons.ts";
import { programError, type LispError } from "../data/error.ts";
import type { FunctionInfo } from "../data/function.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { leafShape } from "./leaf-entry.ts";

/** PROGRAM-ERROR that names the function and says how many arguments it takes. */
export function wrongArgumentCount({
  name,
  lambdaList,
}: Pick<FunctionInfo, "name" | "lambdaList">): LispError {
  const taken = LString.from(
    takenText(...(typeof lambdaList === "string" ? textBounds(lambdaList) : listBounds(lambdaList))),
  );
  if (name === NIL)
    return programError("wrong number of arguments for an anonymous function, which takes ~A", taken);
  return programError("wrong number of arguments for ~S, which takes ~A", name, taken);
}

function textBounds(lambdaList: string): [least: number, most: number | null] {
  const { required, optional, rest, keys } = leafShape(lambdaList);
  return [required, rest || keys !== null ? null : required + optional];
}

function listBounds(lambdaList: LispValue): [least: number, most: number | null] {
  let least = 0;
  let most = 0;
  let optional = false;
  for (let cell = lambdaList; cell instanceof Cons; cell = cell.cdr) {
    const word = cell.car instanceof LSymbol ? cell.car.name : "";
    if (word === "&OPTIONAL") optional = true;
    else if (word === "&AUX") break;
    else if (word === "&REST" || word === "&KEY" || word === "&BODY") return [least, null];
    else {
      most += 1;
      if (!optional) least += 1;
    }
  }
  return [least, most];
}

function takenText(least: number, most: number | null): string {
  const plural = (count: number): string => (count === 1 ? "" : "s");
  if (most === null) return `at least ${least} argument${plural(least)}`;
  if (most === 0) return "no arguments";
  return least === most ? `${least} argument${plural(least)}` : `${least} to ${most} arguments`;
}
