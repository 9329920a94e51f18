/**
 * Operators the back end writes inline. Three kinds:
 * - `total`: never fails; `js` is an expression over the argument expressions, each used once unless `atomic` is set.
 * - `test`: like total, but the expression is a JavaScript boolean.
 * - `checked`: has a fast path; `fast` is a condition that assigns the result to `t` when it holds; otherwise the leaf of that name is called.
 * - `compare`: a test that holds for arguments passing the guard, normally two fixnums; others go to the leaf.
 */
export type Primitive =
  | {
      readonly kind: "total";
      readonly arity: number;
      readonly atomic: boolean;
      readonly js: (...args: string[]) => string;
    }
  | {
      readonly kind: "test";
      readonly arity: number;
      readonly atomic: boolean;
      readonly js: (...args: string[]) => string;
    }
  | {
      readonly kind: "checked";
      readonly arity: number;
      readonly fast: (t: string, ...args: string[]) => string;
      /** What to call instead of the leaf when the fast path was not taken. */
      readonly failed?: (...args: string[]) => string;
    }
  | {
      readonly kind: "compare";
      readonly arity: number;
      /** Condition under which `js` may be used. */
      readonly guard: (...args: string[]) => string;
      readonly js: (...args: string[]) => string;
    };

/** Bound of the fast paths of arithmetic, as text: a little below the largest fixnum, which the leaves handle. */
const MAX = "9e15";

const literal = /^-?\d+$/;

/** JavaScript condition that all the given expressions are fixnums (literals need no test). */
export function fixnums(...args: string[]): string {
  const tests = args.filter((arg) => !literal.test(arg)).map((arg) => `typeof ${arg}==="number"`);
  return tests.length === 0 ? "true" : tests.join("&&");
}

/** JavaScript condition that all the given expressions are integers of 32 bits. */
function int32s(...args: string[]): string {
  return args.map((arg) => `typeof ${arg}==="number"&&${arg}===(${arg}|0)`).join("&&");
}

/** JavaScript condition that a fixnum is an index of an array of rank 1 with storage of its own kind. */
function vectorIndex(array: string, i: string): string {
  const object = member(array);
  return `${object}.dims!==undefined&&${object}.dims.length===1&&${i}>=0&&${i}<${object}.total`;
}

/** JavaScript condition that a value is a vector of bits with a storage of its own, and another an index of it. */
function bitIndex(array: string, i: string): string {
  const object = member(array);
  return `typeof ${i}==="number"&&${object}.type==="bit"&&${object}.displacement===null&&${vectorIndex(array, i)}`;
}

/** BIT, SBIT and their SETF functions. */
function bitAccess(name: string): [string, Primitive][] {
  const read = (t: string, a: string, i: string): string =>
    `${bitIndex(a, i)}&&(${t}=${a}.storage[${i}])!==undefined`;
  const write = (t: string, v: string, a: string, i: string): string =>
    `(${v}===0||${v}===1)&&${bitIndex(a, i)}&&((${t}=${a}.storage[${i}]=${v}),true)`;
  return [
    [`${name}/2`, checked(2, read)],
    [`(SETF ${name})/3`, checked(3, write)],
  ];
}

/** JavaScript condition that two fixnums are subscripts of an array of rank 2. */
function matrixIndex(array: string, i: string, j: string): string {
  const object = member(array);
  const inside = (index: string, axis: number): string => `${index}>=0&&${index}<${object}.dims[${axis}]`;
  return `${fixnums(i, j)}&&${object}.dims!==undefined&&${object}.dims.length===2&&${inside(i, 0)}&&${inside(j, 1)}`;
}

/** An expression after which a member can be named: a number needs parentheses. */
export function member(arg: string): string {
  return literal.test(arg) ? `(${arg})` : arg;
}

/** JavaScript condition that a hash table has a key among those that JavaScript compares; assigns its value. */
function directEntry(t: string, key: string, table: string): string {
  const object = member(table);
  return `${object}.directEntries!==undefined&&(${t}=${object}.directEntries.get(${key}))!==undefined`;
}

/** JavaScript condition that all the given expressions are characters. */
function characters(...args: string[]): string {
  return args.map((arg) => `typeof ${member(arg)}.code==="number"`).join("&&");
}

/** Fast path of LOGAND: of 32 bits, or with a wide mask of low bits, which makes it a residue. */
function logAnd(t: string, a: string, b: string): string {
  const [value, mask] = literal.test(a) ? [b, Number(a)] : [a, Number(b)];
  const modulus = mask + 1;
  const wide = modulus > 2 ** 31 && modulus <= 2 ** 53 && Number.isInteger(Math.log2(modulus));
  if (!wide) return `${int32s(a, b)}&&((${t}=${a}&${b}),true)`;
  return `${fixnums(value)}&&((${t}=${value}%${modulus}+0)>=0||(${t}+=${modulus})>0)`;
}

/** Fast path of an operation on bits: of integers of 32 bits, or of natural numbers of as many. */
function bitwise(t: string, a: string, operator: string, b: string): string {
  const natural = [a, b].map((arg) => `${arg}===${arg}>>>0`).join("&&");
  return `${fixnums(a, b)}&&(${int32s(a, b)}?((${t}=${a}${operator}${b}),true):${natural}&&((${t}=(${a}${operator}${b})>>>0),true))`;
}

/** Fast path of ASH by a constant: a power of 2 divides and multiplies exactly. */
function shift(t: string, a: string, count: string): string {
  const places = literal.test(count) ? Number(count) : Number.NaN;
  if (!(Math.abs(places) <= 52)) return "false";
  const factor = 2 ** Math.abs(places);
  if (places <= 0) return `${fixnums(a)}&&((${t}=Math.floor(${a}/${factor})),true)`;
  return `${fixnums(a)}&&(${t}=${a}*${factor}+0)<=${MAX}&&${t}>=-${MAX}`;
}

/** Fast path of a residue whose product and sum are fixnums; the modulus is positive. */
function mulAddMod(t: string, a: string, b: string, c: string, m: string): string {
  const inRange = `<=${MAX}&&${t}>=-${MAX}`;
  return `${fixnums(a, b, c)}&&(${t}=${a}*${b})${inRange}&&(${t}+=${c})${inRange}&&((${t}=${t}%${m}+0)>=0||(${t}+=${m})>0)`;
}

function total(arity: number, js: (...args: string[]) => string, atomic = false): Primitive {
  return { kind: "total", arity, js, atomic };
}
function test(arity: number, js: (...args: string[]) => string, atomic = false): Primitive {
  return { kind: "test", arity, js, atomic };
}
function checked(arity: number, fast: (t: string, ...args: string[]) => string): Primitive {
  return { kind: "checked", arity, fast };
}
function compare(arity: number, js: (...args: string[]) => string): Primitive {
  return { kind: "compare", arity, guard: fixnums, js };
}

const bitRead = checked(
  2,
  (t, a, i) =>
    `typeof ${i}==="number"&&${member(a)}.type==="bit"&&${vectorIndex(a, i)}&&(${t}=${member(a)}.ref(${i}))!==undefined`,
);

const bitWrite = checked(
  3,
  (t, v, a, i) =>
    `typeof ${i}==="number"&&${member(a)}.type==="bit"&&${vectorIndex(a, i)}&&${member(a)}.put(${i},${t}=${v})`,
);

/** CAR and its like. What fails is an error for certain, so the leaf need not be asked. */
function path(ops: string): Primitive {
  const fast = (t: string, a: string): string => {
    const start = literal.test(a) ? `(${a})` : a;
    let text = `(${t}=${start}.c${ops[ops.length - 1]}r)!==undefined`;
    for (const step of ops.split("").toReversed().slice(1)) text += `&&(${t}=${t}.c${step}r)!==undefined`;
    return text;
  };
  return { kind: "checked", arity: 1, fast, failed: (a) => `R.noList("${ops}",${a})` };
}

/** Inline operators by symbol name in COMMON-LISP; the arity is part of the key. */
export const primitives: ReadonlyMap<string, Primitive> = new Map<string, Primitive>([
  ["CONS/2", total(2, (a, b) => `new Cons(${a},${b})`)],
  ["LIST/1", total(1, (a) => `new Cons(${a},N)`)],
  ["LIST/2", total(2, (a, b) => `new Cons(${a},new Cons(${b},N))`)],
  ["LIST/3", total(3, (a, b, c) => `new Cons(${a},new Cons(${b},new Cons(${c},N)))`)],
  ["LIST/4", total(4, (a, b, c, d) => `new Cons(${a},new Cons(${b},new Cons(${c},new Cons(${d},N))))`)],
  ["LIST*/2", total(2, (a, b) => `new Cons(${a},${b})`)],
  ["LIST*/3", total(3, (a, b, c) => `new Cons(${a},new Cons(${b},${c}))`)],
  ["SYS:%LESS-ONE/1", total(1, (a) => `(${a}-1)`)],
  ["IDENTITY/1", total(1, (a) => a)],
  ["EQ/2", test(2, (a, b) => `${a}===${b}`)],
  ["EQL/2", test(2, (a, b) => `(${a}===${b}||typeof ${a}!=="number"&&R.eql(${a},${b}))`, true)],
  ["NOT/1", test(1, (a) => `${a}===N`)],
  ["NULL/1", test(1, (a) => `${a}===N`)],
  ["CONSP/1", test(1, (a) => `${a} instanceof Cons`)],
  ["ATOM/1", test(1, (a) => `!(${a} instanceof Cons)`)],
  ["LISTP/1", test(1, (a) => `(${a} instanceof Cons||${a}===N)`, true)],
  [
    "ENDP/1",
    { kind: "compare", arity: 1, guard: (a) => `(${a} instanceof Cons||${a}===N)`, js: (a) => `${a}===N` },
  ],
  ["FUNCTIONP/1", test(1, (a) => `${a} instanceof Fn`)],
  ["SIMPLE-VECTOR-P/1", test(1, (a) => `Array.isArray(${a})`)],
  ["SYS:FIXNUMP/1", test(1, (a) => `typeof ${a}==="number"`)],
  ["INTEGERP/1", test(1, (a) => `(typeof ${a}==="number"||typeof ${a}==="bigint")`, true)],
  ["SYS:BITP/1", test(1, (a) => `(${a}===0||${a}===1)`, true)],
  // A structure cell's layout is null while the structure is undefined, and never the layout of anything else.
  [
    "SYS:STRUCTURE-OF-CELL-P/2",
    test(
      2,
      (o, c) =>
        `(${member(o)}.layout===${c}.layout||${c}.layout!==null&&${member(o)}.layout?.ancestors?.[${c}.layout.ancestors.length-1]===${c}.layout)`,
      true,
    ),
  ],
  [
    "SYS:STRUCTURE-REF/3",
    checked(
      3,
      (t, c, i, s) => `${member(s)}.layout===${c}.direct&&(${t}=${member(s)}.slots[${i}])!==undefined`,
    ),
  ],
  [
    "SYS:STRUCTURE-SET/4",
    checked(
      4,
      (t, c, i, s, v) => `${member(s)}.layout===${c}.direct&&((${t}=${member(s)}.slots[${i}]=${v}),true)`,
    ),
  ],
  [
    "SYS:%CACHED-SLOT-VALUE/3",
    checked(
      3,
      (t, q, o) =>
        `${member(o)}.layout===${q}.layout&&!${q}.layout.obsolete&&(${t}=${member(o)}.slots[${q}.index])!==UB`,
    ),
  ],
  [
    "SYS:%CACHED-SET-SLOT-VALUE/4",
    checked(
      4,
      (t, q, o, _n, v) =>
        `${member(o)}.layout===${q}.layout&&!${q}.layout.obsolete&&((${t}=${member(o)}.slots[${q}.index]=${v}),true)`,
    ),
  ],
  ["CAR/1", path("a")],
  ["CDR/1", path("d")],
  ["FIRST/1", path("a")],
  ["REST/1", path("d")],
  ["CAAR/1", path("aa")],
  ["CADR/1", path("ad")],
  ["CDAR/1", path("da")],
  ["CDDR/1", path("dd")],
  ["SECOND/1", path("ad")],
  ["CADDR/1", path("add")],
  ["THIRD/1", path("add")],
  ["CDDDR/1", path("ddd")],
  ["CADDDR/1", path("addd")],
  ["+/2", checked(2, (t, a, b) => `${fixnums(a, b)}&&(${t}=${a}+${b})<=${MAX}&&${t}>=-${MAX}`)],
  ["-/2", checked(2, (t, a, b) => `${fixnums(a, b)}&&(${t}=${a}-${b})<=${MAX}&&${t}>=-${MAX}`)],
  ["*/2", checked(2, (t, a, b) => `${fixnums(a, b)}&&(${t}=${a}*${b}+0)<=${MAX}&&${t}>=-${MAX}`)],
  ["1+/1", checked(1, (t, a) => `${fixnums(a)}&&(${t}=${a}+1)<=${MAX}`)],
  ["1-/1", checked(1, (t, a) => `${fixnums(a)}&&(${t}=${a}-1)>=-${MAX}`)],
  ["-/1", checked(1, (t, a) => `${fixnums(a)}&&((${t}=0-${a}),true)`)],
  ["</2", compare(2, (a, b) => `${a}<${b}`)],
  [">/2", compare(2, (a, b) => `${a}>${b}`)],
  ["<=/2", compare(2, (a, b) => `${a}<=${b}`)],
  [">=/2", compare(2, (a, b) => `${a}>=${b}`)],
  ["=/2", compare(2, (a, b) => `${a}===${b}`)],
  ["/=/2", compare(2, (a, b) => `${a}!==${b}`)],
  ["GETHASH/2", checked(2, (t, k, h) => directEntry(t, k, h))],
  ["GETHASH/3", checked(3, (t, k, h) => directEntry(t, k, h))],
  ["MOD/2", checked(2, (t, a, b) => `${fixnums(a, b)}&&${b}>0&&((${t}=${a}%${b}+0)>=0||(${t}+=${b})>0)`)],
  ["SYS:%MUL-ADD-MOD/4", checked(4, mulAddMod)],
  ["SYS:%MUL-ADD-MASK/4", checked(4, mulAddMod)],
  ["REM/2", checked(2, (t, a, b) => `${fixnums(a, b)}&&${b}!==0&&((${t}=${a}%${b}+0),true)`)],
  // The remainder is exact where a division of doubles would round.
  [
    "FLOOR/2",
    checked(
      2,
      (t, a, b) =>
        `${fixnums(a, b)}&&${b}>0&&((${t}=${a}%${b}),(${t}=(${a}-(${t}<0?${t}+${b}:${t}))/${b}),true)`,
    ),
  ],
  [
    "TRUNCATE/2",
    checked(2, (t, a, b) => `${fixnums(a, b)}&&${b}>0&&((${t}=${a}%${b}),(${t}=(${a}-${t})/${b}),true)`),
  ],
  ["LOGAND/2", checked(2, logAnd)],
  ["ASH/2", checked(2, shift)],
  ["LOGIOR/2", checked(2, (t, a, b) => bitwise(t, a, "|", b))],
  ["LOGXOR/2", checked(2, (t, a, b) => bitwise(t, a, "^", b))],
  ["CHAR-CODE/1", checked(1, (t, a) => `typeof(${t}=${member(a)}.code)==="number"`)],
  ["CHAR=/2", { kind: "compare", arity: 2, guard: characters, js: (a, b) => `${a}===${b}` }],
  ["ZEROP/1", compare(1, (a) => `${a}===0`)],
  ["PLUSP/1", compare(1, (a) => `${a}>0`)],
  ["MINUSP/1", compare(1, (a) => `${a}<0`)],
  ["EVENP/1", compare(1, (a) => `${a}%2===0`)],
  ["ODDP/1", compare(1, (a) => `${a}%2!==0`)],
  ...bitAccess("BIT"),
  ...bitAccess("SBIT"),
  [
    "SVREF/2",
    checked(2, (t, a, i) => `Array.isArray(${a})&&typeof ${i}==="number"&&(${t}=${a}[${i}])!==undefined`),
  ],
  [
    "AREF/2",
    checked(
      2,
      (t, a, i) =>
        `typeof ${i}==="number"&&(Array.isArray(${a})?(${t}=${a}[${i}])!==undefined:${vectorIndex(a, i)}&&(${t}=${a}.ref(${i}))!==undefined||(${t}=R.charAt(${a},${i}))!==undefined)`,
    ),
  ],
  ["CHAR/2", checked(2, (t, a, i) => `typeof ${i}==="number"&&(${t}=R.charAt(${a},${i}))!==undefined`)],
  ["SCHAR/2", checked(2, (t, a, i) => `typeof ${i}==="number"&&(${t}=R.scharAt(${a},${i}))!==undefined`)],
  ["(SETF CHAR)/3", checked(3, (t, v, a, i) => `typeof ${i}==="number"&&R.putChar(${t}=${v},${a},${i})`)],
  [
    "(SETF SCHAR)/3",
    checked(
      3,
      (t, v, a, i) => `typeof ${i}==="number"&&${member(a)}.simple===true&&R.putChar(${t}=${v},${a},${i})`,
    ),
  ],
  ["BIT/2", bitRead],
  ["SBIT/2", bitRead],
  ["(SETF BIT)/3", bitWrite],
  ["(SETF SBIT)/3", bitWrite],
  [
    "LENGTH/1",
    checked(
      1,
      (t, a) =>
        `(Array.isArray(${a})||${member(a)}.dims===undefined)&&typeof(${t}=${member(a)}.length)==="number"`,
    ),
  ],
  ["MAX/2", checked(2, (t, a, b) => `${fixnums(a, b)}&&((${t}=${a}>=${b}?${a}:${b}),true)`)],
  ["MIN/2", checked(2, (t, a, b) => `${fixnums(a, b)}&&((${t}=${a}<=${b}?${a}:${b}),true)`)],
  ["ABS/1", checked(1, (t, a) => `${fixnums(a)}&&((${t}=${a}<0?-${a}:${a}),true)`)],
  [
    "LOGBITP/2",
    {
      kind: "compare",
      arity: 2,
      guard: (i, n) => `${fixnums(i)}&&${i}>=0&&${i}<31&&${int32s(n)}`,
      js: (i, n) => `(${n}>>${i}&1)===1`,
    },
  ],
  [
    "AREF/3",
    checked(
      3,
      (t, a, i, j) => `${matrixIndex(a, i, j)}&&(${t}=${a}.ref(${i}*${a}.dims[1]+${j}))!==undefined`,
    ),
  ],
  [
    "(SETF AREF)/4",
    checked(4, (t, v, a, i, j) => `${matrixIndex(a, i, j)}&&${a}.put(${i}*${a}.dims[1]+${j},${t}=${v})`),
  ],
  [
    "ELT/2",
    checked(2, (t, a, i) => `Array.isArray(${a})&&typeof ${i}==="number"&&(${t}=${a}[${i}])!==undefined`),
  ],
  [
    "(SETF AREF)/3",
    checked(
      3,
      (t, v, a, i) =>
        `typeof ${i}==="number"&&(Array.isArray(${a})?${i}>=0&&${i}<${a}.length&&((${t}=${a}[${i}]=${v}),true):${vectorIndex(a, i)}&&${a}.put(${i},${t}=${v}))`,
    ),
  ],
  [
    "(SETF SVREF)/3",
    checked(
      3,
      (t, v, a, i) =>
        `Array.isArray(${a})&&typeof ${i}==="number"&&${i}>=0&&${i}<${a}.length&&((${t}=${a}[${i}]=${v}),true)`,
    ),
  ],
  ["(SETF CAR)/2", checked(2, (t, v, a) => `${a} instanceof Cons&&((${t}=${a}.car=${v}),true)`)],
  ["(SETF CDR)/2", checked(2, (t, v, a) => `${a} instanceof Cons&&((${t}=${a}.cdr=${v}),true)`)],
  [
    "CHAR=/2",
    {
      kind: "compare",
      arity: 2,
      guard: (a, b) => `${a} instanceof Ch&&${b} instanceof Ch`,
      js: (a, b) => `${a}===${b}`,
    },
  ],
  ["RPLACA/2", checked(2, (t, a, v) => `${a} instanceof Cons&&((${a}.car=${v}),(${t}=${a}),true)`)],
  ["RPLACD/2", checked(2, (t, a, v) => `${a} instanceof Cons&&((${a}.cdr=${v}),(${t}=${a}),true)`)],
]);
