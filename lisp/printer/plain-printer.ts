import { LArray } from "../data/array.ts";
import { Cons } from "../data/cons.ts";
import { NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { AtomPrinter } from "./atom-text.ts";
import type { PrintSettings } from "./settings.ts";

/**
 * Prints plain data (atoms, lists, vectors, arrays) in one go. It gives up, having written nothing, at an object that
 * Lisp code must print, or when the data is larger than its budget: then the printer in Lisp does the work, piece by
 * piece and interruptible.
 */

/** Objects printed before giving up; the printer in Lisp then goes on in slices. */
const budgetObjects = 20_000;
const maximumDepth = 200;

/** Ends an attempt that cannot succeed. */
class GiveUp extends Error {
  constructor() {
    super("not plain data");
    this.name = "GiveUp";
  }
}

const giveUp = new GiveUp();

export class PlainPrinter {
  private readonly atoms: AtomPrinter;
  private readonly quotes: ReadonlyMap<LispValue, string>;
  private budget = 0;
  private settings: PrintSettings | undefined;

  /** `quotes` maps QUOTE and FUNCTION to their abbreviations, which are used when *PRINT-PRETTY* is true. */
  constructor(atoms: AtomPrinter, quotes: ReadonlyMap<LispValue, string>) {
    this.atoms = atoms;
    this.quotes = quotes;
  }

  /** The text of plain data at a depth of nesting, or undefined. */
  print(object: LispValue, settings: PrintSettings, depth: number): string | undefined {
    const atom = this.atoms.text(object, settings);
    if (atom !== undefined) return atom;
    this.budget = budgetObjects;
    this.settings = settings;
    try {
      return this.object(object, depth, settings);
    } catch (error) {
      if (error === giveUp) return undefined;
      throw error;
    }
  }

  private object(object: LispValue, depth: number, settings: PrintSettings): string {
    if (this.budget-- <= 0 || depth > maximumDepth) throw giveUp;
    const compound = object instanceof Cons || Array.isArray(object) || object instanceof LArray;
    if (!compound || (object instanceof LArray && object.rank === 1 && object.type === "bit")) {
      const atom = this.atoms.text(object, settings);
      if (atom === undefined) throw giveUp;
      return atom;
    }
    if (settings.level !== undefined && depth >= settings.level) return "#";
    if (object instanceof Cons) return this.list(object, depth, settings);
    if (!settings.array) throw giveUp;
    if (Array.isArray(object)) return this.vector(object.length, (i) => object[i]!, depth, settings);
    return this.array(object, depth, settings);
  }

  private list(list: Cons, depth: number, settings: PrintSettings): string {
    if (list.cdr instanceof Cons && list.cdr.cdr === NIL) {
      const quote = this.quotes.get(list.car);
      // The marks of a backquoted template have no other notation; quotes are abbreviated by the pretty printer only.
      if (quote !== undefined && (settings.pretty || !quote.endsWith("'")))
        return quoted(quote, this.object(list.cdr.car, depth, settings));
    }
    let text = "(";
    let count = 0;
    let rest: LispValue = list;
    while (rest instanceof Cons) {
      if (count > 0) text += " ";
      if (settings.length !== undefined && count >= settings.length) return `${text}...)`;
      text += this.object(rest.car, depth + 1, settings);
      count++;
      if (this.budget <= 0) throw giveUp;
      rest = rest.cdr;
      if (this.isDottedUnquote(rest)) break;
    }
    if (rest !== NIL) text += ` . ${this.object(rest, depth + 1, settings)}`;
    return `${text})`;
  }

  /** A comma after a dot in a template: `(a . ,b)` is read as `(a UNQUOTE b)`. */
  private isDottedUnquote(rest: LispValue): boolean {
    if (!(rest instanceof Cons && rest.cdr instanceof Cons && rest.cdr.cdr === NIL)) return false;
    return this.quotes.get(rest.car) === ",";
  }

  private vector(
    length: number,
    at: (i: number) => LispValue,
    depth: number,
    settings: PrintSettings,
  ): string {
    let text = "#(";
    for (let i = 0; i < length; i++) {
      if (i > 0) text += " ";
      if (settings.length !== undefined && i >= settings.length) return `${text}...)`;
      text += this.object(at(i), depth + 1, settings);
    }
    return `${text})`;
  }

  private array(array: LArray, depth: number, settings: PrintSettings): string {
    // What a form keeps and this notation would lose.
    if (settings.readably && (array.type !== "t" || array.characters)) throw giveUp;
    if (array.rank === 1) return this.vector(array.length, (i) => array.ref(i), depth, settings);
    if (settings.readably && array.dims.includes(0)) throw giveUp;
    if (array.rank === 0) return `#0A${this.object(array.ref(0), depth + 1, settings)}`;
    return `#${array.rank}A${this.dimension(array, 0, 0, depth, settings)}`;
  }

  private dimension(
    array: LArray,
    axis: number,
    start: number,
    depth: number,
    settings: PrintSettings,
  ): string {
    if (axis === array.rank) return this.object(array.ref(start), depth, settings);
    if (settings.level !== undefined && depth >= settings.level) return "#";
    const stride = array.dims.slice(axis + 1).reduce((product, dim) => product * dim, 1);
    let text = "(";
    for (let i = 0; i < array.dims[axis]!; i++) {
      if (i > 0) text += " ";
      if (settings.length !== undefined && i >= settings.length) return `${text}...)`;
      text += this.dimension(array, axis + 1, start + i * stride, depth + 1, settings);
    }
    return `${text})`;
  }
}

/** A mark before the text it belongs to; a blank keeps a comma apart from what would look like a splicing mark. */
function quoted(mark: string, text: string): string {
  return mark === "," && /^[@.]/.test(text) ? `, ${text}` : mark + text;
}
