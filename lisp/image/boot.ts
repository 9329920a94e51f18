import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LeafInstaller } from "../data/leaf.ts";
import { LSymbol, NIL, symbolFunction } from "../data/symbol.ts";
import type { LFunction } from "../data/function.ts";
import type { LispValue } from "../data/value.ts";
import { installBits } from "../numbers/bit-leaves.ts";
import { installArithmetic } from "../numbers/arithmetic-leaves.ts";
import { installNumberFunctions } from "../numbers/function-leaves.ts";
import { installEquality } from "../equality/equality-leaves.ts";
import { installLists } from "../sequences/list-leaves.ts";
import { installSequences } from "../sequences/sequence-leaves.ts";
import { installCharacters } from "../characters/character-leaves.ts";
import { installStrings } from "../characters/string-leaves.ts";
import { installArrays } from "../arrays/array-leaves.ts";
import { installBitArrays } from "../arrays/bit-array-leaves.ts";
import { installHashTables } from "../hash/hash-table-leaves.ts";
import { installReader } from "../reader/reader-leaves.ts";
import { LispError } from "../data/error.ts";
import { UnhandledCondition } from "../runtime/runtime.ts";
import { debugText } from "./debug-text.ts";
import { ReaderContext } from "../reader/context.ts";
import { Reader } from "../reader/reader.ts";
import { positionAt, TextSource } from "../reader/source.ts";
import { ReaderFault } from "../reader/reader-state.ts";
import { installCallers } from "./caller-operators.ts";
import { installPackages } from "../packages/package-leaves.ts";
import { installHashEntries } from "../hash/hash-entries.ts";
import { installTypeLeaves } from "../typing/type-leaves.ts";
import { installClasses } from "../objects/class-leaves.ts";
import { installDispatch } from "../objects/dispatch.ts";
import { installConditionReaders } from "../objects/condition-leaves.ts";
import { installStructures } from "../structures/structure-leaves.ts";
import { installCharacterStreams } from "../streams/character-leaves.ts";
import { installStreams } from "../streams/stream-leaves.ts";
import { environmentInstaller } from "../environment/environment-leaves.ts";
import { filesInstaller } from "../pathnames/file-leaves.ts";
import { installPathnames } from "../pathnames/pathname-leaves.ts";
import type { HostPort } from "../streams/host-port.ts";
import { nodeHostPort } from "../streams/node-host.ts";
import { terminalInstaller } from "../streams/terminal-leaves.ts";
import { installPrinter } from "../printer/printer-leaves.ts";
import { installRestarts } from "./restart-leaves.ts";
import { installSymbols } from "../symbols/symbol-leaves.ts";
import { libraryFiles } from "../library/order.ts";
import { installCore } from "./core-leaves.ts";
import { installDefinitions } from "./definition-leaves.ts";
import { LibraryCompiler, chainKey, compilerKey, loadCompiled, storeCompiled } from "./library-loader.ts";
import { Image } from "./image.ts";

/** Installers of all leaves, in order; a later one may replace an earlier one's leaf. */
const installers: readonly LeafInstaller[] = [
  installCore,
  installSymbols,
  installArithmetic,
  installBits,
  installNumberFunctions,
  installEquality,
  installLists,
  installSequences,
  installCharacters,
  installStrings,
  installArrays,
  installBitArrays,
  installHashTables,
  installReader,
  installPackages,
  installHashEntries,
  installTypeLeaves,
  installClasses,
  installDispatch,
  installConditionReaders,
  installStructures,
  installRestarts,
  installCharacterStreams,
  installStreams,
  installPrinter,
  installPathnames,
];

/** Installers of the leaves that use the machine, through its port. */
function machineInstallers(port: HostPort): LeafInstaller[] {
  return [filesInstaller(port), terminalInstaller(port), environmentInstaller(port)];
}

/** A new image with all leaves and the library. */
export function bootImage(port: HostPort = nodeHostPort()): Image {
  const image = new Image();
  const context = new ReaderContext(image);
  const system = image.findPackage("AUTOLITH-SYSTEM")!;
  image.readText = (text) => {
    const reader = new Reader(context, new TextSource(text), NIL, { pkg: system });
    reader.run();
    return reader.value;
  };
  for (const install of [...installers, ...machineInstallers(port)]) install(image.define, image);
  installDefinitions(image);
  installCallers(image);
  loadLibrary(image);
  image.booted = true;
  return image;
}

/** Loads the library: each file compiled from the cache as long as nothing before it changed, then from source. */
function loadLibrary(image: Image): void {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const cache = { directory: join(root, "..", ".cache", "lisp"), key: compilerKey(root) };
  let { key } = cache;
  for (const file of libraryFiles) {
    const path = join(root, "library", `${file}.lisp`);
    const source = readFileSync(path, "utf8");
    key = chainKey(key, source);
    if (loadCompiled(image, cache, file, key)) continue;
    const compiler = new LibraryCompiler(image);
    for (const { form, evaluate } of readForms(image, source, path, (each) => compiler.form(each))) {
      void form;
      evaluate();
    }
    storeCompiled(compiler, cache, file, key);
  }
}

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
