import { internKeyword, upcase, type Keyword } from "./form.ts";

const slots = 512;

/**
 * Finds keywords from their bytes without making a string first: documents repeat few keywords many times. Direct mapped,
 * so its size is fixed; a miss interns the keyword the ordinary way.
 */
export class KeywordCache {
  readonly #known: (Keyword | undefined)[] = Array.from({ length: slots });

  /** The keyword whose name is the ASCII bytes `start` to `end` (without the colon), upcased. */
  find(bytes: Buffer, start: number, end: number): Keyword {
    let hash = end - start;
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + ((bytes[at] as number) & 0xdf)) | 0;
    const slot = (hash ^ (hash >>> 9)) & (slots - 1);
    const known = this.#known[slot];
    if (known !== undefined && matches(known.name, bytes, start, end)) return known;
    const fresh = internKeyword(upcase(bytes.toString("latin1", start, end)));
    this.#known[slot] = fresh;
    return fresh;
  }
}

function matches(name: string, bytes: Buffer, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    const upper = byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte;
    if (name.charCodeAt(at - start) !== upper) return false;
  }
  return true;
}
