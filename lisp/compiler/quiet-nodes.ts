import type { Node } from "./ir.ts";

/** Operators that change nothing: whether an error of theirs comes before or after that of another is all that can be told. */
const quietOperators: ReadonlySet<string> = new Set(
  (
    "+ - * / 1+ 1- < > <= >= = /= ABS MIN MAX SQRT SIN COS TAN ATAN EXP LOG FLOAT ZEROP PLUSP MINUSP EVENP ODDP MOD REM LOGAND " +
    "LOGIOR LOGXOR ASH AREF SVREF BIT SBIT LENGTH ARRAY-DIMENSION ARRAY-TOTAL-SIZE CAR CDR FIRST REST CADR SECOND THIRD CHAR-CODE " +
    "SYS:STRUCTURE-REF SYS:STRUCTURE-DOUBLE-REF SYS:STRUCTURE-SINGLE-REF SYS:%MUL-ADD-MOD SYS:%MUL-ADD-MASK EQ EQL NOT NULL IDENTITY"
  ).split(" "),
);

/** True when evaluating a node changes nothing that another node could see. */
export function isQuiet(node: Node): boolean {
  switch (node.op) {
    case "const":
    case "local":
    case "load-time-value":
    case "cache":
      return true;
    case "the":
      return isQuiet(node.value);
    case "leaf":
      return quietOperators.has(node.leaf.name) && node.args.every(isQuiet);
    default:
      return false;
  }
}
