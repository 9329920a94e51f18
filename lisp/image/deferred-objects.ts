import type { DeferredDefinitions } from "../compiler/compiled-file.ts";
import type { LFunction } from "../data/function.ts";
import type { Cons } from "../data/cons.ts";
import { LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { GenericFunction } from "../objects/class.ts";
import { objectSystem } from "../objects/object-system.ts";
import type { Image } from "./image.ts";

/** Lets definitions of the library wait until one of their objects is asked for. */
export function deferDefinitions(image: Image, definitions: DeferredDefinitions): void {
  const { deferred } = objectSystem(image);
  deferred.add(definitions, (thunk) => runAtBoot(image, thunk));
  for (const cell of definitions.generics) image.stubs.set(cell.fn!, () => deferred.make());
}

/** Calls a top-level thunk of the library as the boot does: in its package, and with COMMON-LISP open. */
function runAtBoot(image: Image, thunk: LFunction): void {
  const { booted, location } = image;
  const packageVariable = image.symbol("*PACKAGE*");
  const { value } = packageVariable;
  image.booted = false;
  image.location = null;
  packageVariable.value = image.system;
  try {
    image.runtime.callNow(thunk);
  } finally {
    image.booted = booted;
    image.location = location;
    packageVariable.value = value;
  }
}

/** Function cells and class names that were filled. */
interface MadeObjects {
  readonly generics: readonly LSymbol[];
  readonly classes: readonly LSymbol[];
}

/** Starts to watch for new generic functions and classes; the result ends that and tells what was made. */
export function madeObjects(image: Image): () => MadeObjects {
  const system = objectSystem(image);
  const generics: LSymbol[] = [];
  const classes: LSymbol[] = [];
  system.onMade = (object, name) => {
    if (object instanceof GenericFunction) generics.push(cellOf(image, name));
    else classes.push(name as LSymbol);
  };
  return () => {
    system.onMade = () => undefined;
    return { generics, classes };
  };
}

/** The function cell of a name, `symbol` or `(setf symbol)`. */
function cellOf(image: Image, name: LispValue): LSymbol {
  if (name instanceof LSymbol) return name;
  return image.setfCell(((name as Cons).cdr as Cons).car as LSymbol);
}
