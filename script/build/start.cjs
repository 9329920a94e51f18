/**
 * Loads the parts of the program with the code that V8 kept of an earlier run, lazily compiled functions included: Node's own
 * compile cache keeps only what a module compiles while it is loaded. Copied to `dist/bundle` by the build.
 */
"use strict";
const { existsSync, readFileSync, statSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { Script, constants } = require("node:vm");

const parts = join(__dirname, "parts");
const loaded = new Map();
const scripts = [];

/** While this file is there, the code of every loaded part is kept for later starts (script/build/warm-up.mjs). */
const isKeeping = existsSync(join(parts, "keep-code"));

/** The exports of a part, which is run once. Parts are written by script/build/program.mjs as function expressions. */
function load(name) {
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const filename = join(parts, name);
  const script = new Script(readFileSync(filename, "latin1"), {
    filename,
    cachedData: keptCode(filename),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (isKeeping) scripts.push({ filename, script });
  const part = { exports: {} };
  loaded.set(name, part);
  const required = (id) =>
    id.startsWith("./") ? load(id.slice(2)) : rarelyUsed.has(id) ? whenUsed(id) : require(id);
  // Parts find files, and the entries of threads, beside this one.
  script.runInThisContext()(
    part.exports,
    required,
    part,
    join(__dirname, `${name.slice(0, -3)}.cjs`),
    __dirname,
  );
  return part.exports;
}

/** Modules of Node that packages ask for while they are loaded and hardly ever use. */
const rarelyUsed = new Set(["assert", "dns", "tls"]);

/** Stands for a module, which is loaded when something of it is used. */
function whenUsed(id) {
  let known;
  const used = () => (known ??= require(id));
  return new Proxy(function () {}, {
    get: (_, name) => used()[name],
    has: (_, name) => name in used(),
    apply: (_, self, values) => Reflect.apply(used(), self, values),
  });
}

/** Undefined where none was kept; code of another Node or other flags is refused by V8 itself. */
function keptCode(filename) {
  try {
    return readFileSync(`${filename}.code`);
  } catch {
    return undefined;
  }
}

/** Keeps the code of what was loaded where it is more than was kept before. */
function keepCode() {
  for (const { filename, script } of scripts) {
    const code = script.createCachedData();
    const kept = statSync(`${filename}.code`, { throwIfNoEntry: false })?.size ?? 0;
    if (code.length > kept) writeFileSync(`${filename}.code`, code);
  }
}

if (isKeeping) {
  process.on("exit", keepCode);
  // A pool ends its threads without their knowing.
  if (!require("node:worker_threads").isMainThread) setInterval(keepCode, 50).unref();
}

module.exports = { load };
