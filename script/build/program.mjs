/** Bundles the program to function expressions that `start.cjs` loads, and writes an entry for the launcher and for each thread. */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { withoutUnusedParts } from "./unused-parts.mjs";

/**
 * Dynamic imports of modules below `directory` stay imports, of modules beside the program's entries: the terminal's packages wait at
 * their top level, which only modules can. What was found is added to `found`.
 */
function keptAsModules(directory, found) {
  return {
    name: "kept-as-modules",
    resolveId(source, importer, { kind }) {
      if (kind !== "dynamic-import" || importer === undefined) return undefined;
      const file = resolve(dirname(importer), source);
      if (!file.startsWith(join(directory, "/"))) return undefined;
      found.add(file);
      return { id: `../${basename(file)}`, external: true };
    },
  };
}

/**
 * Writes `<name>.cjs` to `folder` for each of `entries` (absolute paths of compiled modules), and the parts they share below it.
 * `external` packages stay outside. Resolves to the modules, dynamically imported from below `moduleDirectory`, that have to be put
 * into `folder` as modules.
 */
export async function bundleProgram({ entries, folder, external, moduleDirectory }) {
  const modules = new Set();
  const build = await rolldown({
    input: Object.fromEntries(entries.map((file) => [basename(file, ".js"), file])),
    platform: "node",
    external,
    plugins: [withoutUnusedParts(), keptAsModules(moduleDirectory, modules)],
    logLevel: "warn",
  });
  const { output } = await build.generate({
    format: "cjs",
    chunkFileNames: "[name]-[hash].js",
    entryFileNames: "[name].js",
  });
  await build.close();
  const parts = join(folder, "parts");
  mkdirSync(parts, { recursive: true });
  for (const part of output) {
    // Nothing may stand before the function: lines of errors stay those of the part.
    const text = `(function (exports, require, module, __filename, __dirname) {${part.code}\n})`;
    writeFileSync(join(parts, part.fileName), inAscii(text), "latin1");
  }
  // Everything below is CommonJS, whatever the package says.
  writeFileSync(join(parts, "package.json"), '{ "type": "commonjs" }\n');
  cpSync(fileURLToPath(new URL("./start.cjs", import.meta.url)), join(folder, "start.cjs"));
  for (const file of entries) {
    const name = basename(file, ".js");
    writeFileSync(
      join(folder, `${name}.cjs`),
      `module.exports = require("./start.cjs").load("${name}.js");\n`,
    );
  }
  return [...modules];
}

/** Text of one byte a character is read as it is, and takes half the memory. Code means the same with escapes. */
function inAscii(code) {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
