import { boxedFloat, type Dest, EFFECT, toVar } from "./emit-text.ts";
import { TagbodyEmitter } from "./emit-tagbody.ts";
import { divisionTest } from "./divisions.ts";
import type { Node } from "./ir.ts";
import { isFloat } from "./kinds.ts";

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
    if (this.boundDivision(node)) {
      this.dirty = true;
      this.node(node.body, dest);
      this.scope.length = mark;
      return;
    }
    const primary = this.newTemp();
    this.before([node.body], () => this.node(node.form, toVar(primary, node.variables.length > 1)));
    for (const [i, v] of node.variables.entries()) {
      this.bindVariable(v, i === 0 ? primary : `R.mv===null||R.mv.length<=${i}?N:R.mv[${i}]`, [node.body]);
    }
    this.dirty = true;
    this.node(node.body, dest);
    this.scope.length = mark;
  }

  /** Binds the two values of a division, without an array for them where the operands are fixnums or the dividend is a float. */
  private boundDivision(node: Extract<Node, { op: "multiple-value-bind" }>): boolean {
    const { form, variables, body } = node;
    if (form.op !== "leaf" || variables.length !== 2) return false;
    const kinds = form.args.map((arg) => this.kindOf(arg));
    if (divisionTest(form.leaf.name, "", "", kinds, ["", ""]) === null) return false;
    const [quotient, remainder] = [this.newTemp(), this.newTemp()];
    this.before([body], () =>
      this.withTemps(() => {
        const [kind] = kinds;
        const ofFloat = kinds.length === 1 && isFloat(kind!);
        const numbers = ofFloat ? [this.number(form.args[0]!)] : this.args(form.args);
        const objects = ofFloat ? [boxedFloat(numbers[0]!, kind.type)] : numbers;
        const test = divisionTest(form.leaf.name, quotient, remainder, kinds, numbers)!;
        if (!this.slow) this.put(`if(!(${test})){`);
        this.put("R.mv=null;");
        this.assign(quotient, `${this.unit.leaf(form.leaf, objects.length)}(${objects.join(",")})`);
        this.check(quotient);
        this.assign(remainder, "R.mv===null||R.mv.length<2?N:R.mv[1]");
        if (!this.slow) this.put("}");
      }),
    );
    this.bindVariable(variables[0]!, quotient, [body]);
    this.bindVariable(variables[1]!, remainder, [body]);
    return true;
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
