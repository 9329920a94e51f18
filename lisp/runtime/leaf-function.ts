import { wrongArgumentCount } from "./argument-count.ts";
import { LispError, programError } from "../data/error.ts";
import { LFunction } from "../data/function.ts";
import type { LeafCode } from "../data/leaf.ts";
import type { LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { LeafShape } from "./leaf-entry.ts";

/** What the wrappers of leaves need of the image. */
export interface LeafSurroundings {
  readonly runtime: { trap(error: unknown, leaf?: LeafCode, ...args: LispValue[]): LispValue };
  keyword(name: string): LSymbol;
}

type AnyCode = (...args: (LispValue | undefined)[]) => LispValue;

/** The function object of a leaf: checks the number of arguments, sorts keyword arguments, turns thrown errors into traps. */
export function leafFunction(
  symbol: LSymbol,
  name: string,
  lambdaList: string,
  shape: LeafShape,
  leaf: LeafCode,
  documentation: LispValue,
  around: LeafSurroundings,
): LFunction {
  const { runtime } = around;
  const code = leaf as AnyCode;
  const info = { name: symbol, lambdaList, documentation, location: null, leaf: true, source: null };
  const wrong = (): LispValue => runtime.trap(wrongArgumentCount(info));
  if (shape.keys !== null) return new LFunction(keyedCode(symbol, lambdaList, shape, code, around), [], info);
  if (shape.optional === 0 && !shape.rest) {
    if (shape.required === 1) {
      return new LFunction(
        (_self: LFunction, a?: LispValue, x?: LispValue) => {
          if (a === undefined || x !== undefined) return wrong();
          try {
            return code(a);
          } catch (error) {
            return runtime.trap(error, leaf, a);
          }
        },
        [],
        info,
      );
    }
    if (shape.required === 2) {
      return new LFunction(
        (_self: LFunction, a?: LispValue, b?: LispValue, x?: LispValue) => {
          if (b === undefined || x !== undefined) return wrong();
          try {
            return code(a, b);
          } catch (error) {
            return runtime.trap(error, leaf, a!, b);
          }
        },
        [],
        info,
      );
    }
  }
  const most = shape.rest ? Number.POSITIVE_INFINITY : shape.required + shape.optional;
  return new LFunction(
    (_self: LFunction, ...args: LispValue[]) => {
      if (args.length < shape.required || args.length > most) return wrong();
      try {
        return code(...args);
      } catch (error) {
        return runtime.trap(error, leaf, ...args);
      }
    },
    [],
    info,
  );
}

function keyedCode(
  symbol: LSymbol,
  lambdaList: string,
  shape: LeafShape,
  code: AnyCode,
  around: LeafSurroundings,
) {
  const { runtime } = around;
  const fixed = shape.required + shape.optional;
  const keys = shape.keys!.map((key) => around.keyword(key));
  const allowKey = around.keyword("ALLOW-OTHER-KEYS");
  const sort = (args: readonly LispValue[]): (LispValue | undefined)[] => {
    if (args.length < shape.required) throw wrongArgumentCount({ name: symbol, lambdaList });
    const sorted: (LispValue | undefined)[] = [...args.slice(0, fixed)];
    sorted.length = fixed + keys.length;
    if ((args.length - fixed) % 2 !== 0 && args.length > fixed) {
      throw programError("odd number of keyword arguments for ~S", symbol);
    }
    let unknown: LispValue | null = null;
    let allow: LispValue | null = null;
    for (let i = fixed; i < args.length; i += 2) {
      const index = keys.indexOf(args[i] as LSymbol);
      if (index >= 0) sorted[fixed + index] ??= args[i + 1]!;
      if (args[i] === allowKey) allow ??= args[i + 1]!;
      else if (index < 0) unknown ??= args[i]!;
    }
    if (unknown !== null && (allow === null || isNil(allow))) {
      throw programError("unknown keyword argument ~S for ~S", unknown, symbol);
    }
    return sorted;
  };
  return (_self: LFunction, ...args: LispValue[]): LispValue => {
    try {
      if (args.length <= fixed && args.length >= shape.required) return code(...args);
      return code(...sort(args));
    } catch (error) {
      return runtime.trap(error, () => code(...sort(args)));
    }
  };
}

function isNil(value: LispValue): boolean {
  return typeof value === "object" && "car" in value && value.car === value;
}

/** True for a LispError: the only kind of error leaves should throw. */
export function isLispError(error: unknown): error is LispError {
  return error instanceof LispError;
}
