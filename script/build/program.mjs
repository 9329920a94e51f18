/** Bundles the program to function expressions that `start.cjs` loads, and writes an entry for the launcher and for each thread. */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { withoutUnusedParts } from "./unused-parts.mjs";

/**
 * Writes `<name>.cjs` to `folder` for each of `entries` (absolute paths of compiled modules), and the parts they share below it.
 * `external` packages stay outside.
 */
export async function bundleProgram(entries, folder, external) {
  const build = await rolldown({
    input: Object.fromEntries(entries.map((file) => [basename(file, ".js"), file])),
    platform: "node",
    external,
    plugins: [withoutUnusedParts()],
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
    writeFileSync(join(parts, part.fileName), text);
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
}
