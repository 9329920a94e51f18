import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { list } from "../data/cons.ts";
import { LString } from "../data/string.ts";
import { NIL, symbolFunction } from "../data/symbol.ts";
import type { CompiledFile } from "../compiler/compiled-file.ts";
import { libraryFiles } from "../library/order.ts";
import type { Image } from "./image.ts";
import {
  LibraryCompiler,
  type LibraryCache,
  chainKey,
  engineKey,
  evaluatedScript,
  loadCompiled,
  halvesIn,
  runFile,
  storeCompiled,
  writeAtomically,
  writeCodeCaches,
} from "./library-loader.ts";
import { readForms } from "./source-loading.ts";

/** Name of the built library: all compiled files as one script (an array), with `.slow.js` and `.cache` beside it. */
const builtName = "lisp-library.js";

/** Folders where the library may be: beside the sources, or beside a bundle. */
const folders = ["../library/", "./library/"].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/** File beside the built library with the key of what it was built from. */
const keyName = "lisp-library.key.txt";

/**
 * Loads the library into an image: the built one when there is one, else from the sources through the cache. False when
 * something of it had to be compiled: that image has other functions than those that come from the cache.
 */
export function loadLibrary(image: Image): boolean {
  const built = folders.map((folder) => join(folder, builtName)).find((path) => existsSync(path));
  if (built === undefined) return loadSources(image, sourceCache());
  const key = oncePerProcess(built, () => readFileSync(join(dirname(built), keyName), "utf8").trim());
  loadBuilt(image, built);
  image.buildKey = () => key;
  return true;
}

/** Keys by what they are of. The engine in memory stays what it was when the files it came from are replaced. */
const keys = new Map<string, string>();

function oncePerProcess(name: string, key: () => string): string {
  let found = keys.get(name);
  if (found === undefined) keys.set(name, (found = key()));
  return found;
}

function loadBuilt(image: Image, path: string): void {
  const halves = evaluatedScript(path) as readonly unknown[];
  const slow = (index: number): unknown =>
    (evaluatedScript(path.replace(/\.js$/, ".slow.js")) as readonly unknown[])[index];
  for (const [i, half] of halves.entries()) {
    const [lazy, deferred] = ["", "-deferred"].map((part) =>
      halvesIn(join(dirname(path), `lisp-library-${i}${part}`)),
    );
    const eager = { fast: () => half, slow: () => slow(i) };
    runFile(image, { eager, lazy: lazy!, deferred: deferred! }, libraryFiles[i]!);
  }
}

/** The cache of a checkout: compiled files keyed by the engine's sources and all library files up to them. */
function sourceCache(): LibraryCache {
  const root = fileURLToPath(new URL("..", import.meta.url));
  return { directory: join(root, "..", ".cache", "lisp"), key: oncePerProcess(root, () => engineKey(root)) };
}

function loadSources(image: Image, cache: LibraryCache): boolean {
  let { key } = cache;
  let cached = true;
  for (const file of libraryFiles) {
    const source = readFileSync(join(folders[0]!, `${file}.lisp`), "utf8");
    key = chainKey(key, source);
    if (loadCompiled(image, cache, file, key)) continue;
    cached = false;
    storeCompiled(compileSource(image, file, source), cache, file, key);
  }
  writeCodeCaches();
  image.buildKey = () => key;
  return cached;
}

function compileSource(image: Image, file: string, source: string): LibraryCompiler {
  const compiler = new LibraryCompiler(image);
  const forms = readForms(image, source, `library/${file}.lisp`, (form) => compiler.form(form));
  for (const { evaluate } of forms) evaluate();
  return compiler;
}

/** Compiles the whole library in a bare image and writes it to `folder`; the code caches are written by `cacheBuiltLibrary`. */
export function buildLibrary(image: Image, folder: string): void {
  const files: CompiledFile[] = libraryFiles.map((file) =>
    compileSource(image, file, readFileSync(join(folders[0]!, `${file}.lisp`), "utf8")).text(),
  );
  const path = (name: string): string => join(folder, name);
  for (const [i, { lazy, deferred }] of files.entries()) {
    for (const [part, text] of [["", lazy] as const, ["-deferred", deferred] as const]) {
      writeAtomically(path(`lisp-library-${i}${part}.slow.js`), text.slow);
      writeAtomically(path(`lisp-library-${i}${part}.js`), text.fast);
    }
  }
  writeAtomically(
    path(builtName.replace(/\.js$/, ".slow.js")),
    `[${files.map((f) => f.eager.slow).join(",\n")}]`,
  );
  writeAtomically(path(builtName), `[${files.map((f) => f.eager.fast).join(",\n")}]`);
  const sources = libraryFiles.map((file) => readFileSync(join(folders[0]!, `${file}.lisp`), "utf8"));
  writeAtomically(path(keyName), `${sources.reduce(chainKey, engineKey(dirname(folder)))}\n`);
}

/** Boots once from a built library, evaluates a little and writes code caches, which then hold the functions that took part. */
export function cacheBuiltLibrary(image: Image, folder: string): void {
  loadBuilt(image, join(folder, builtName));
  image.booted = true;
  const run = symbolFunction(image.symbol("SYS:RUN-ACTIONS"))!;
  const text = LString.from('(defun twice (x) (* 2 x)) (twice 1) (format nil "~A" (list \'a "b" 1.5))');
  image.runtime.callNow(run, list(list(image.keyword("EVAL"), text, NIL)), NIL);
  writeCodeCaches();
}
