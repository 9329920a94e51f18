/** Registers arrays (chapter 15) as leaves. */
import { LArray } from "../data/array.ts";
import { arrayToList } from "../data/cons.ts";
import { simpleError, typeError } from "../data/error.ts";
import type { DefineLeaf, LeafHost, LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { bool, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { defineConstant } from "../numbers/function-leaves.ts";
import {
  checkIndex,
  dimensions,
  elementAt,
  isArray,
  isVector,
  kindOf,
  type LispArray,
  requireArray,
  rowMajorIndex,
  storeAt,
  totalSize,
} from "./array-access.ts";
import {
  adjustArray,
  type ArrayOptions,
  CharacterArrayView,
  makeArray,
  parseDimensions,
  RANK_LIMIT,
  TOTAL_SIZE_LIMIT,
  arrayTooLarge,
} from "./array-making.ts";
import {
  type ArrayKind,
  defaultElement,
  isEmptyType,
  specifierOfKind,
  standardKind,
} from "./element-types.ts";

/** Kind for an element type given to MAKE-ARRAY; one that only the type system understands was upgraded before. */
/** The kind an array like `array` has for elements of `kind`: only vectors tell base characters from others. */
function storedAs(array: LispArray, kind: ArrayKind): ArrayKind {
  return kind === "base-char" && array instanceof LArray ? "character" : kind;
}

function kindFor(specifier: LispValue | undefined): ArrayKind {
  if (specifier === undefined) return "t";
  if (isEmptyType(specifier)) return "nil";
  return standardKind(specifier) ?? "t";
}

const KEYS =
  "element-type initial-element initial-contents adjustable fill-pointer displaced-to displaced-index-offset";

function options(keys: readonly (LispValue | undefined)[]): ArrayOptions {
  const [initialElement, initialContents, adjustable, fillPointer, displacedTo, displacedIndexOffset] = keys;
  return { initialElement, initialContents, adjustable, fillPointer, displacedTo, displacedIndexOffset };
}

function installMaking(define: DefineLeaf, host: LeafHost): void {
  const make = (dims: LispValue, type?: LispValue, ...keys: (LispValue | undefined)[]): LispValue => {
    const array = makeArray(parseDimensions(dims), kindFor(type), options(keys));
    host.charge(totalSize(array));
    return array;
  };
  define("SYS:%MAKE-ARRAY", `dimensions &key ${KEYS}`, make);
  define("MAKE-ARRAY", `dimensions &key ${KEYS}`, make);
  define("SYS:STANDARD-ELEMENT-TYPE-P", "type", (type: LispValue) =>
    bool(isEmptyType(type) || standardKind(type) !== undefined),
  );
  define(
    "ADJUST-ARRAY",
    `array dimensions &key ${KEYS}`,
    (x: LispValue, dims: LispValue, type?: LispValue, ...keys: (LispValue | undefined)[]) => {
      const array = requireArray(x);
      if (type !== undefined && storedAs(array, kindFor(type)) !== kindOf(array)) {
        throw simpleError("SIMPLE-ERROR", "The element type ~S is not that of the array ~S.", type, array);
      }
      return adjustArray(array, dimensions(array), parseDimensions(dims), options(keys));
    },
  );
  define("VECTOR", "&rest objects", (...items: LispValue[]) => items, { total: true });
  define("ARRAY-ELEMENT-TYPE", "array", (x: LispValue) => specifierOfKind(host, kindOf(requireArray(x))));
}

/** Row-major index of subscripts given one by one; two of them are the common case. */
function subscriptIndex(
  array: LispArray,
  i: LispValue | undefined,
  j: LispValue | undefined,
  more: readonly LispValue[],
): number {
  if (j !== undefined && more.length === 0 && array instanceof LArray && array.dims.length === 2) {
    const columns = array.dims[1] as number;
    return checkIndex(i as LispValue, array.dims[0] as number) * columns + checkIndex(j, columns);
  }
  return rowMajorIndex(
    array,
    [i, j, ...more].filter((subscript) => subscript !== undefined),
  );
}

function installAccess(define: DefineLeaf): void {
  for (const name of ["AREF", "BIT", "SBIT"]) {
    const check = name === "AREF" ? requireArray : requireBitArray;
    define(
      name,
      "array &rest subscripts",
      (x: LispValue, i?: LispValue, j?: LispValue, ...more: LispValue[]) => {
        const array = check(x);
        if (i !== undefined && j === undefined && isVector(array))
          return elementAt(array, checkIndex(i, totalSize(array)));
        return elementAt(array, subscriptIndex(array, i, j, more));
      },
    );
    define(
      `(SETF ${name})`,
      "value array &rest subscripts",
      (value: LispValue, x: LispValue, i?: LispValue, j?: LispValue, ...more: LispValue[]) => {
        const array = check(x);
        const index =
          i !== undefined && j === undefined && isVector(array)
            ? checkIndex(i, totalSize(array))
            : subscriptIndex(array, i, j, more);
        storeAt(array, index, value);
        return value;
      },
    );
  }
  define("ROW-MAJOR-AREF", "array index", (x: LispValue, index: LispValue) => {
    const array = requireArray(x);
    return elementAt(array, checkIndex(index, totalSize(array)));
  });
  define("(SETF ROW-MAJOR-AREF)", "value array index", (value: LispValue, x: LispValue, index: LispValue) => {
    const array = requireArray(x);
    storeAt(array, checkIndex(index, totalSize(array)), value);
    return value;
  });
  define("SVREF", "simple-vector index", (x: LispValue, index: LispValue) => {
    if (!Array.isArray(x)) throw typeError(x, "SIMPLE-VECTOR");
    return x[checkIndex(index, x.length)] as LispValue;
  });
  define("(SETF SVREF)", "value simple-vector index", (value: LispValue, x: LispValue, index: LispValue) => {
    if (!Array.isArray(x)) throw typeError(x, "SIMPLE-VECTOR");
    x[checkIndex(index, x.length)] = value;
    return value;
  });
}

function requireBitArray(x: LispValue): LispArray {
  if (x instanceof LArray && x.type === "bit") return x;
  throw typeError(x, "(ARRAY BIT)");
}

function installProperties(define: DefineLeaf, host: LeafHost): void {
  define("ARRAYP", "object", (x: LispValue) => bool(isArray(x)), { total: true });
  define("VECTORP", "object", (x: LispValue) => bool(isVector(x)), { total: true });
  define("STRINGP", "object", (x: LispValue) => bool(x instanceof LString), { total: true });
  define("SIMPLE-STRING-P", "object", (x: LispValue) => bool(x instanceof LString && x.simple), {
    total: true,
  });
  define("SIMPLE-VECTOR-P", "object", (x: LispValue) => bool(Array.isArray(x)), { total: true });
  define(
    "BIT-VECTOR-P",
    "object",
    (x: LispValue) => bool(x instanceof LArray && x.type === "bit" && x.rank === 1),
    { total: true },
  );
  define(
    "SIMPLE-BIT-VECTOR-P",
    "object",
    (x: LispValue) => bool(x instanceof LArray && x.type === "bit" && x.rank === 1 && x.simple),
    { total: true },
  );
  define("ARRAY-RANK", "array", (x: LispValue) => dimensions(requireArray(x)).length);
  define("ARRAY-DIMENSIONS", "array", (x: LispValue) => arrayToList(dimensions(requireArray(x))));
  define("ARRAY-DIMENSION", "array axis-number", (x: LispValue, axis: LispValue) => {
    const dims = dimensions(requireArray(x));
    return dims[checkIndex(axis, dims.length)] as number;
  });
  define("ARRAY-TOTAL-SIZE", "array", (x: LispValue) => totalSize(requireArray(x)));
  define("ARRAY-ROW-MAJOR-INDEX", "array &rest subscripts", (x: LispValue, ...subscripts: LispValue[]) =>
    rowMajorIndex(requireArray(x), subscripts),
  );
  define("ARRAY-IN-BOUNDS-P", "array &rest subscripts", (x: LispValue, ...subscripts: LispValue[]) => {
    const dims = dimensions(requireArray(x));
    if (subscripts.length !== dims.length) rowMajorIndex(requireArray(x), subscripts);
    return bool(
      subscripts.every((s, axis) => {
        if (typeof s !== "number" && typeof s !== "bigint") throw typeError(s, "INTEGER");
        return s >= 0 && s < (dims[axis] as number);
      }),
    );
  });
  define("ADJUSTABLE-ARRAY-P", "array", (x: LispValue) => {
    const array = requireArray(x);
    return bool(!Array.isArray(array) && array.adjustable);
  });
  define(
    "ARRAY-DISPLACEMENT",
    "array",
    (x: LispValue) => {
      const array = requireArray(x);
      if (Array.isArray(array) || array.displacement === null) return host.values(NIL, 0);
      const { target, offset } = array.displacement;
      return host.values(target instanceof CharacterArrayView ? target.array : target, offset);
    },
    { values: true },
  );
}

/** A vector with a fill pointer. */
function requireFillPointer(x: LispValue): LString | LArray {
  if ((x instanceof LString || x instanceof LArray) && x.fillPointer >= 0) return x;
  throw typeError(x, "(AND VECTOR (SATISFIES ARRAY-HAS-FILL-POINTER-P))");
}

function installFillPointers(define: DefineLeaf): void {
  define("ARRAY-HAS-FILL-POINTER-P", "array", (x: LispValue) => {
    const array = requireArray(x);
    return bool(!Array.isArray(array) && array.fillPointer >= 0);
  });
  define("FILL-POINTER", "vector", (x: LispValue) => requireFillPointer(x).fillPointer);
  define("(SETF FILL-POINTER)", "value vector", (value: LispValue, x: LispValue) => {
    const vector = requireFillPointer(x);
    if (typeof value !== "number" || value < 0 || value > vector.total)
      throw typeError(value, `(INTEGER 0 ${vector.total})`);
    vector.fillPointer = value;
    return value;
  });
  define("VECTOR-PUSH", "new-element vector", (value: LispValue, x: LispValue) => {
    const vector = requireFillPointer(x);
    const at = vector.fillPointer;
    if (at >= vector.total) return NIL;
    storeAt(vector, at, value);
    vector.fillPointer = at + 1;
    return at;
  });
  define("VECTOR-POP", "vector", (x: LispValue) => {
    const vector = requireFillPointer(x);
    if (vector.fillPointer === 0)
      throw simpleError("SIMPLE-ERROR", "There is nothing left to pop from ~S.", vector);
    vector.fillPointer--;
    return elementAt(vector, vector.fillPointer);
  });
  define(
    "VECTOR-PUSH-EXTEND",
    "new-element vector &optional extension",
    (value: LispValue, x: LispValue, extension?: LispValue) => {
      const vector = requireFillPointer(x);
      if (extension !== undefined && (typeof extension !== "number" || extension < 1)) {
        throw typeError(extension, "(INTEGER 1)");
      }
      const at = vector.fillPointer;
      if (at >= vector.total) extend(vector, extension ?? Math.max(1, vector.total));
      storeAt(vector, at, value);
      vector.fillPointer = at + 1;
      return at;
    },
  );
}

/** Makes room for `by` more elements. */
function extend(vector: LString | LArray, by: number): void {
  const total = vector.total + by;
  if (total >= TOTAL_SIZE_LIMIT) throw arrayTooLarge(total, TOTAL_SIZE_LIMIT - 1);
  if (vector instanceof LString) {
    vector.resize(total);
    return;
  }
  if (vector.displacement === null && vector.type === "t") {
    const items = vector.storage as LispValue[];
    for (let i = 0; i < by; i++) items.push(defaultElement("t"));
    vector.dims = [total];
    vector.total = total;
    return;
  }
  const fillPointer = vector.fillPointer;
  adjustArray(vector, vector.dims, [total], {});
  vector.fillPointer = fillPointer;
}

/** Making, reading, changing and asking about arrays. */
export const installArrays: LeafInstaller = (define, host) => {
  defineConstant(host, "ARRAY-DIMENSION-LIMIT", TOTAL_SIZE_LIMIT);
  defineConstant(host, "ARRAY-TOTAL-SIZE-LIMIT", TOTAL_SIZE_LIMIT);
  defineConstant(host, "ARRAY-RANK-LIMIT", RANK_LIMIT);
  installMaking(define, host);
  installAccess(define);
  installProperties(define, host);
  installFillPointers(define);
};
