/**
 * Expansion of backquoted templates into calls of LIST, LIST*, APPEND and the like. The reader makes `(SYS:QUASIQUOTE template)`
 * with `(SYS:UNQUOTE form)` and `(SYS:UNQUOTE-SPLICING form)` inside; an inner backquote is expanded before the outer one, so a
 * comma belongs to the innermost backquote around it.
 */
import { arrayToList, Cons, list } from "../data/cons.ts";
import { programError } from "../data/error.ts";
import type { LeafHost } from "../data/leaf.ts";
import { LSymbol, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** The symbols an expansion is made of. */
export interface BackquoteSymbols {
  readonly quasiquote: LSymbol;
  readonly unquote: LSymbol;
  readonly splicing: LSymbol;
  readonly quote: LSymbol;
  readonly list: LSymbol;
  readonly listStar: LSymbol;
  readonly cons: LSymbol;
  readonly append: LSymbol;
  readonly coerceToVector: LSymbol;
}

export function backquoteSymbols(host: LeafHost): BackquoteSymbols {
  return {
    quasiquote: host.symbol("SYS:QUASIQUOTE"),
    unquote: host.symbol("SYS:UNQUOTE"),
    splicing: host.symbol("SYS:UNQUOTE-SPLICING"),
    quote: host.symbol("QUOTE"),
    list: host.symbol("LIST"),
    listStar: host.symbol("LIST*"),
    cons: host.symbol("CONS"),
    append: host.symbol("APPEND"),
    coerceToVector: host.symbol("SYS:LIST-TO-SIMPLE-VECTOR"),
  };
}

/** Part of a list being built: a constant element, the form of an element, or the form of a list to splice in. */
interface Piece {
  readonly kind: "constant" | "form" | "splice";
  readonly value: LispValue;
}

function isUnary(x: LispValue, head: LSymbol): x is Cons {
  return x instanceof Cons && x.car === head && x.cdr instanceof Cons && x.cdr.cdr === NIL;
}

function operand(x: Cons): LispValue {
  return (x.cdr as Cons).car;
}

function isSelfEvaluating(x: LispValue): boolean {
  if (x instanceof Cons) return false;
  return !(x instanceof LSymbol) || x === NIL || x === T || x.pkg?.keywords === true;
}

/** The form that makes what a template stands for. */
export function expandTemplate(s: BackquoteSymbols, template: LispValue): LispValue {
  const piece = expandElement(s, template);
  if (piece.kind === "splice") throw programError(",@ does not stand inside a list.");
  return formOf(s, piece);
}

function formOf(s: BackquoteSymbols, piece: Piece): LispValue {
  if (piece.kind !== "constant" || isSelfEvaluating(piece.value)) return piece.value;
  return list(s.quote, piece.value);
}

function expandElement(s: BackquoteSymbols, x: LispValue): Piece {
  if (Array.isArray(x)) return expandVector(s, x as LispValue[]);
  if (!(x instanceof Cons)) return { kind: "constant", value: x };
  if (isUnary(x, s.unquote)) return { kind: "form", value: operand(x) };
  if (isUnary(x, s.splicing)) return { kind: "splice", value: operand(x) };
  if (isUnary(x, s.quasiquote)) return expandElement(s, expandTemplate(s, operand(x)));
  return expandList(s, x);
}

function expandVector(s: BackquoteSymbols, items: LispValue[]): Piece {
  if (items.length === 0) return { kind: "constant", value: items };
  const contents = expandElement(s, arrayToList(items));
  if (contents.kind === "constant") return { kind: "constant", value: items };
  return { kind: "form", value: list(s.coerceToVector, contents.value) };
}

/** A comma or backquote in tail position, as in `(a . ,b), is the end of the list and not two elements. */
function isMarked(s: BackquoteSymbols, x: LispValue): boolean {
  return isUnary(x, s.unquote) || isUnary(x, s.splicing) || isUnary(x, s.quasiquote);
}

function expandList(s: BackquoteSymbols, x: Cons): Piece {
  const pieces: Piece[] = [];
  let rest: LispValue = x;
  // A list that comes round to a cell it has passed has no end (Brent's method).
  for (let mark: LispValue = NIL, limit = 64; rest instanceof Cons && !isMarked(s, rest);) {
    pieces.push(expandElement(s, rest.car));
    rest = rest.cdr;
    if (rest === mark && rest instanceof Cons) {
      if (pieces.every((piece) => piece.kind === "constant")) return { kind: "constant", value: x };
      throw programError("A circular list with commas cannot be a template.");
    }
    if (pieces.length === limit) {
      mark = rest;
      limit *= 2;
    }
  }
  const tail = expandElement(s, rest);
  if (tail.kind === "splice") throw programError(",@ stands after a dot.");
  if (tail.kind === "constant" && pieces.every((piece) => piece.kind === "constant"))
    return { kind: "constant", value: x };
  return { kind: "form", value: assemble(s, pieces, tail) };
}

/** Joins pieces from the back; runs of elements become LIST, LIST* or a quoted constant list. */
function assemble(s: BackquoteSymbols, pieces: readonly Piece[], end: Piece): LispValue {
  let tail = end;
  let i = pieces.length;
  while (i > 0) {
    if ((pieces[i - 1] as Piece).kind === "splice") {
      const spliced = pieces[--i] as Piece;
      tail = { kind: "form", value: appendForm(s, spliced.value, tail) };
      continue;
    }
    const stop = i;
    while (i > 0 && (pieces[i - 1] as Piece).kind !== "splice") i--;
    tail = elementsBefore(s, pieces.slice(i, stop), tail);
  }
  return formOf(s, tail);
}

function isNil(piece: Piece): boolean {
  return piece.kind === "constant" && piece.value === NIL;
}

function appendForm(s: BackquoteSymbols, first: LispValue, tail: Piece): LispValue {
  // APPEND of one argument returns it as it is, even when it is no list: `(,@x) is x.
  if (isNil(tail)) return list(s.append, first);
  const form = tail.value;
  if (tail.kind === "form" && form instanceof Cons && form.car === s.append)
    return new Cons(s.append, new Cons(first, form.cdr));
  return list(s.append, first, formOf(s, tail));
}

function elementsBefore(s: BackquoteSymbols, elements: readonly Piece[], tail: Piece): Piece {
  if (tail.kind === "constant") {
    // Constant elements at the end join the constant tail.
    let keep = elements.length;
    while (keep > 0 && (elements[keep - 1] as Piece).kind === "constant") keep--;
    if (keep < elements.length) {
      const value = arrayToList(
        elements.slice(keep).map((e) => e.value),
        0,
        tail.value,
      );
      const joined: Piece = { kind: "constant", value };
      return keep === 0 ? joined : elementsBefore(s, elements.slice(0, keep), joined);
    }
  }
  const forms = elements.map((e) => formOf(s, e));
  if (isNil(tail)) return { kind: "form", value: new Cons(s.list, arrayToList(forms)) };
  // An element that an outer backquote splices may become several arguments, which CONS does not take.
  const operator = forms.length === 1 && !isUnary(forms[0] as LispValue, s.splicing) ? s.cons : s.listStar;
  return { kind: "form", value: new Cons(operator, arrayToList([...forms, formOf(s, tail)])) };
}
