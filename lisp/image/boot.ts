import { readFileSync } from "node:fs";
import type { LeafInstaller } from "../data/leaf.ts";
import { symbolFunction } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { installBits } from "../numbers/bit-leaves.ts";
import { installArithmetic } from "../numbers/arithmetic-leaves.ts";
import { installNumberFunctions } from "../numbers/function-leaves.ts";
import { BootReader } from "./boot-reader.ts";
import { installCallers } from "./caller-operators.ts";
import { installCore } from "./core-leaves.ts";
import { installDefinitions } from "./definition-leaves.ts";
import { Image } from "./image.ts";

/** Installers of all leaves, in order; a later one may replace an earlier one's leaf. */
const installers: readonly LeafInstaller[] = [
  installCore,
  installArithmetic,
  installBits,
  installNumberFunctions,
];

/** Lisp files of the library in boot order; each may use what stands before it. */
const libraryFiles: readonly string[] = [];

/** A new image with all leaves and the library. */
export function bootImage(): Image {
  const image = new Image();
  image.readText = (text) => {
    const symbols = {
      symbol: (name: string) => image.symbol(name),
      findPackage: (name: string) => image.findPackage(name),
      currentPackage: () => image.commonLisp,
    };
    return new BootReader(text, symbols).next()!;
  };
  for (const install of installers) install(image.define, image);
  installDefinitions(image);
  installCallers(image);
  for (const file of libraryFiles)
    loadSource(image, new URL(`../library/${file}.lisp`, import.meta.url).pathname);
  return image;
}

/** Evaluates the forms of a file one after the other; gives the value of the last. */
export function loadSource(image: Image, path: string): LispValue | null {
  return loadText(image, readFileSync(path, "utf8"));
}

/** Evaluates the forms of a text. */
export function loadText(image: Image, text: string): LispValue | null {
  const reader = new BootReader(text, image);
  const evalFunction = symbolFunction(image.symbol("EVAL"))!;
  let value: LispValue | null = null;
  for (let form = reader.next(); form !== null; form = reader.next())
    value = image.runtime.callNow(evalFunction, form);
  return value;
}
