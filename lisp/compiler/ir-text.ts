import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { LeafEntry } from "../runtime/leaf-entry.ts";
import { Unit, type UnitConstant } from "./emit-unit.ts";
import { Block, FunctionNode, Tag, Tagbody, Variable } from "./ir.ts";

/**
 * The intermediate form as text, so that slow versions and loop entries of saved functions can be written later. The text is JSON:
 * an array begins with one of the marks below; everything else is itself. Names that no generated code depends on are left out.
 */

/** What the intermediate form names outside itself: values, leaves and load-time cells. */
export type PoolEntry = Extract<UnitConstant, { kind: "value" | "leaf" | "cell" }>;

const LIST = 0;
const SET = 1;
const KNOWN = 2;
const OBJECT = 3;
const POOL = 4;

/** Objects that the tree refers to from several places: how they are made, and the fields that count. */
const shared: readonly {
  readonly type: abstract new (...args: never[]) => object;
  readonly make: () => object;
  readonly fields: readonly string[];
}[] = [
  {
    type: FunctionNode,
    make: () => new FunctionNode(0, null, NIL, NIL, NIL),
    fields: [
      "id",
      "parent",
      "required",
      "optional",
      "rest",
      "keys",
      "allowOtherKeys",
      "body",
      "free",
      "calls",
    ],
  },
  {
    type: Variable,
    make: () => new Variable("", nowhere, ""),
    fields: ["owner", "js", "captured", "assigned", "used", "double", "kind", "counter", "constant", "fn"],
  },
  {
    type: Block,
    make: () => new Block(NIL, nowhere, nothing, 0),
    fields: ["owner", "token", "used", "unwinds", "protectDepth"],
  },
  {
    type: Tagbody,
    make: () => new Tagbody(nowhere, nothing, 0),
    fields: ["owner", "token", "unwinds", "segment", "protectDepth"],
  },
  {
    type: Tag,
    make: () => new Tag(0, nowhereElse, 0),
    fields: ["tagbody", "index", "sources"],
  },
];

const nowhere = new FunctionNode(0, null, NIL, NIL, NIL);
const nothing = new Variable("", nowhere, "");
const nowhereElse = new Tagbody(nowhere, nothing, 0);

type Fields = Record<string, unknown>;

class TreeWriter {
  readonly pool: PoolEntry[] = [];
  private readonly pooled = new Map<unknown, number>();
  private readonly known = new Map<object, number>();

  private inPool(key: unknown, entry: PoolEntry): unknown {
    let index = this.pooled.get(key);
    if (index === undefined) {
      index = this.pool.length;
      this.pool.push(entry);
      this.pooled.set(key, index);
    }
    return [POOL, index];
  }

  private value(value: LispValue): unknown {
    return typeof value === "number" ? value : this.inPool(value, { kind: "value", value });
  }

  encode(item: unknown): unknown {
    if (typeof item !== "object" || item === null) return item;
    if (item instanceof LSymbol) return this.value(item);
    if (Array.isArray(item)) return [LIST, ...item.map((part: unknown) => this.encode(part))];
    if (item instanceof Set) return [SET, ...[...item].map((part: unknown) => this.encode(part))];
    const kind = shared.findIndex(({ type }) => item instanceof type);
    if (kind >= 0) return this.object(item, kind);
    return this.node(item as Fields);
  }

  private object(item: object, kind: number): unknown {
    const before = this.known.get(item);
    if (before !== undefined) return [KNOWN, before];
    this.known.set(item, this.known.size);
    return [OBJECT, kind, ...shared[kind]!.fields.map((field) => this.encode((item as Fields)[field]))];
  }

  /** A node, or a part of one. */
  private node(item: Fields): unknown {
    if (item["op"] === "const") return { op: "const", value: this.value(item["value"] as LispValue) };
    if (item["op"] === "load-time-value") {
      const cell = item["cell"] as { value: LispValue };
      return { op: "load-time-value", cell: this.inPool(cell, { kind: "cell", cell, form: NIL }) };
    }
    const result: Fields = {};
    for (const [name, part] of Object.entries(item)) {
      if (name !== "leaf") result[name] = this.encode(part);
      else result[name] = this.inPool(part, { kind: "leaf", leaf: part as LeafEntry });
    }
    return result;
  }
}

/** The intermediate form of a unit's functions as text, with what it names. */
export function encodeTree(functions: readonly FunctionNode[]): {
  readonly tree: string;
  readonly pool: readonly PoolEntry[];
} {
  const writer = new TreeWriter();
  return { tree: JSON.stringify(writer.encode(functions[0])), pool: writer.pool };
}

class TreeReader {
  private readonly pool: readonly PoolEntry[];
  private readonly known: object[] = [];

  constructor(pool: readonly PoolEntry[]) {
    this.pool = pool;
  }

  decode(item: unknown): unknown {
    if (typeof item !== "object" || item === null) return item;
    if (!Array.isArray(item)) return this.node(item as Fields);
    const [mark, ...parts] = item as readonly unknown[];
    switch (mark) {
      case LIST:
        return parts.map((part) => this.decode(part));
      case SET:
        return new Set(parts.map((part) => this.decode(part)));
      case KNOWN:
        return this.known[parts[0] as number];
      case POOL:
        return entryValue(this.pool[parts[0] as number]!);
      default:
        return this.object(parts);
    }
  }

  private object([kind, ...parts]: readonly unknown[]): object {
    const { make, fields } = shared[kind as number]!;
    const made = make();
    this.known.push(made);
    for (const [i, field] of fields.entries()) (made as Fields)[field] = this.decode(parts[i]);
    return made;
  }

  private node(item: Fields): Fields {
    const result: Fields = {};
    for (const [name, part] of Object.entries(item)) result[name] = this.decode(part);
    if (item["op"] === "load-time-value") result["form"] = NIL;
    return result;
  }
}

function entryValue(entry: PoolEntry): unknown {
  if (entry.kind === "value") return entry.value;
  return entry.kind === "leaf" ? entry.leaf : entry.cell;
}

/** The unit of a tree that `encodeTree` wrote. Its code has not been written yet. */
export function decodeUnit(tree: string, pool: readonly PoolEntry[]): Unit {
  const unit = new Unit(true);
  unit.include(new TreeReader(pool).decode(JSON.parse(tree)) as FunctionNode);
  return unit;
}
