/**
 * The values of data-only S-expressions.
 *
 * | Lisp | here |
 * |---|---|
 * | `T` | `true` |
 * | `NIL`, `()` | `false` (one value, as in Lisp) |
 * | keyword | {@link Keyword}, interned: the same name is the same object |
 * | string | `string` |
 * | integer | `number` within the safe range, `bigint` beyond it |
 * | float | {@link DataFloat}, which keeps 3.0 apart from 3 and single apart from double |
 * | list of one or more | array; an empty array stands for `NIL` and prints as such |
 */
export type DataForm = boolean | string | number | bigint | Keyword | DataFloat | DataList;

/** A proper list. What a reader returns is never empty (the empty list is `NIL`). */
export type DataList = readonly DataForm[];

/** The two float formats that data may hold. */
export type FloatFormat = "single" | "double";

/** Thrown when a value that the data grammar has no notation for is built. */
export class DataValueError extends TypeError {
  override readonly name = "DataValueError";
  readonly code = "invalid-data-value";
}

const interned = new Map<string, WeakRef<Keyword>>();
const forgotten = new FinalizationRegistry<string>((name) => {
  if (interned.get(name)?.deref() === undefined) interned.delete(name);
});

/** Constituents of a keyword's name: no blanks, no control characters, none of `( ) " ; ' , | \ # :` and no backquote. */
// oxlint-disable-next-line no-control-regex -- control characters are exactly what is refused
const keywordName = /^[^\u0000-\u0020\u007f()";'`,|\\#:]+$/;

/** A symbol of the keyword package. Obtain one with {@link keyword}; compare with `===`. */
export class Keyword {
  /** The upper-case name without its colon. */
  readonly name: string;

  /** @internal Only {@link internKeyword} makes keywords, so that equal names are one object. */
  constructor(name: string) {
    this.name = name;
  }

  /** The printed form, such as `:AUTOLITH-JOB`. */
  toString(): string {
    return `:${this.name}`;
  }
}

/** The keyword whose upper-case name is `name`, which the caller has checked. Weakly held: data cannot fill memory with names. */
export function internKeyword(name: string): Keyword {
  const known = interned.get(name)?.deref();
  if (known !== undefined) return known;
  const fresh = new Keyword(name);
  interned.set(name, new WeakRef(fresh));
  forgotten.register(fresh, name);
  return fresh;
}

/**
 * The keyword called `name`, upcased as the Lisp reader does.
 * @throws DataValueError when the name is empty or would need `|…|` to be written.
 */
export function keyword(name: string): Keyword {
  if (!keywordName.test(name)) {
    throw new DataValueError(
      `a keyword's name must be printable without escapes, got ${JSON.stringify(name)}`,
    );
  }
  return internKeyword(upcase(name));
}

/** Upper case character by character as Lisp does: a letter whose capital is several letters stays (`ß`). */
export function upcase(name: string): string {
  const upper = name.toUpperCase();
  if (upper.length === name.length) return upper;
  return Array.from(name, (letter) => {
    const capital = letter.toUpperCase();
    return capital.length === letter.length ? capital : letter;
  }).join("");
}

/** A finite float and the format it was written in. A single float's value is already rounded to 32 bits. */
export class DataFloat {
  readonly value: number;
  readonly format: FloatFormat;

  /** @throws DataValueError when the value is not finite in that format. */
  constructor(value: number, format: FloatFormat) {
    const rounded = format === "single" ? Math.fround(value) : value;
    if (!Number.isFinite(rounded)) {
      throw new DataValueError(`a ${format} float must be finite, got ${value}`);
    }
    this.value = rounded;
    this.format = format;
  }
}

/** A double float. */
export function double(value: number): DataFloat {
  return new DataFloat(value, "double");
}

/** A single float; the value is rounded to 32 bits. */
export function single(value: number): DataFloat {
  return new DataFloat(value, "single");
}

/** The integer in its canonical representation: `number` when safe, else `bigint`. */
export function integer(value: bigint): number | bigint {
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

/** The elements of a list, none for `NIL`, or `undefined` when the form is an atom. */
export function listElements(form: DataForm): DataList | undefined {
  if (form === false) return [];
  return Array.isArray(form) ? (form as DataList) : undefined;
}

/** Is the form an integer of any size? */
export function isInteger(form: DataForm): form is number | bigint {
  return typeof form === "number" || typeof form === "bigint";
}

/** What a form is, for messages: "a string", "an integer", "NIL"… */
export function describeForm(form: DataForm): string {
  if (form === true) return "T";
  if (form === false || (Array.isArray(form) && form.length === 0)) return "NIL";
  if (typeof form === "string") return form === "" ? "an empty string" : "a string";
  if (form instanceof Keyword) return `the keyword ${form.toString().slice(0, 80)}`;
  if (form instanceof DataFloat) return "a float";
  if (isInteger(form)) return "an integer";
  return "a list";
}

/** Structural equality: same types, same values; `NIL` equals an empty array; floats must agree in format. */
export function formsEqual(left: DataForm, right: DataForm): boolean {
  if (left === right) return true;
  if (left instanceof DataFloat && right instanceof DataFloat) {
    return left.format === right.format && Object.is(left.value, right.value);
  }
  const [leftList, rightList] = [listElements(left), listElements(right)];
  if (leftList === undefined || rightList === undefined || leftList.length !== rightList.length) return false;
  return leftList.every((element, index) => formsEqual(element, rightList[index] as DataForm));
}
