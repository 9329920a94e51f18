/** Reads text with the real reader and evaluates calls of leaves, without the compiler. */
import { Cons, listToArray } from "../../../lisp/data/cons.ts";
import { LispError } from "../../../lisp/data/error.ts";
import type { LeafInstaller } from "../../../lisp/data/leaf.ts";
import { LSymbol, NIL } from "../../../lisp/data/symbol.ts";
import type { LispValue } from "../../../lisp/data/value.ts";
import { ReaderContext } from "../../../lisp/reader/context.ts";
import { Reader } from "../../../lisp/reader/reader.ts";
import { installReader } from "../../../lisp/reader/reader-leaves.ts";
import { TextSource } from "../../../lisp/reader/source.ts";
import { PlainHost } from "./plain-host.ts";
import { show } from "./show.ts";

export class LeafSession {
  readonly host: PlainHost;
  readonly context: ReaderContext;

  constructor(...installers: readonly LeafInstaller[]) {
    this.host = new PlainHost(installReader, ...installers);
    this.context = new ReaderContext(this.host);
  }

  /** All objects of a text. */
  read(text: string): LispValue[] {
    const source = new TextSource(text);
    const objects: LispValue[] = [];
    for (;;) {
      const reader = new Reader(this.context, source, NIL);
      const outcome = reader.run();
      if (outcome === "end") return objects;
      if (outcome !== "done") throw new Error(`the reader asked for ${outcome}`);
      objects.push(reader.value);
    }
  }

  /** Text of all objects read, separated by spaces, or the condition type in angle brackets. */
  readText(text: string): string {
    return this.guarded(() => this.read(text).map(show).join(" "));
  }

  private evaluate(form: LispValue): LispValue {
    if (form instanceof LSymbol) return form.value;
    if (!(form instanceof Cons)) return form;
    const { name } = form.car as LSymbol;
    const args = listToArray(form.cdr) ?? [];
    if (name === "QUOTE") return args[0] ?? NIL;
    const leaf = this.host.leaves.get(name);
    if (leaf === undefined) throw new Error(`no leaf ${name}`);
    this.host.lastValues = [];
    const values = args.map((arg) => this.evaluate(arg));
    this.host.lastValues = [];
    return leaf(...values);
  }

  /** Text of the values of one form, or the condition type in angle brackets. */
  eval(text: string): string {
    return this.guarded(() => {
      const value = this.evaluate(this.read(text)[0] ?? NIL);
      const values = this.host.lastValues.length > 0 ? this.host.lastValues : [value];
      return values.map(show).join(" ");
    });
  }

  private guarded(body: () => string): string {
    try {
      return body();
    } catch (error) {
      if (error instanceof LispError) return `<${error.conditionType.replace(/^.*::SIMPLE-/, "")}>`;
      throw error;
    }
  }
}
