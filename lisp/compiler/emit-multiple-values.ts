import { type Dest, EFFECT, toVar } from "./emit-text.ts";
import { TagbodyEmitter } from "./emit-tagbody.ts";
import type { Node } from "./ir.ts";

/** VALUES and the forms that take several values, through the multiple-value register of the runtime. */
export abstract class MultipleValueEmitter extends TagbodyEmitter {
  /** Evaluates a function designator and arguments; `name` holds the function object then. */
  protected calledFunction(
    node: Node,
    rest: readonly Node[],
  ): { readonly name: string; readonly args: string[] } {
    const [fn, ...args] = this.args([node, ...rest], false);
    const name = this.newTemp();
    this.assign(name, fn!);
    if (node.op !== "lambda")
      this.call(`R.coerceFunction(${name})`, toVar(name), { fast: "§ instanceof Fn" });
    return { name, args };
  }

  protected values(node: Extract<Node, { op: "values" }>, dest: Dest): void {
    const args = this.args(node.args);
    const multi = dest.kind === "return" || (dest.kind === "var" && dest.multi);
    const first = args[0] ?? "N";
    if (!multi || args.length === 1) return this.deliver(first, dest, false);
    this.put(`R.mv=[${args.join(",")}];`);
    if (dest.kind === "return") this.put(`return ${first};`);
    else if (dest.kind === "var" && dest.name !== first) this.assign(dest.name, first);
  }

  protected multipleValueBind(node: Extract<Node, { op: "multiple-value-bind" }>, dest: Dest): void {
    const mark = this.scope.length;
    const primary = this.newTemp();
    this.before([node.body], () => this.node(node.form, toVar(primary, node.variables.length > 1)));
    for (const [i, v] of node.variables.entries()) {
      this.bindVariable(v, i === 0 ? primary : `R.mv===null||R.mv.length<=${i}?N:R.mv[${i}]`, [node.body]);
    }
    this.dirty = true;
    this.node(node.body, dest);
    this.scope.length = mark;
  }

  protected multipleValueCall(node: Extract<Node, { op: "multiple-value-call" }>, dest: Dest): void {
    const { name } = this.calledFunction(node.fn, []);
    const all = this.newTemp();
    this.assign(all, "[]");
    for (const arg of node.args) {
      this.withTemps(() => {
        const value = this.newTemp();
        this.node(arg, toVar(value, true));
        this.put(`R.collect(${all},${value});`);
      });
    }
    this.dirty = true;
    this.call(`${name}.code(${name},...${all})`, dest, { multi: true });
  }

  protected multipleValueList(node: Extract<Node, { op: "multiple-value-list" }>, dest: Dest): void {
    const value = this.newTemp();
    this.node(node.form, toVar(value, true));
    this.dirty = true;
    this.assign(value, `R.valuesList(${value})`);
    this.deliver(value, dest, false);
  }

  protected multipleValueProg1(node: Extract<Node, { op: "multiple-value-prog1" }>, dest: Dest): void {
    const multi = dest.kind === "return" || (dest.kind === "var" && dest.multi);
    const value = this.newTemp();
    this.node(node.first, toVar(value, multi));
    if (!multi) {
      this.node(node.rest, EFFECT);
      return this.deliver(value, dest, false);
    }
    const values = this.newTemp();
    this.assign(values, "R.mv");
    this.node(node.rest, EFFECT);
    this.assign("R.mv", values);
    this.deliverMulti(value, dest);
  }

  /** Delivers a value whose multiple-value register is already right. */
  private deliverMulti(name: string, dest: Dest): void {
    this.dirty = true;
    if (dest.kind === "return") this.put(`return ${name};`);
    else if (dest.kind === "var" && dest.name !== name) this.assign(dest.name, name);
  }
}
