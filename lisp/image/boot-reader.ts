import { char } from "../data/character.ts";
import { Cons, arrayToList, list } from "../data/cons.ts";
import { DoubleFloat, SingleFloat, normalizeBigint } from "../data/number.ts";
import { LString } from "../data/string.ts";
import { LPackage, type LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** What the reader needs to make symbols. */
export interface SymbolSource {
  symbol(name: string): LSymbol;
  findPackage(name: string): LPackage | null;
  currentPackage(): LPackage;
}

const END = Symbol("end of text");
const names: Record<string, number> = {
  SPACE: 32,
  NEWLINE: 10,
  TAB: 9,
  PAGE: 12,
  RETURN: 13,
  LINEFEED: 10,
  BACKSPACE: 8,
  RUBOUT: 127,
  NUL: 0,
  NULL: 0,
};

/** Reader of standard syntax for sources of the system itself: no read-time evaluation, no user macros. */
export class BootReader {
  private readonly text: string;
  private at = 0;
  private readonly symbols: SymbolSource;

  constructor(text: string, symbols: SymbolSource) {
    this.text = text;
    this.symbols = symbols;
  }

  /** Next form, or null at the end. */
  next(): LispValue | null {
    const form = this.read();
    return form === END ? null : (form as LispValue);
  }

  private fail(what: string): Error {
    const line = this.text.slice(0, this.at).split("\n").length;
    return new SyntaxError(`${what} in line ${line}`);
  }

  private skip(): void {
    for (;;) {
      const ch = this.text[this.at];
      if (ch === undefined) return;
      if (/\s/.test(ch)) this.at++;
      else if (ch === ";") while (this.at < this.text.length && this.text[this.at] !== "\n") this.at++;
      else if (ch === "#" && this.text[this.at + 1] === "|") {
        let depth = 0;
        do {
          if (this.text.startsWith("#|", this.at)) {
            depth++;
            this.at += 2;
          } else if (this.text.startsWith("|#", this.at)) {
            depth--;
            this.at += 2;
          } else this.at++;
        } while (depth > 0 && this.at < this.text.length);
      } else return;
    }
  }

  private form(): LispValue {
    const form = this.read();
    if (form === END) throw this.fail("unexpected end of text");
    return form as LispValue;
  }

  private read(): LispValue | typeof END {
    this.skip();
    const ch = this.text[this.at];
    if (ch === undefined) return END;
    switch (ch) {
      case "(":
        this.at++;
        return this.list();
      case ")":
        throw this.fail("unexpected )");
      case "'":
        this.at++;
        return list(this.symbols.symbol("QUOTE"), this.form());
      case "`":
        this.at++;
        return this.backquote(this.form());
      case ",": {
        const splice = this.text[this.at + 1] === "@";
        this.at += splice ? 2 : 1;
        return list(this.symbols.symbol(splice ? "SYS:UNQUOTE-SPLICING" : "SYS:UNQUOTE"), this.form());
      }
      case '"':
        return this.string();
      case "#":
        return this.sharp();
      default:
        return this.token();
    }
  }

  private list(): LispValue {
    const items: LispValue[] = [];
    let tail: LispValue = NIL;
    for (;;) {
      this.skip();
      const ch = this.text[this.at];
      if (ch === undefined) throw this.fail("unexpected end of text in a list");
      if (ch === ")") {
        this.at++;
        return arrayToList(items, 0, tail);
      }
      if (ch === "." && /[\s()]/.test(this.text[this.at + 1] ?? " ")) {
        this.at++;
        tail = this.form();
        continue;
      }
      if (ch === "#" && (this.text[this.at + 1] === "+" || this.text[this.at + 1] === "-")) {
        const kept = this.feature();
        if (kept !== null) items.push(kept);
        continue;
      }
      items.push(this.form());
    }
  }

  /** `#+` and `#-`; null when the form is skipped. */
  private feature(): LispValue | null {
    const wanted = this.text[this.at + 1] === "+";
    this.at += 2;
    this.form();
    const form = this.form();
    return wanted ? null : form;
  }

  private string(): LString {
    let text = "";
    for (this.at++; ; this.at++) {
      const ch = this.text[this.at];
      if (ch === undefined) throw this.fail("unexpected end of text in a string");
      if (ch === '"') break;
      if (ch === "\\") this.at++;
      text += this.text[this.at];
    }
    this.at++;
    return LString.from(text);
  }

  private sharp(): LispValue | typeof END {
    const next = this.text[this.at + 1];
    switch (next) {
      case "'":
        this.at += 2;
        return list(this.symbols.symbol("FUNCTION"), this.form());
      case "(": {
        this.at += 2;
        const items: LispValue[] = [];
        for (let rest = this.list(); rest instanceof Cons; rest = rest.cdr) items.push(rest.car);
        return items;
      }
      case "\\": {
        this.at += 2;
        let name = String.fromCodePoint(this.text.codePointAt(this.at)!);
        this.at += name.length;
        while (/[^\s()"';`,]/.test(this.text[this.at] ?? " ")) name += this.text[this.at++];
        const code = [...name].length === 1 ? name.codePointAt(0) : names[name.toUpperCase()];
        if (code === undefined) throw this.fail(`unknown character name ${name}`);
        return char(code);
      }
      case ":": {
        this.at += 2;
        return this.symbols.symbol(`#:${this.tokenText()}`);
      }
      case "+":
      case "-":
        return this.feature() ?? this.read();
      case "x":
      case "X":
        this.at += 2;
        return normalizeBigint(BigInt(`0x${this.tokenText()}`));
      case "b":
      case "B":
        this.at += 2;
        return normalizeBigint(BigInt(`0b${this.tokenText()}`));
      default:
        throw this.fail(`unsupported dispatch character ${next}`);
    }
  }

  private tokenText(): string {
    let text = "";
    for (;;) {
      const ch = this.text[this.at];
      if (ch === undefined || /[\s()"';`,]/.test(ch)) return text;
      this.at++;
      if (ch === "|") {
        while (this.text[this.at] !== "|") text += this.text[this.at++];
        this.at++;
      } else if (ch === "\\") text += this.text[this.at++];
      else text += ch.toUpperCase();
    }
  }

  private token(): LispValue {
    const start = this.at;
    const text = this.tokenText();
    const raw = this.text.slice(start, this.at);
    if (/^[-+]?\d+\.?$/.test(raw)) return normalizeBigint(BigInt(text.replace("+", "").replace(".", "")));
    const float = /^([-+]?\d*\.?\d+)(?:([ESFDL])([-+]?\d+))?$/.exec(text);
    if (float !== null && raw === this.text.slice(start, this.at) && !raw.startsWith("|")) {
      const value = Number(`${float[1]}e${float[3] ?? "0"}`);
      return float[2] === "D" || float[2] === "L" ? new DoubleFloat(value) : new SingleFloat(value);
    }
    const colon = text.indexOf(":");
    if (colon === 0) return this.symbols.symbol(text);
    if (colon > 0) {
      const pkg = this.symbols.findPackage(text.slice(0, colon));
      if (pkg === null) throw this.fail(`unknown package in ${text}`);
      return pkg.intern(text.slice(colon).replace(/^:+/, ""));
    }
    return this.symbols.currentPackage().intern(text);
  }

  private backquote(form: LispValue): LispValue {
    const sym = (name: string): LSymbol => this.symbols.symbol(name);
    if (!(form instanceof Cons)) {
      if (Array.isArray(form))
        return list(
          sym("APPLY"),
          list(sym("FUNCTION"), sym("VECTOR")),
          this.backquote(arrayToList(form as LispValue[])),
        );
      return typeof form === "object" && "plist" in form ? list(sym("QUOTE"), form) : form;
    }
    if (form.car === sym("SYS:UNQUOTE")) return (form.cdr as Cons).car;
    const parts: LispValue[] = [];
    let rest: LispValue = form;
    while (rest instanceof Cons && rest.car !== sym("SYS:UNQUOTE")) {
      const item = rest.car;
      if (item instanceof Cons && item.car === sym("SYS:UNQUOTE-SPLICING"))
        parts.push((item.cdr as Cons).car);
      else parts.push(list(sym("LIST"), this.backquote(item)));
      rest = rest.cdr;
    }
    if (rest !== NIL) parts.push(this.backquote(rest));
    return parts.length === 1 && parts[0] instanceof Cons && rest === NIL && parts[0].car === sym("LIST")
      ? parts[0]
      : new Cons(sym("APPEND"), arrayToList(parts));
  }
}
