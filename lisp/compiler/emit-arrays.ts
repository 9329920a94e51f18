import { type Dest, takesFloat } from "./emit-text.ts";
import { FloatEmitter } from "./emit-floats.ts";
import type { Node } from "./ir.ts";
import { type ArrayKind, elementKind, type FloatKind, isFloat, within } from "./kinds.ts";
import { isQuiet } from "./quiet-nodes.ts";

type LeafNode = Extract<Node, { op: "leaf" }>;

/** A place in an array, over expressions that may be used several times. */
interface Place {
  readonly array: string;
  readonly subscripts: readonly string[];
  readonly storage: string;
  readonly index: string;
  /** Conditions that the subscripts are right, apart from what reading outside of the storage tells. */
  readonly readable: readonly string[];
  /** Conditions that they are right. */
  readonly writable: readonly string[];
}

/** Operators that read an element, with the kinds of arrays they take. */
const accessors: Readonly<Record<string, (kind: ArrayKind) => boolean>> = {
  AREF: () => true,
  SVREF: ({ element }) => element === "t",
  BIT: ({ element }) => element === "bit",
  SBIT: ({ element }) => element === "bit",
};

/** AREF and its SETF on arrays of known kinds: the storage is read and written in place. */
export abstract class ArrayEmitter extends FloatEmitter {
  /** Writes the call when it is one of these. */
  protected arrayLeaf(node: LeafNode, dest: Dest): boolean {
    const { name } = node.leaf;
    const setter = /^\(SETF (.*)\)$/.exec(name)?.[1];
    const accessor = setter ?? name;
    if (!Object.hasOwn(accessors, accessor)) return false;
    const at = setter === undefined ? 0 : 1;
    const kind = this.storedArray(node.args[at], node.args.length - at - 1);
    if (kind === null || accessors[accessor]?.(kind) === false) return false;
    if (setter === undefined) this.read(node, kind, dest);
    else this.write(node, kind, dest);
    return true;
  }

  /** The kind of an array whose storage is used directly: one or two subscripts, and elements that are JavaScript numbers or any objects. */
  private storedArray(node: Node | undefined, rank: number): ArrayKind | null {
    if (node === undefined) return null;
    const kind = this.kindOf(node);
    if (kind.type !== "array" || kind.rank !== rank || rank < 1 || rank > 2) return null;
    return kind.element === "u64" || kind.element === "s64" ? null : kind;
  }

  private elementPlace(
    array: string,
    subscripts: readonly string[],
    nodes: readonly Node[],
    kind: ArrayKind,
  ): Place {
    const storage = kind.element === "t" && kind.rank === 1 ? array : `${array}.storage`;
    const kinds = nodes.map((node) => this.kindOf(node));
    const numbers = subscripts.flatMap((text, i) =>
      kinds[i]!.type === "integer" ? [] : [`typeof ${text}==="number"`],
    );
    const least = subscripts.flatMap((text, i) => {
      const known = kinds[i]!;
      return known.type === "integer" && known.low >= 0 ? [] : [`${text}>=0`];
    });
    const [i, j] = subscripts as [string, string];
    if (kind.rank === 1)
      return {
        array,
        subscripts,
        storage,
        index: i,
        readable: numbers,
        writable: [...numbers, ...least, `${i}<${storage}.length`],
      };
    const inside = [...numbers, ...least, `${i}<${array}.dims[0]`, `${j}<${array}.dims[1]`];
    return {
      array,
      subscripts,
      storage,
      index: `${i}*${array}.dims[1]+${j}`,
      readable: inside,
      writable: inside,
    };
  }

  private read(node: LeafNode, kind: ArrayKind, dest: Dest): void {
    const [array, ...subscripts] = this.args(node.args) as [string, ...string[]];
    const place = this.elementPlace(array, subscripts, node.args.slice(1), kind);
    const otherwise = `${this.unit.leaf(node.leaf, node.args.length)}(${[array, ...subscripts].join(",")})`;
    const element = elementKind(kind);
    if (!isFloat(element)) {
      const fast = [...place.readable, `(§=${place.storage}[${place.index}])!==undefined`].join("&&");
      return this.call(otherwise, dest, { fast });
    }
    const direct = takesFloat(dest, element.type);
    const result = this.newTemp();
    const d = this.local("d0");
    if (!this.slow) {
      const text = direct ? `${dest.name}=${d}` : `${result}=${this.newFloat(d, element)}`;
      this.put(
        `if(${[...place.readable, `(${d}=${place.storage}[${place.index}])!==undefined`].join("&&")})${text};else{`,
      );
    }
    this.assign(result, otherwise);
    this.check(result);
    if (direct) this.assign(dest.name, `${result}.v`);
    if (!this.slow) this.put("}");
    if (!direct) this.deliver(result, dest, false);
  }

  private newFloat(number: string, { type }: FloatKind): string {
    return `new ${type === "double" ? "Db" : "Sf"}(${number})`;
  }

  private write(node: LeafNode, kind: ArrayKind, dest: Dest): void {
    const [value, ...rest] = node.args as [Node, ...Node[]];
    const element = elementKind(kind);
    const known = this.kindOf(value);
    const asNumber = isFloat(element) && isFloat(known) && known.type === element.type;
    const order = rest.every(isQuiet);
    const stored = asNumber && order ? this.number(value) : "";
    const [object, array, ...subscripts] = (
      stored === "" ? this.args(node.args) : ["", ...this.args(rest)]
    ) as [string, string, ...string[]];
    const place = this.elementPlace(array, subscripts, rest.slice(1), kind);
    const boxed = stored === "" ? object : this.newFloat(stored, element as FloatKind);
    const fits = this.fits(object, value, kind, stored !== "");
    const number = stored === "" ? (isFloat(element) ? `${object}.v` : object) : stored;
    const store = `((${place.storage}[${place.index}]=${number}),true)`;
    const fast = [...fits, ...place.writable, store].join("&&");
    const failed = this.newTemp();
    const otherwise = `${this.unit.leaf(node.leaf, node.args.length)}(${[boxed, array, ...subscripts].join(",")})`;
    if (!this.slow) this.put(`if(!(${fast})){`);
    this.assign(failed, otherwise);
    this.check(failed);
    if (!this.slow) this.put("}");
    if (dest.kind === "effect") return;
    if (stored !== "") this.deliverFloat(stored, element as FloatKind, dest);
    else this.deliver(object, dest, false);
  }

  /** Conditions that an object is right for the elements of an array. */
  private fits(object: string, value: Node, kind: ArrayKind, isNumber: boolean): readonly string[] {
    const element = elementKind(kind);
    if (isNumber || element.type === "any") return [];
    if (isFloat(element)) return [`${object} instanceof ${element.type === "double" ? "Db" : "Sf"}`];
    if (element.type !== "integer" || within(this.kindOf(value), element)) return [];
    const isFixnum = this.kindOf(value).type === "integer" ? [] : [`typeof ${object}==="number"`];
    return kind.element === "fixnum"
      ? isFixnum
      : [...isFixnum, `${object}>=${element.low}`, `${object}<=${element.high}`];
  }
}
