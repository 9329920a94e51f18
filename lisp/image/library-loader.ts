import { threadId } from "node:worker_threads";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { type Asking, SAFE_POINT } from "../compiler/analysis.ts";
import { Analyzer, properList } from "../compiler/analyzer.ts";
import {
  type CompiledFile,
  type FileHalves,
  type UnitHalves,
  type FileHost,
  FileWriter,
  runCompiled,
} from "../compiler/compiled-file.ts";
import { ConstantError } from "../compiler/constant-text.ts";
import { Environment } from "../compiler/environment.ts";
import type { FunctionNode } from "../compiler/ir.ts";
import { Cons } from "../data/cons.ts";
import { LSymbol, NIL, symbolFunction } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { UnhandledCondition } from "../runtime/runtime.ts";
import { debugText } from "./debug-text.ts";
import { deferDefinitions, madeObjects } from "./deferred-objects.ts";
import type { Image } from "./image.ts";

/** Where compiled library files are kept, and the key of everything they depend on besides the library itself. */
export interface LibraryCache {
  readonly directory: string;
  readonly key: string;
}

/** The view of an image that compiled files load through. */
export function fileHost(image: Image): FileHost {
  return {
    runtime: image.runtime,
    findPackage: (name) => image.findPackage(name),
    symbolPackage: (symbol) => image.symbolPackage(symbol),
    setfCell: (symbol) => image.setfCell(symbol),
    leafCode: (name) => {
      const leaf = image.registeredLeaf(image.cell(name));
      if (leaf === null) throw new StaleFile(`the leaf ${name} does not exist any more`);
      return leaf.code;
    },
    addStub: (stub, load) => image.stubs.set(stub, load),
    dropStub: (stub) => image.stubs.delete(stub),
    addUnit: (unit) => image.libraryUnits.set(unit.name, unit),
    defer: (definitions) => deferDefinitions(image, definitions),
    evaluateNow: (form) => image.runtime.callNow(symbolFunction(image.symbol("EVAL"))!, form),
  };
}

/** A compiled file does not fit the system it is loaded into; compile it again. */
export class StaleFile extends Error {
  readonly code = "stale-file";
  override readonly name = "StaleFile";
}

/** Runs a computation of the compiler, answering its calls in place. */
export function runNow<Result>(image: Image, computation: Asking<Result>): Result {
  let step = computation.next(NIL);
  while (step.done !== true) {
    const asked = step.value;
    step = computation.next(asked === SAFE_POINT ? NIL : image.runtime.callNow(asked.fn, ...asked.args));
  }
  return step.value;
}

/** Macros whose definitions in the library are made when somebody asks for one of them. */
const deferredDefiners: ReadonlySet<string> = new Set([
  "DEFCLASS",
  "DEFGENERIC",
  "DEFMETHOD",
  "DEFINE-PROTOCOL",
  "DEFINE-CONDITION",
]);

/** Compiles and runs the forms of a library file one after the other, and collects them for writing. */
export class LibraryCompiler {
  private readonly image: Image;
  private readonly analyzer: Analyzer;
  private readonly writer = new FileWriter();

  constructor(image: Image) {
    this.image = image;
    this.analyzer = new Analyzer(image);
  }

  /** A top-level form: `keep` is false for what belongs to compile time only. */
  form(form: LispValue, keep = true, deferred = false): void {
    let current = form;
    let late = deferred;
    for (;;) {
      if (!(current instanceof Cons) || !(current.car instanceof LSymbol)) return;
      const { car: head, cdr: body } = current;
      late ||= deferredDefiners.has(head.name);
      if (head === this.image.symbol("PROGN")) {
        for (const item of properList(body)) this.form(item, keep, late);
        return;
      }
      if (head === this.image.symbol("EVAL-WHEN") && body instanceof Cons) {
        const names = properList(body.car).map((situation) => (situation as LSymbol).name);
        for (const item of properList(body.cdr))
          this.form(item, keep && names.includes("LOAD-TOPLEVEL"), late);
        return;
      }
      const { form: next, expanded } = runNow(
        this.image,
        this.analyzer.macroexpand1(current, Environment.empty),
      );
      if (!expanded) break;
      current = next;
    }
    const thunk: FunctionNode = runNow(this.image, this.analyzer.thunk(current, Environment.empty));
    const made = madeObjects(this.image);
    this.image.runtime.callNow(this.image.instantiate(thunk));
    const { generics, classes } = made();
    if (keep && late) this.writer.addDeferred(thunk, generics, classes);
    else if (keep) this.writer.add(thunk);
  }

  text(): CompiledFile {
    return this.writer.write(this.image, (list) => debugText(list, 20).replace(/^\(|\)$/g, ""));
  }
}

/** SHA-1 of texts. The module is loaded only where the library is compiled: starting a built one must not wait for it. */
function digest(...parts: readonly (string | Uint8Array)[]): string {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha1");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

/** Key of all TypeScript sources of the engine: a change there makes every compiled file stale. */
export function engineKey(root: string): string {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.[tj]s$/.test(file),
  );
  return digest(process.version, ...files.toSorted().map((file) => readFileSync(join(root, file))));
}

/** Key of a library file after all those before it. */
export function chainKey(before: string, source: string): string {
  return digest(before, source);
}

/** Text of compiled files once it is evaluated. Immutable code, so every image of the process may use it. */
const evaluated = new Map<string, unknown>();

/** Value of a script file, evaluated once in the process with the code cache beside it. */
export function evaluatedScript(path: string): unknown {
  const known = evaluated.get(path);
  if (known !== undefined) return known;
  const dataPath = `${path}.cache`;
  const cachedData = existsSync(dataPath) ? readFileSync(dataPath) : undefined;
  const options = { filename: path, ...(cachedData === undefined ? {} : { cachedData }) };
  const script = new Script(readFileSync(path, "utf8"), options);
  const value: unknown = script.runInThisContext();
  evaluated.set(path, value);
  if (cachedData === undefined || script.cachedDataRejected === true) toCache.set(dataPath, script);
  return value;
}

/** Scripts whose code cache is to be written when the image has been booted, and so the functions it needs are compiled. */
const toCache = new Map<string, Script>();

/** Writes the code caches that were missing. */
export function writeCodeCaches(): void {
  for (const [path, script] of toCache) writeAtomically(path, script.createCachedData());
  toCache.clear();
}

/** Loads a compiled file into an image. Throws StaleFile when the file does not fit the system. */
export function runFile(image: Image, halves: FileHalves, name: string): void {
  try {
    runCompiled(name, halves, fileHost(image), (thunk) => image.runtime.callNow(thunk));
  } catch (error) {
    if (error instanceof StaleFile) throw error;
    const unhandled = error instanceof UnhandledCondition && error.condition !== null;
    const reason = unhandled ? debugText(error.condition) : String(error);
    throw new Error(`loading ${name} failed: ${reason}`, { cause: error });
  }
}

/** The halves in the files `PATH.js` and `PATH.slow.js`. */
export function halvesIn(path: string): UnitHalves {
  return { fast: () => evaluatedScript(`${path}.js`), slow: () => evaluatedScript(`${path}.slow.js`) };
}

/** Loads a compiled file from the cache; false when it is not there. */
export function loadCompiled(image: Image, cache: LibraryCache, name: string, key: string): boolean {
  const path = join(cache.directory, `${name}-${key}`);
  if (!evaluated.has(`${path}.js`) && !existsSync(`${path}.js`)) return false;
  const [eager, lazy, deferred] = ["", ".lazy", ".deferred"].map((part) => halvesIn(`${path}${part}`));
  runFile(image, { eager: eager!, lazy: lazy!, deferred: deferred! }, name);
  return true;
}

/** Writes a compiled file and removes older ones of its name; null when a constant cannot be written: it stays uncached. */
export function storeCompiled(
  compiler: LibraryCompiler,
  cache: LibraryCache,
  name: string,
  key: string,
): CompiledFile | null {
  let text: CompiledFile;
  try {
    text = compiler.text();
  } catch (error) {
    if (error instanceof ConstantError) return null;
    throw error;
  }
  mkdirSync(cache.directory, { recursive: true });
  for (const file of readdirSync(cache.directory)) {
    // Those of this key are the same that are written here: another thread may have made them just now, and be loading them.
    const older =
      file.startsWith(`${name}-`) &&
      !file.startsWith(`${name}-${key}.`) &&
      /^[0-9a-f]{40}\./.test(file.slice(name.length + 1));
    if (older) rmSync(join(cache.directory, file), { force: true });
  }
  const path = join(cache.directory, `${name}-${key}`);
  writeAtomically(`${path}.deferred.slow.js`, text.deferred.slow);
  writeAtomically(`${path}.deferred.js`, text.deferred.fast);
  writeAtomically(`${path}.lazy.slow.js`, text.lazy.slow);
  writeAtomically(`${path}.lazy.js`, text.lazy.fast);
  writeAtomically(`${path}.slow.js`, text.eager.slow);
  writeAtomically(`${path}.js`, text.eager.fast);
  return text;
}

/** Writes a file whole or not at all. */
export function writeAtomically(path: string, data: string | Uint8Array): void {
  const temporary = `${path}.${process.pid}-${threadId}.tmp`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(temporary, data);
  renameSync(temporary, path);
}
