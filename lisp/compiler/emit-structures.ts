import { ArrayEmitter } from "./emit-arrays.ts";
import { boxedFloat, type Dest, takesFloat } from "./emit-text.ts";
import type { Node } from "./ir.ts";
import { DOUBLE, isFloat, SINGLE } from "./kinds.ts";
import { isQuiet } from "./quiet-nodes.ts";
import { member } from "./primitives.ts";

type LeafNode = Extract<Node, { op: "leaf" }>;

const operators = /^SYS:STRUCTURE-(DOUBLE|SINGLE)-(REF|SET)$/;

/** Slots of structures that are declared to be floats: compiled code reads and writes the number in the slot's own object. */
export abstract class StructureEmitter extends ArrayEmitter {
  /** Writes the call when it is an access to such a slot. */
  protected structureLeaf(node: LeafNode, dest: Dest): boolean {
    const [, format, access] = operators.exec(node.leaf.name) ?? [];
    if (format === undefined) return false;
    const kind = format === "DOUBLE" ? DOUBLE : SINGLE;
    if (access === "REF") this.readSlot(node, kind, dest);
    else this.writeSlot(node, kind, dest);
    return true;
  }

  private readSlot(node: LeafNode, kind: typeof DOUBLE, dest: Dest): void {
    const [cell, index, structure] = this.args(node.args) as [string, string, string];
    const result = this.newTemp();
    const direct = takesFloat(dest, kind.type);
    if (!this.slow) {
      const number = `${member(structure)}.slots[${index}].v`;
      const text = direct ? `${dest.name}=${number}` : `${result}=${boxedFloat(number, kind.type)}`;
      this.put(`if(${member(structure)}.layout===${cell}.direct)${text};else{`);
    }
    this.assign(result, `${this.unit.leaf(node.leaf, 3)}(${cell},${index},${structure})`);
    this.check(result);
    // The structure may have been redefined with another type of slot.
    if (direct) this.convert(result, dest.name, kind);
    if (!this.slow) this.put("}");
    if (!direct) this.deliver(result, dest, false);
  }

  private writeSlot(node: LeafNode, kind: typeof DOUBLE, dest: Dest): void {
    const value = node.args[3]!;
    const known = this.kindOf(value);
    const isNumber = isFloat(known) && known.type === kind.type && isQuiet(value);
    const [cell, index, structure, object] = (
      isNumber ? [...this.args(node.args.slice(0, 3)), ""] : this.args(node.args)
    ) as [string, string, string, string];
    const number = isNumber ? this.number(value) : `${object}.v`;
    const boxed = isNumber ? boxedFloat(number, kind.type) : object;
    const fits = isNumber ? "" : `${object} instanceof ${kind.type === "double" ? "Db" : "Sf"}&&`;
    const fast = `${fits}${member(structure)}.layout===${cell}.direct`;
    const failed = this.newTemp();
    if (!this.slow) this.put(`if(${fast})${member(structure)}.slots[${index}].v=${number};else{`);
    this.assign(failed, `${this.unit.leaf(node.leaf, 4)}(${cell},${index},${structure},${boxed})`);
    this.check(failed);
    if (!this.slow) this.put("}");
    if (dest.kind === "effect") return;
    if (isNumber) this.deliverFloat(number, kind, dest);
    else this.deliver(object, dest, false);
  }
}
