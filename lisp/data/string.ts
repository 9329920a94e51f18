const surrogate = /[\ud800-\udfff]/;

/** Elements up to which the text of a string is written out piece by piece, which is quicker than a call for an array. */
const FEW = 48;

/** Elements of a string that become text at once. */
const PIECE = 8192;

/** The text of a few elements, or null when some may not be characters of one unit of JavaScript. */
function fewUnits(codes: Uint32Array, start: number, end: number): string | null {
  let text = "";
  let i = start;
  for (; i + 4 <= end; i += 4) {
    const a = codes[i]!;
    const b = codes[i + 1]!;
    const c = codes[i + 2]!;
    const d = codes[i + 3]!;
    if ((a | b | c | d) >= 0xd800) return null;
    text += String.fromCharCode(a, b, c, d);
  }
  for (; i < end; i++) {
    const code = codes[i]!;
    if (code >= 0xd800) return null;
    text += String.fromCharCode(code);
  }
  return text;
}

/** The text of the elements of a part. */
function pieceText(piece: Uint32Array): string {
  for (const code of piece) if (code > 0xffff) return String.fromCodePoint(...piece);
  return String.fromCharCode.apply(null, piece as unknown as number[]);
}

/** True for a text in which one character may take two units. */
export function hasSurrogates(text: string): boolean {
  return surrogate.test(text);
}

/** The code points of a text; a lone surrogate is one. */
export function codePoints(text: string): Uint32Array {
  const codes = new Uint32Array(text.length);
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i)!;
    codes[count++] = code;
    if (code > 0xffff) i++;
  }
  return codes.subarray(0, count);
}

/** Characters from which on a text is decoded as a whole. */
const DECODED = 256;

let decoder: TextDecoder | undefined;

/** The text of codes below the surrogates; undefined when there are others. */
function decoded(codes: Uint32Array): string | undefined {
  const units = new Uint16Array(codes.length);
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (code >= 0xd800) return undefined;
    units[i] = code;
  }
  decoder ??= new TextDecoder("utf-16le", { ignoreBOM: true });
  return decoder.decode(units);
}

/** What a string can be displaced to: another string, or a view of an array of characters of another rank. */
export interface CodeStore {
  code(index: number): number;
  setCode(index: number, code: number): void;
  slice(start: number, end: number): string;
}

/** Where the elements of a displaced string are. */
interface Displacement {
  readonly target: CodeStore;
  readonly offset: number;
}

/**
 * A string: a vector of code points. The storage is hidden: an unmodified string without surrogates stays the JavaScript
 * string it came from; the first write turns it into a Uint32Array.
 *
 * `length` respects the fill pointer; `total` does not. Indices are not checked here: the caller checks them.
 */
export class LString implements CodeStore {
  /** Text of all `total` elements when it is known and free of surrogates, else null. */
  private text: string | null;
  /** Code points; null while only `text` holds them. May be longer than `total`. */
  private codes: Uint32Array | null;
  /** Number of elements without regard to the fill pointer (ARRAY-TOTAL-SIZE). */
  total: number;
  /** Fill pointer, or -1 when there is none. */
  fillPointer = -1;
  /** Actually adjustable. */
  adjustable = false;
  /** Made with element type BASE-CHAR (or a subtype). */
  base = false;
  /** Made with element type NIL: a string by the standard, whose elements cannot be stored. */
  barren = false;
  /** Where the elements really are, when displaced. */
  displacement: Displacement | null = null;

  private constructor(text: string | null, codes: Uint32Array | null, total: number) {
    this.text = text;
    this.codes = codes;
    this.total = total;
  }

  /** String of the code points of a JavaScript string (surrogate pairs become one character). */
  static from(text: string): LString {
    if (!surrogate.test(text)) return new LString(text, null, text.length);
    const codes = codePoints(text);
    return new LString(null, codes, codes.length);
  }

  /** String over these code points; the array is kept, not copied. */
  static fromCodes(codes: Uint32Array, total = codes.length): LString {
    return new LString(null, codes, total);
  }

  /** New string of `length` times the code point `fill`. */
  static make(length: number, fill = 0): LString {
    const codes = new Uint32Array(length);
    if (fill !== 0) codes.fill(fill);
    return new LString(null, codes, length);
  }

  /** String displaced to another: element i is element i + offset of the target. */
  static displaced(target: CodeStore, offset: number, total: number): LString {
    const result = new LString(null, null, total);
    result.displacement = { target, offset };
    return result;
  }

  /** Number of active elements. */
  get length(): number {
    return this.fillPointer >= 0 ? this.fillPointer : this.total;
  }

  /** SIMPLE-STRING: neither fill pointer, adjustable nor displaced. */
  get simple(): boolean {
    return this.fillPointer < 0 && !this.adjustable && this.displacement === null;
  }

  /** Code point at an index below `total`. */
  code(index: number): number {
    if (this.codes !== null) return this.codes[index]!;
    if (this.text !== null) return this.text.charCodeAt(index);
    const { target, offset } = this.displacement!;
    return target.code(index + offset);
  }

  setCode(index: number, code: number): void {
    if (this.displacement !== null) {
      this.displacement.target.setCode(index + this.displacement.offset, code);
      return;
    }
    this.writable()[index] = code;
    this.text = null;
  }

  /** The text of the active elements as a JavaScript string. Lone surrogates stay as they are. */
  toJS(): string {
    if (this.displacement !== null) {
      const { target, offset } = this.displacement;
      return target.slice(offset, offset + this.length);
    }
    this.text ??= this.assemble(0, this.total);
    return this.fillPointer >= 0 ? this.slice(0, this.fillPointer) : this.text;
  }

  /** JavaScript text of the elements start … end - 1, without regard to the fill pointer. */
  slice(start: number, end: number): string {
    if (this.displacement !== null) {
      const { target, offset } = this.displacement;
      return target.slice(start + offset, end + offset);
    }
    if (this.text !== null && this.text.length === this.total) return this.text.slice(start, end);
    return this.assemble(start, end);
  }

  /** New simple string of the elements start … end - 1. */
  substring(start: number, end: number): LString {
    if (this.text !== null && this.text.length === this.total)
      return new LString(this.text.slice(start, end), null, end - start);
    if (this.codes !== null && this.displacement === null) {
      const text = end - start <= FEW ? fewUnits(this.codes, start, end) : null;
      if (text !== null) return new LString(text, null, text.length);
      return LString.fromCodes(this.codes.slice(start, end));
    }
    const codes = new Uint32Array(end - start);
    for (let i = start; i < end; i++) codes[i - start] = this.code(i);
    return LString.fromCodes(codes);
  }

  /** Changes the total size in place (VECTOR-PUSH-EXTEND, ADJUST-ARRAY); new elements get `fill`. Ends a displacement. */
  resize(total: number, fill = 0): void {
    const old =
      this.displacement === null
        ? this.writable()
        : this.substring(0, Math.min(this.total, total)).writable();
    this.displacement = null;
    this.text = null;
    if (old.length < total) {
      this.codes = new Uint32Array(Math.max(total, 8, Math.min(old.length * 2, total + (1 << 24))));
      this.codes.set(old);
    } else {
      this.codes = old;
    }
    if (total > this.total) this.codes.fill(fill, this.total, total);
    this.total = total;
  }

  /** Makes this string displaced to another (ADJUST-ARRAY :DISPLACED-TO). */
  displaceTo(target: CodeStore, offset: number, total: number): void {
    this.codes = null;
    this.text = null;
    this.total = total;
    this.displacement = { target, offset };
  }

  private writable(): Uint32Array {
    if (this.codes === null) {
      const text = this.text!;
      const codes = new Uint32Array(text.length);
      for (let i = 0; i < text.length; i++) codes[i] = text.charCodeAt(i);
      this.codes = codes;
    }
    return this.codes;
  }

  private assemble(start: number, end: number): string {
    const codes = this.writable();
    const few = end - start <= FEW ? fewUnits(codes, start, end) : null;
    if (few !== null) return few;
    if (end - start >= DECODED) {
      const text = decoded(codes.subarray(start, end));
      if (text !== undefined) return text;
    }
    let result = "";
    for (let i = start; i < end; i += PIECE) result += pieceText(codes.subarray(i, Math.min(end, i + PIECE)));
    return result;
  }
}
