/** Damage: documents with bytes changed, and values with members changed. */
import type { Random } from "./random.ts";

/** Most copies of a piece that one mutation inserts; deep enough for every nesting bound, small enough to be quick. */
const mostCopies = 20_000;

/** Most bytes that one mutation inserts: over the smaller bounds of our readers. */
const mostInserted = 300_000;

/** Byte sequences that no text ought to hold, and that some reader may trip over. */
const hostileBytes = [
  [0],
  [0xff],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xef, 0xbb, 0xbf],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x80, 0xa8],
  [0x0d],
  [0x1b, 0x5b, 0x32, 0x4a],
].map((bytes) => Buffer.from(bytes));

/** What damages the documents of one grammar. */
export type Damage = {
  /** Valid documents. */
  readonly documents: readonly Buffer[];
  /** Pieces of the grammar, in and out of their places. */
  readonly pieces: readonly string[];
};

/** A valid document, usually with some damage; `kept`: leading bytes that were left as they were. */
export function damagedDocument(
  random: Random,
  damage: Damage,
): { readonly bytes: Buffer; readonly original: Buffer; readonly kept: number } {
  const original = random.pick(damage.documents);
  let bytes = original;
  let kept = original.length;
  for (let count = random.pick([0, 1, 1, 1, 2, 3, 6]); count > 0; count -= 1) {
    const from = random.upTo(bytes.length);
    kept = Math.min(kept, from);
    bytes = damagedAt(random, damage, bytes, from);
  }
  return { bytes, original, kept };
}

function damagedAt(random: Random, { documents, pieces }: Damage, bytes: Buffer, from: number): Buffer {
  const to = Math.min(bytes.length, from + random.mostlySmall(bytes.length));
  const [before, after] = [bytes.subarray(0, from), bytes.subarray(to)];
  const piece = (): Buffer => Buffer.from(random.pick(pieces));
  switch (random.upTo(9)) {
    case 0:
      return Buffer.concat([before, Buffer.from([random.upTo(255)]), bytes.subarray(from + 1)]);
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, piece(), bytes.subarray(from)]);
    case 3:
      return Buffer.concat([before, piece(), after]);
    case 4:
      return Buffer.concat([before, random.pick(hostileBytes), bytes.subarray(from)]);
    case 5: {
      const copied = random.oneIn(2) ? piece() : bytes.subarray(from, Math.min(to, from + 64));
      const most = Math.min(mostCopies, Math.ceil(mostInserted / Math.max(1, copied.length)));
      const copies = random.oneIn(20) ? random.upTo(most) : random.upTo(8);
      return Buffer.concat([before, ...Array.from({ length: copies }, () => copied), after]);
    }
    case 6: {
      const other = random.pick(documents);
      return Buffer.concat([before, other.subarray(random.upTo(other.length))]);
    }
    case 7:
      return before;
    default:
      return withOtherLiteral(bytes, from, random.oneIn(2) ? nestedText(random) : random.pick(pieces));
  }
}

/** Puts a text where the next string or number stands, so that the document around it stays whole. */
function withOtherLiteral(bytes: Buffer, from: number, text: string): Buffer {
  const literal = /"[^"\\]*"|\d+/g;
  literal.lastIndex = from;
  const found = literal.exec(bytes.toString("latin1"));
  if (found === null) return bytes.subarray(0, from);
  const end = found.index + found[0].length;
  return Buffer.concat([bytes.subarray(0, found.index), Buffer.from(text), bytes.subarray(end)]);
}

/** Brackets that nest and are closed again. */
function nestedText(random: Random): string {
  const depth = random.mostlySmall(mostCopies);
  const [open, close] = random.pick([
    ["[", "]"],
    ["(", ")"],
    ['{"a":', "}"],
    ["(:array ", ")"],
  ] as const);
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

/** The bytes in pieces, cut at random places. */
export function splitBytes(random: Random, bytes: Buffer): Buffer[] {
  const cuts = Array.from({ length: random.mostlySmall(32) }, () => random.upTo(bytes.length));
  const places = [...new Set([0, ...cuts, bytes.length])].toSorted((left, right) => left - right);
  return places.slice(1).map((to, index) => bytes.subarray(places[index], to));
}

const hostileTexts = [
  "",
  "\0",
  "\ud800",
  "é😀",
  "__proto__",
  "constructor",
  "x".repeat(9_000),
  "../../etc/passwd",
  "%00",
  "\u001b[2J",
];

const hostileNumbers = [0, -0, -1, 1.5, Number.NaN, Infinity, 2 ** 53, -(2 ** 53), 1e308, 4_294_967_296];

/** Any value that may arrive where another one is expected; structured clone can carry all of them. */
function hostileValue(random: Random): unknown {
  switch (random.upTo(9)) {
    case 0:
      return random.pick(hostileTexts);
    case 1:
      return random.pick(hostileNumbers);
    case 2:
      return null;
    case 3:
      return undefined;
    case 4:
      return random.oneIn(2);
    case 5:
      return nested(random);
    case 6:
      return random.pick<unknown>([
        [],
        {},
        new Map([[1, 2]]),
        new Date(Number.NaN),
        new Uint8Array(8),
        10n ** 40n,
      ]);
    case 7:
      return Array.from({ length: random.mostlySmall(2_000) }, () => random.pick(hostileNumbers));
    case 8:
      return cyclic();
    default:
      return JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": 1}}') as unknown;
  }
}

function nested(random: Random): unknown {
  let value: unknown = 1;
  for (let depth = random.mostlySmall(mostCopies); depth > 0; depth -= 1)
    value = random.oneIn(2) ? [value] : { a: value };
  return value;
}

function cyclic(): unknown {
  const value: Record<string, unknown> = {};
  value["self"] = [value];
  return value;
}

/** The value with a few of its parts replaced, dropped or added. The original is not changed. */
export function damagedValue(random: Random, value: unknown): unknown {
  let damaged = value;
  for (let count = random.pick([0, 1, 1, 2, 4]); count > 0; count -= 1)
    damaged = damagedPart(random, damaged, 0);
  return damaged;
}

/** Deeper parts are left alone: a walk may not follow a value without end. */
const deepestPart = 32;

function damagedPart(random: Random, value: unknown, depth: number): unknown {
  const here = random.oneIn(8) || depth > deepestPart;
  if (Array.isArray(value)) return here ? damagedArray(random, value) : changedElement(random, value, depth);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return hostileValue(random);
  const entries = Object.entries(value);
  if (here || entries.length === 0) return damagedObject(random, entries);
  const [name] = random.pick(entries);
  return Object.fromEntries(
    entries.map(([key, member]) => [key, key === name ? damagedPart(random, member, depth + 1) : member]),
  );
}

function damagedArray(random: Random, value: readonly unknown[]): unknown {
  const at = random.upTo(value.length);
  const added: readonly unknown[] = random.oneIn(2) ? [hostileValue(random)] : value.slice(0, 2);
  return random.oneIn(4) ? hostileValue(random) : value.toSpliced(at, random.upTo(2), ...added);
}

function changedElement(random: Random, value: readonly unknown[], depth: number): unknown {
  if (value.length === 0) return [hostileValue(random)];
  const at = random.upTo(value.length - 1);
  return value.with(at, damagedPart(random, value[at], depth + 1));
}

function damagedObject(random: Random, entries: readonly (readonly [string, unknown])[]): unknown {
  const at = random.upTo(entries.length);
  const key = random.oneIn(2) ? random.pick(hostileTexts) : (entries[at]?.[0] ?? "extra");
  return random.oneIn(6)
    ? hostileValue(random)
    : Object.fromEntries(entries.toSpliced(at, random.upTo(1), [key, hostileValue(random)]));
}
