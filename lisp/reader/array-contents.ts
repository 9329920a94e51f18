/** Arrays from nested lists of contents, as `#nA` writes them. */
import { LArray } from "../data/array.ts";
import { listToArray } from "../data/cons.ts";
import { LString } from "../data/string.ts";
import { char } from "../data/character.ts";
import type { LispValue } from "../data/value.ts";
import type { ReaderState } from "./reader-state.ts";

function sequenceItems(x: LispValue): LispValue[] | null {
  if (Array.isArray(x)) return x as LispValue[];
  if (x instanceof LString) return Array.from({ length: x.length }, (_, i) => char(x.code(i)));
  if (x instanceof LArray && x.rank === 1) return Array.from({ length: x.length }, (_, i) => x.ref(i));
  return listToArray(x);
}

/** General array of a rank from nested sequences; a rank of null takes the dimensions from a list (dims type . contents). */
export function arrayFromContents(
  reader: ReaderState,
  rank: number | bigint | null,
  contents: LispValue,
): LispValue {
  if (rank === null) return reader.fail("#A needs the number of dimensions between # and A");
  if (rank === 1) {
    const items = sequenceItems(contents);
    return items === null ? reader.fail("#1A needs a sequence, not ~S", contents) : [...items];
  }
  if (rank > 65_535) return reader.fail("an array of more than 65535 dimensions");
  const dims: number[] = [];
  let level: LispValue[] = [contents];
  for (let axis = 0; axis < Number(rank); axis++) {
    const rows = level.map((x) => sequenceItems(x));
    const size = rows[0]?.length ?? 0;
    const items: LispValue[] = [];
    for (const row of rows) {
      if (row === null || row.length !== size)
        return reader.fail("the contents of #~DA have uneven dimensions", rank);
      for (const item of row) items.push(item);
    }
    dims.push(size);
    level = items;
  }
  return new LArray(dims, "t", level);
}
