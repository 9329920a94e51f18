/** Says in our words why a text is no JSON: where, what was expected there and what came. Pure; no zod, like `json-nesting.ts`. */

const token =
  /[ \t\n\r]*(?:([{}[\],:])|("[ !#-[\]-\u{10ffff}]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\u{10ffff}]*)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|true\b|false\b|null\b))/uy;

type Expected =
  | "value"
  | "value-or-end"
  | "key"
  | "key-or-end"
  | "colon"
  | "more-of-array"
  | "more-of-object"
  | "end";

const words: Readonly<Record<Expected, string>> = {
  value: "a value",
  "value-or-end": "a value or ]",
  key: "a name in double quotes",
  "key-or-end": "a name in double quotes or }",
  colon: "a colon",
  "more-of-array": "a comma or ]",
  "more-of-object": "a comma or }",
  end: "the end of the text",
};

/** Characters of what came that are shown. */
const shownLength = 20;

/** `at character 1 a name in double quotes or } was expected, not a:1}`; positions count from 0. For text that a JSON parser refused. */
export function jsonFault(text: string): string {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    token.lastIndex = at;
    const found = token.exec(text);
    const next: Expected | undefined = found === null ? undefined : stateAfter(expected, found, open);
    if (found === null || next === undefined) return fault(text, at, expected);
    expected = next;
    at += found[0].length;
  }
}

/** What is expected behind the token; undefined when the token itself is not. Keeps `open` true. */
function stateAfter(
  expected: Expected,
  [, mark, text, atom]: readonly (string | undefined)[],
  open: ("{" | "[")[],
): Expected | undefined {
  const behindValue = (): Expected => {
    const inner = open.at(-1);
    if (inner === undefined) return "end";
    return inner === "{" ? "more-of-object" : "more-of-array";
  };
  const isValue = expected === "value" || expected === "value-or-end";
  const isKey = expected === "key" || expected === "key-or-end";
  if (text !== undefined || atom !== undefined) {
    if (isValue) return behindValue();
    return isKey && text !== undefined ? "colon" : undefined;
  }
  if (mark === "{" || mark === "[") {
    if (!isValue) return undefined;
    open.push(mark);
    return mark === "{" ? "key-or-end" : "value-or-end";
  }
  const closes =
    (mark === "]" && (expected === "value-or-end" || expected === "more-of-array")) ||
    (mark === "}" && (expected === "key-or-end" || expected === "more-of-object"));
  if (closes) {
    open.pop();
    return behindValue();
  }
  if (mark === ":") return expected === "colon" ? "value" : undefined;
  if (expected === "more-of-array") return "value";
  return expected === "more-of-object" ? "key" : undefined;
}

function fault(text: string, from: number, expected: Expected): string {
  const rest = text.slice(from).replace(/^[ \t\n\r]+/, "");
  const at = text.length - rest.length;
  if (rest === "") return `it ends at character ${at}, where ${words[expected]} was expected`;
  const shown = rest.length > shownLength ? `${rest.slice(0, shownLength).toWellFormed()}…` : rest;
  return `at character ${at} ${words[expected]} was expected, not ${shown}`;
}
