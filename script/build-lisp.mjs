/**
 * Compiles the Lisp library of a build: `node script/build-lisp.mjs FOLDER…`, after `tsc` has written the engine. The first folder
 * is the `library` folder beside the compiled engine; the others get copies (`dist/bundle/library`).
 */
import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...copies] = process.argv.slice(2).map((path) => resolve(path));
const image = join(dirname(folder), "image");
const { bareImage } = await import(pathToFileURL(join(image, "boot.js")).href);
const { buildLibrary, cacheBuiltLibrary } = await import(pathToFileURL(join(image, "library.js")).href);
const { nodeHostPort } = await import(pathToFileURL(join(image, "../streams/node-host.js")).href);

buildLibrary(bareImage(nodeHostPort()), folder);
cacheBuiltLibrary(bareImage(nodeHostPort()), folder);
for (const copy of copies) {
  mkdirSync(copy, { recursive: true });
  for (const name of readdirSync(folder).filter((file) => file.startsWith("lisp-library"))) {
    cpSync(join(folder, name), join(copy, name));
  }
}
