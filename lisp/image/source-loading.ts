import { readFileSync } from "node:fs";
import { LispError } from "../data/error.ts";
import type { LFunction } from "../data/function.ts";
import { LSymbol, NIL, symbolFunction } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { ReaderContext } from "../reader/context.ts";
import { ReaderFault } from "../reader/reader-state.ts";
import { Reader } from "../reader/reader.ts";
import { positionAt, TextSource } from "../reader/source.ts";
import { UnhandledCondition } from "../runtime/runtime.ts";
import { debugText } from "./debug-text.ts";
import type { Image } from "./image.ts";

/** Evaluates the forms of a file one after the other; gives the value of the last. */
export function loadSource(image: Image, path: string): LispValue | null {
  return loadText(image, readFileSync(path, "utf8"), path);
}

/** Evaluates the forms of a text. An unhandled condition throws LoadFailure, which names the form. */
export function loadText(image: Image, text: string, file = "<text>"): LispValue | null {
  let value: LispValue | null = null;
  for (const { evaluate } of readForms(image, text, file)) value = evaluate();
  return value;
}

/** The forms of a text, each read when the one before it has been evaluated. `run` evaluates in place of EVAL. */
export function* readForms(
  image: Image,
  text: string,
  file = "<text>",
  run: (form: LispValue) => LispValue | void = evaluator(image),
): Generator<{ readonly form: LispValue; readonly evaluate: () => LispValue }, void, undefined> {
  for (const current of readObjects(image, text, file)) {
    const evaluate = (): LispValue => {
      try {
        return run(current) ?? NIL;
      } catch (error) {
        const condition = error instanceof UnhandledCondition ? error.condition : null;
        const why = condition === null ? errorText(error) : debugText(condition);
        throw new LoadFailure(`${file}: ${why}\nin ${debugText(current, 4).slice(0, 400)}`, { cause: error });
      }
    };
    yield { form: current, evaluate };
  }
}

/** The objects of a text one after the other; a read error says where it is. */
function* readObjects(image: Image, text: string, file: string): Generator<LispValue, void, undefined> {
  const context = new ReaderContext(image);
  const source = new TextSource(text);
  for (;;) {
    const reader = new Reader(context, source, NIL);
    try {
      let outcome = reader.run();
      while (outcome === "call") outcome = reader.resume([answerRequest(image, reader)]);
      if (outcome === "end") return;
    } catch (error) {
      if (!(error instanceof ReaderFault) || error.index < 0) throw error;
      const { line, column } = positionAt(text, error.index);
      throw new LoadFailure(`${file}:${line}:${column}: ${errorText(error)}`, { cause: error });
    }
    yield reader.value;
  }
}

/** Calls the function the reader asks for and gives its primary value. */
function answerRequest(image: Image, reader: Reader): LispValue {
  const { fn, args } = reader.request!;
  const code = fn instanceof LSymbol ? symbolFunction(fn) : (fn as LFunction);
  return image.runtime.callNow(code!, ...args);
}

function evaluator(image: Image): (form: LispValue) => LispValue {
  const evalFunction = symbolFunction(image.symbol("EVAL"))!;
  return (form) => image.runtime.callNow(evalFunction, form);
}

function errorText(error: unknown): string {
  if (!(error instanceof LispError)) return String(error);
  const args = error.initargs.map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : debugText(value)}`,
  );
  return `${error.conditionType} ${args.join(" ")}`;
}

/** A form of a source being loaded failed. */
export class LoadFailure extends Error {
  readonly code = "load-failure";
  override readonly name = "LoadFailure";
}
