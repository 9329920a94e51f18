import { type LSymbol, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { LeafEntry } from "../runtime/leaf-entry.ts";
import type { Block, FunctionNode, Node, Tag, Tagbody, Variable } from "./ir.ts";
import { type Primitive, primitives } from "./primitives.ts";
import { planTagbody } from "./tagbody-plan.ts";

/** What the emitter of a function needs from its compilation unit. */
export interface UnitScope {
  /** JavaScript expression for a constant. */
  constant(value: LispValue): string;
  /** Name of the guarded direct entry of a leaf. */
  leaf(leaf: LeafEntry, count: number): string;
  /** Name of the code of a leaf that never throws. */
  rawLeaf(leaf: LeafEntry): string;
  /** Constant for a symbol that is called. */
  callee(symbol: LSymbol): string;
  /** Constant expression for the cell of a load-time value. */
  cell(node: Extract<Node, { op: "load-time-value" }>): string;
  /** Notes that a function node is part of the unit. */
  include(fn: FunctionNode): void;
  /** Constant for the keyword table of a function. */
  keys(fn: FunctionNode): string;
}

/** Where a value goes. `multi`: the multiple-value register must be right as well. */
type Dest =
  | { readonly kind: "effect" }
  | { readonly kind: "var"; readonly name: string; readonly multi: boolean }
  | { readonly kind: "return" };

const EFFECT: Dest = { kind: "effect" };
const RETURN: Dest = { kind: "return" };

function toVar(name: string, multi = false): Dest {
  return { kind: "var", name, multi };
}

/** A place to jump to. In the slow version it is a number of the switch. */
interface Label {
  readonly name: string;
  readonly pc: number;
  readonly loop: boolean;
}

/** A dynamic extent of the function that must be left through its exit code. */
interface Region {
  readonly label: Label;
  /** Statements that undo what entering did (bindings, catch tags, liveness of tokens). */
  readonly leave: string;
  /** Number of the handler for exceptions of JavaScript, in the slow version; 0 when it has none. */
  readonly guard: number;
}

/** A tagbody being written. */
interface TagbodyState {
  /** Where a forward GO jumps. */
  readonly labels: Map<Tag, Label>;
  /** Where a backward GO jumps. */
  readonly loops: Map<Tag, Label>;
  readonly regions: number;
  /** Set when the segments are a switch in a loop. */
  readonly machine: { readonly state: string; readonly loop: Label } | null;
  /** Segment being written. */
  segment: number;
}

interface Exit {
  readonly label: Label;
  readonly dest: Dest;
  readonly regions: number;
}

/**
 * Writes one function as JavaScript: the fast version (plain structured code that can suspend at each call) or the slow version
 * (the same code flattened to a switch that can be entered after any call). Both walk the tree in the same order, so resume
 * points, temporaries and saved layouts agree; what differs is only how control flow is spelled.
 */
export class FunctionEmitter {
  private readonly fn: FunctionNode;
  private readonly unit: UnitScope;
  private readonly slow: boolean;
  private out: string[] = [];
  private readonly declared = new Set<string>();
  private readonly layouts: string[] = [];
  private readonly scope: string[] = [];
  private readonly regions: Region[] = [];
  private readonly blocks = new Map<Block, Exit>();
  private readonly tagbodies = new Map<Tagbody, TagbodyState>();
  private readonly resumes: string[] = [];
  private temps = 0;
  private labels = 0;
  private dirty = false;
  private readonly firstLabel: number;

  constructor(fn: FunctionNode, unit: UnitScope, slow: boolean) {
    this.fn = fn;
    this.unit = unit;
    this.slow = slow;
    this.firstLabel = (fn.layouts?.length ?? 0) + 1;
  }

  /** Text of the function, named `c<id>` (fast) or an anonymous function expression (slow). */
  emit(): string {
    this.prologue();
    this.node(this.fn.body, RETURN);
    if (this.slow) return this.slowText();
    this.fn.layouts = this.layouts;
    const declarations = this.declared.size === 0 ? "" : `let ${[...this.declared].join(",")};`;
    return `function c${this.fn.id}(${this.parameters()}){${this.checks()}${declarations}${this.out.join("")}}`;
  }

  private slowText(): string {
    const own = [
      ...this.declared,
      "f",
      ...this.fn.required.map((v) => v.js),
      ...this.fn.optional.map((v) => v.variable.js),
      "r",
    ];
    const frees = this.fn.free.map((v, i) => `${v.js}=f.env[${i}];`).join("");
    return (
      `function(pc,L,V){let h=0,${[...new Set(own)].join(",")};switch(pc){${this.resumes.join("")}}${frees}` +
      `for(;;)try{for(;;)switch(pc){case 0:${this.out.join("")}}}` +
      `catch(e){if(h===0)throw e;[pc,V]=[h,e];}}`
    );
  }

  // ---------------------------------------------------------------- parameters

  private get hasRest(): boolean {
    return this.fn.rest !== null || this.fn.keys !== null;
  }

  private parameters(): string {
    const names = ["f", ...this.fn.required.map((v) => v.js), ...this.fn.optional.map((p) => p.variable.js)];
    return [...names, this.hasRest ? "...r" : "x"].join(",");
  }

  private checks(): string {
    const last = this.fn.required.at(-1);
    const few = last === undefined ? "" : `${last.js}===undefined`;
    const many = this.hasRest ? "" : "x!==undefined";
    const both = [few, many].filter((text) => text !== "").join("||");
    return both === "" ? "" : `if(${both})return R.wrongArguments(f);`;
  }

  private prologue(): void {
    const { fn } = this;
    this.scope.push("f");
    if (!this.slow) for (const [i, v] of fn.free.entries()) this.assign(this.local(v.js), `f.env[${i}]`);
    else for (const v of fn.free) this.local(v.js);
    for (const v of fn.required) this.scope.push(v.js);
    for (const p of fn.optional) this.scope.push(p.variable.js);
    if (this.hasRest) this.scope.push("r");
    if (fn.calls) this.tick();
    for (const v of fn.required) if (v.boxed) this.assign(v.js, `new Box(${v.js})`);
    for (const p of fn.optional) this.optionalParameter(p);
    if (fn.rest !== null) this.bindVariable(fn.rest, "R.restList(r)");
    if (fn.keys !== null) this.keyParameters();
  }

  private optionalParameter(p: FunctionNode["optional"][number]): void {
    const name = p.variable.js;
    if (p.supplied !== null) this.bindVariable(p.supplied, `${name}===undefined?N:T`);
    this.branch(`${name}===undefined`, () => this.node(p.init, toVar(name)), null);
    if (p.variable.boxed) this.assign(name, `new Box(${name})`);
  }

  private keyParameters(): void {
    const keys = this.fn.keys!;
    const parsed = this.newTemp();
    this.call(`R.parseKeys(f,r,${this.unit.keys(this.fn)})`, toVar(parsed), { fast: "" });
    for (const [i, p] of keys.entries()) {
      const name = this.local(p.variable.js);
      this.assign(name, `${parsed}[${i}]`);
      this.scope.push(name);
      if (p.supplied !== null) this.bindVariable(p.supplied, `${name}===undefined?N:T`);
      this.branch(`${name}===undefined`, () => this.node(p.init, toVar(name)), null);
      if (p.variable.boxed) this.assign(name, `new Box(${name})`);
    }
  }

  // ---------------------------------------------------------------- text

  private put(text: string): void {
    this.out.push(text);
  }

  private assign(name: string, text: string): void {
    this.put(`${name}=${text};`);
  }

  private local(name: string): string {
    this.declared.add(name);
    return name;
  }

  private newTemp(): string {
    return this.local(`t${this.temps++}`);
  }

  /** Runs `body` and gives back the temporaries it took. */
  private withTemps<V>(body: () => V): V {
    const mark = this.temps;
    const result = body();
    this.temps = mark;
    return result;
  }

  private bindVariable(v: Variable, text: string): void {
    this.assign(this.local(v.js), v.boxed ? `new Box(${text})` : text);
    this.scope.push(v.js);
  }

  private label(prefix: string, loop = false): Label {
    const number = this.labels++;
    return { name: `${prefix}${number}`, pc: this.firstLabel + number, loop };
  }

  private jump(label: Label): string {
    if (this.slow) return `{pc=${label.pc};continue;}`;
    return `${label.loop ? "continue" : "break"} ${label.name};`;
  }

  private place(label: Label): void {
    if (this.slow) this.put(`case ${label.pc}:`);
  }

  /** Code from which `label` is reached by jumping forward. */
  private forward(label: Label, body: () => void): void {
    if (!this.slow) this.put(`${label.name}:{`);
    body();
    if (!this.slow) this.put("}");
    this.place(label);
  }

  private branch(condition: string, then: () => void, otherwise: (() => void) | null): void {
    if (!this.slow) {
      this.put(`if(${condition}){`);
      then();
      if (otherwise !== null) {
        this.put("}else{");
        otherwise();
      }
      this.put("}");
      return;
    }
    const other = this.label("E");
    this.put(`if(!(${condition}))${this.jump(other)}`);
    then();
    if (otherwise === null) {
      this.place(other);
      return;
    }
    const end = this.label("E");
    this.put(this.jump(end));
    this.place(other);
    otherwise();
    this.place(end);
  }

  // ---------------------------------------------------------------- calls

  private live(target: string): string[] {
    const names = [...this.scope];
    for (let i = 0; i < this.temps; i++) names.push(`t${i}`);
    return names.filter((name) => name !== target);
  }

  /** Statement that leaves the function, or enters the exit code of the innermost region, when `target` is the suspension marker. */
  private check(target: string): void {
    const pc = this.layouts.length + 1;
    const live = this.live(target);
    this.layouts.push(live.join(","));
    const region = this.regions.at(-1);
    const save = `s(F${this.fn.id},${pc},[${live.join(",")}])`;
    if (this.slow) {
      const guard = this.guard();
      const restore = live.map((name, i) => `${name}=L[${i}];`).join("");
      this.resumes.push(`case ${pc}:${restore}${target}=V;${guard === 0 ? "" : `h=${guard};`}break;`);
      this.put(`case ${pc}:`);
    }
    if (region === undefined) this.put(`if(${target}===S)return ${save};`);
    else this.put(`if(${target}===S){if(R.unwinding===null)return ${save};${this.jump(region.label)}}`);
  }

  private guard(): number {
    for (let i = this.regions.length - 1; i >= 0; i--)
      if (this.regions[i]!.guard !== 0) return this.regions[i]!.guard;
    return 0;
  }

  /** Name for the result of a call: the destination itself when it is a fresh variable, else a temporary. */
  private target(dest: Dest): string {
    return dest.kind === "var" ? dest.name : this.newTemp();
  }

  /**
   * A call that may suspend. `fast` is a condition that computes the result without the call (written with `§` for the result).
   * `multi`: the callee sets the multiple-value register itself.
   */
  private call(
    text: string,
    dest: Dest,
    options: { readonly fast?: string; readonly multi?: boolean },
  ): void {
    this.withTemps(() => {
      const fast = options.fast ?? "";
      const multi = options.multi === true;
      if (multi && dest.kind !== "effect" && (dest.kind === "return" ? this.dirty : dest.multi))
        this.put("R.mv=null;");
      if (dest.kind === "return" && this.regions.length === 0) {
        this.tailCall(text, fast, multi);
        return;
      }
      const name = this.target(dest);
      if (fast !== "") {
        this.put(`if(!(${fast.replaceAll("§", name)})){${name}=${text};`);
        if (this.slow) this.put("}");
        this.check(name);
        if (!this.slow) this.put("}");
      } else {
        this.assign(name, text);
        this.check(name);
      }
      if (multi) this.dirty = true;
      if (dest.kind === "effect") return;
      if (dest.kind === "return") this.put(`return ${name};`);
      else if (dest.multi && !multi) this.put("R.mv=null;");
    });
  }

  private tailCall(text: string, fast: string, multi: boolean): void {
    if (!multi && this.dirty) this.put("R.mv=null;");
    if (fast !== "") {
      const name = this.newTemp();
      this.put(`if(${fast.replaceAll("§", name)})return ${name};`);
    }
    this.put(`return ${text};`);
  }

  private tick(): void {
    const t = this.newTemp();
    if (this.slow) {
      this.assign(t, "--R.budget<0?R.tick():N");
      this.check(t);
    } else {
      this.put(`if(--R.budget<0){${t}=R.tick();`);
      this.check(t);
      this.put("}");
    }
    this.temps--;
  }

  // ---------------------------------------------------------------- values

  /** Delivers a single value given as an expression without suspension. */
  private deliver(text: string, dest: Dest, effects = true): void {
    if (dest.kind === "effect") {
      if (effects) this.put(`${text};`);
    } else if (dest.kind === "var") {
      if (dest.name !== text) this.assign(dest.name, text);
      if (dest.multi) this.put("R.mv=null;");
    } else {
      if (this.dirty) this.put("R.mv=null;");
      this.put(`return ${text};`);
    }
  }

  private variable(v: Variable): string {
    return v.boxed ? `${v.js}.v` : v.js;
  }

  /** True when the node's expression has neither statements nor effects and never fails. */
  private pure(node: Node): boolean {
    if (node.op === "const" || node.op === "local" || node.op === "load-time-value") return true;
    if (node.op !== "leaf") return false;
    const primitive = this.primitive(node);
    return (
      (primitive?.kind === "total" || primitive?.kind === "test") && node.args.every((arg) => this.pure(arg))
    );
  }

  /** True when the expression keeps its value whatever runs after it. */
  private stable(node: Node): boolean {
    return (
      node.op === "const" || node.op === "load-time-value" || (node.op === "local" && !node.variable.assigned)
    );
  }

  private primitive(node: Extract<Node, { op: "leaf" }>): Primitive | undefined {
    return primitives.get(`${node.leaf.name}/${node.args.length}`);
  }

  /** Expression of a node's single value; takes temporaries that the caller gives back. */
  private value(node: Node): string {
    switch (node.op) {
      case "const":
        return this.unit.constant(node.value);
      case "load-time-value":
        return this.unit.cell(node);
      case "local":
        return this.variable(node.variable);
      case "leaf":
        if (this.pure(node)) return this.pureLeaf(node);
        break;
      default:
        break;
    }
    const temp = this.newTemp();
    this.node(node, toVar(temp));
    return temp;
  }

  /** Like `value`, but the expression may be used several times. */
  private atom(node: Node): string {
    if (node.op !== "leaf" || !this.pure(node)) return this.value(node);
    const temp = this.newTemp();
    this.assign(temp, this.pureLeaf(node));
    return temp;
  }

  private pureLeaf(node: Extract<Node, { op: "leaf" }>): string {
    const primitive = this.primitive(node)!;
    if (primitive.kind === "test") return `(${this.pureTest(node, primitive)}?T:N)`;
    if (primitive.kind !== "total") throw new TypeError(`expected a total primitive, got ${node.leaf.name}`);
    return primitive.js(...this.args(node.args, primitive.atomic));
  }

  private pureTest(
    node: Extract<Node, { op: "leaf" }>,
    primitive: Extract<Primitive, { kind: "test" }>,
  ): string {
    if (node.leaf.name === "EQL" && node.args.some(comparesByIdentity)) {
      const [a, b] = this.args(node.args, false);
      return `${a}===${b}`;
    }
    return primitive.js(...this.args(node.args, primitive.atomic));
  }

  /** Expressions of arguments, evaluated in order; each is good until the next statement with effects. */
  private args(nodes: readonly Node[], atomic = true): string[] {
    let last = nodes.length - 1;
    while (last >= 0 && this.pure(nodes[last]!)) last--;
    return nodes.map((node, i) => {
      if (i >= last || this.stable(node)) return atomic ? this.atom(node) : this.value(node);
      const temp = this.newTemp();
      this.node(node, toVar(temp));
      return temp;
    });
  }

  /** JavaScript condition for a node in test position. */
  private condition(node: Node): string {
    if (node.op === "const") return node.value === NIL ? "false" : "true";
    if (node.op === "leaf") {
      const primitive = this.primitive(node);
      if (node.leaf.name === "NOT" || node.leaf.name === "NULL") {
        if (node.args.length === 1) return `!(${this.condition(node.args[0]!)})`;
      } else if (primitive?.kind === "test") return `(${this.pureTest(node, primitive)})`;
      else if (primitive?.kind === "compare") return this.comparison(node, primitive);
    }
    if (node.op === "if" || node.op === "or") return this.conditional(node);
    return `${this.value(node)}!==N`;
  }

  private pureCondition(node: Node): boolean {
    if (node.op === "if")
      return [node.test, node.whenTrue, node.whenFalse].every((child) => this.pureCondition(child));
    if (node.op === "or") return this.pureCondition(node.first) && this.pureCondition(node.rest);
    if (
      node.op === "leaf" &&
      node.args.length === 1 &&
      (node.leaf.name === "NOT" || node.leaf.name === "NULL")
    ) {
      return this.pureCondition(node.args[0]!);
    }
    return this.pure(node);
  }

  private comparison(
    node: Extract<Node, { op: "leaf" }>,
    primitive: Extract<Primitive, { kind: "compare" }>,
  ): string {
    const result = this.newTemp();
    const args = this.args(node.args);
    const text = `${this.unit.leaf(node.leaf, args.length)}(${args.join(",")})`;
    if (!this.slow) this.put(`if(${primitive.guard(...args)})${result}=${primitive.js(...args)};else{`);
    this.assign(result, text);
    this.check(result);
    this.assign(result, `${result}!==N`);
    if (!this.slow) this.put("}");
    return result;
  }

  /** `(if a b c)` and `(or a b)` as a condition, for tests of AND, OR and COND. */
  private conditional(node: Extract<Node, { op: "if" | "or" }>): string {
    if (this.pureCondition(node)) {
      const parts = node.op === "if" ? [node.test, node.whenTrue, node.whenFalse] : [node.first, node.rest];
      const [a, b, c] = parts.map((part) => this.condition(part));
      if (c === undefined) return `(${a}||${b})`;
      return c === "false" ? `(${a}&&${b})` : `(${a}?${b}:${c})`;
    }
    const result = this.newTemp();
    this.withTemps(() => {
      if (node.op === "or") {
        this.assign(result, this.condition(node.first));
        this.branch(
          `!${result}`,
          () => this.withTemps(() => this.assign(result, this.condition(node.rest))),
          null,
        );
        return;
      }
      this.branch(
        this.condition(node.test),
        () => this.withTemps(() => this.assign(result, this.condition(node.whenTrue))),
        () => this.withTemps(() => this.assign(result, this.condition(node.whenFalse))),
      );
    });
    return result;
  }

  // ---------------------------------------------------------------- nodes

  private node(node: Node, dest: Dest): void {
    this.withTemps(() => this.dispatch(node, dest));
  }

  private dispatch(node: Node, dest: Dest): void {
    switch (node.op) {
      case "const":
      case "load-time-value":
      case "local":
        return this.deliver(this.value(node), dest, false);
      case "set-local":
        return this.setLocal(node, dest);
      case "special":
        return this.special(node, dest);
      case "set-special":
        return this.setSpecial(node, dest);
      case "if":
        return this.conditionalNode(node, dest);
      case "or":
        return this.orNode(node, dest);
      case "progn":
        return this.progn(node.body, dest);
      case "let":
        return this.letNode(node, dest);
      case "call":
        return this.globalCall(node, dest);
      case "call-local":
        return this.localCall(node, dest);
      case "funcall":
        return this.funcall(node, dest);
      case "apply":
        return this.apply(node, dest);
      case "leaf":
        return this.leafNode(node, dest);
      case "function":
        return this.functionNode(node, dest);
      case "lambda":
        return this.deliver(this.closure(node.fn), dest, false);
      case "local-functions":
        return this.localFunctions(node, dest);
      case "values":
        return this.values(node, dest);
      case "multiple-value-bind":
        return this.multipleValueBind(node, dest);
      case "multiple-value-call":
        return this.multipleValueCall(node, dest);
      case "multiple-value-list":
        return this.multipleValueList(node, dest);
      case "multiple-value-prog1":
        return this.multipleValueProg1(node, dest);
      default:
        return this.extent(node, dest);
    }
  }

  private extent(node: Node, dest: Dest): void {
    switch (node.op) {
      case "bind":
        return this.bind(node, dest);
      case "progv":
        return this.progv(node, dest);
      case "block":
        return this.block(node, dest);
      case "return":
        return this.returnFrom(node);
      case "tagbody":
        return this.tagbody(node, dest);
      case "go":
        return this.go(node);
      case "catch":
        return this.catchNode(node, dest);
      case "throw":
        return this.throwNode(node);
      case "unwind-protect":
        return this.unwindProtect(node, dest);
      default:
        throw new TypeError(`expected a node of the intermediate form, got ${node.op}`);
    }
  }

  private progn(body: readonly Node[], dest: Dest): void {
    if (body.length === 0) return this.deliver("N", dest, false);
    for (const [i, node] of body.entries()) this.node(node, i === body.length - 1 ? dest : EFFECT);
  }

  private conditionalNode(node: Extract<Node, { op: "if" }>, dest: Dest): void {
    const condition = this.condition(node.test);
    if (condition === "true") return this.node(node.whenTrue, dest);
    if (condition === "false") return this.node(node.whenFalse, dest);
    const dirty = this.dirty;
    let dirtyThen = false;
    const needsElse = !(dest.kind === "effect" && node.whenFalse.op === "const");
    this.branch(
      condition,
      () => {
        this.node(node.whenTrue, dest);
        dirtyThen = this.dirty;
        this.dirty = dirty;
      },
      needsElse ? () => this.node(node.whenFalse, dest) : null,
    );
    this.dirty ||= dirtyThen;
  }

  /** The first value is single; only the last form of OR may give several values. */
  private orNode(node: Extract<Node, { op: "or" }>, dest: Dest): void {
    if (dest.kind === "effect")
      return this.branch(`!(${this.condition(node.first)})`, () => this.node(node.rest, EFFECT), null);
    const first = this.newTemp();
    this.node(node.first, toVar(first));
    this.branch(
      `${first}!==N`,
      () => this.deliver(first, dest, false),
      () => this.node(node.rest, dest),
    );
  }

  private setLocal(node: Extract<Node, { op: "set-local" }>, dest: Dest): void {
    const text = this.value(node.value);
    const name = this.variable(node.variable);
    this.assign(name, text);
    this.deliver(name, dest, false);
  }

  private special(node: Extract<Node, { op: "special" }>, dest: Dest): void {
    const symbol = this.unit.constant(node.symbol);
    if (!node.checked) return this.deliver(`${symbol}.value`, dest, false);
    this.call(`R.unboundVariable(${symbol})`, dest, { fast: `(§=${symbol}.value)!==UB` });
  }

  private setSpecial(node: Extract<Node, { op: "set-special" }>, dest: Dest): void {
    const text = this.value(node.value);
    this.put(`${this.unit.constant(node.symbol)}.value=${text};`);
    this.deliver(text, dest, false);
  }

  private letNode(node: Extract<Node, { op: "let" }>, dest: Dest): void {
    const mark = this.scope.length;
    for (const { variable, init } of node.bindings) {
      const name = this.local(variable.js);
      this.node(init, toVar(name));
      if (variable.boxed) this.assign(name, `new Box(${name})`);
      this.scope.push(name);
    }
    this.node(node.body, dest);
    this.scope.length = mark;
  }

  private globalCall(node: Extract<Node, { op: "call" }>, dest: Dest): void {
    const args = this.args(node.args, false);
    const symbol = this.unit.callee(node.symbol);
    this.call(`${symbol}.fn.code(${[`${symbol}.fn`, ...args].join(",")})`, dest, { multi: true });
  }

  private localCall(node: Extract<Node, { op: "call-local" }>, dest: Dest): void {
    const args = this.args(node.args, false);
    const self = this.variable(node.variable);
    const { fn } = node.variable;
    const text = fn === null ? `${self}.code` : `c${fn.id}`;
    this.call(`${text}(${[self, ...args].join(",")})`, dest, { multi: true });
  }

  private calledFunction(
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

  private funcall(node: Extract<Node, { op: "funcall" }>, dest: Dest): void {
    const { name, args } = this.calledFunction(node.fn, node.args);
    this.call(`${name}.code(${[name, ...args].join(",")})`, dest, { multi: true });
  }

  private apply(node: Extract<Node, { op: "apply" }>, dest: Dest): void {
    const { name, args } = this.calledFunction(node.fn, node.args);
    const spread = this.newTemp();
    this.call(`R.spread(${[args.at(-1)!, ...args.slice(0, -1)].join(",")})`, toVar(spread), {});
    this.call(`${name}.code(${name},...${spread})`, dest, { multi: true });
  }

  private leafNode(node: Extract<Node, { op: "leaf" }>, dest: Dest): void {
    if (this.pure(node)) return this.deliver(this.pureLeaf(node), dest, false);
    const primitive = this.primitive(node);
    if (primitive?.kind === "compare")
      return this.deliver(`(${this.comparison(node, primitive)}?T:N)`, dest, false);
    if (primitive?.kind === "test") {
      const text = `(${this.pureTest(node, primitive)}?T:N)`;
      return this.deliver(text, dest, false);
    }
    if (primitive?.kind === "total")
      return this.deliver(primitive.js(...this.args(node.args, primitive.atomic)), dest, false);
    const args = this.args(node.args, primitive !== undefined);
    if (primitive === undefined && node.leaf.traits.total === true && node.leaf.traits.values !== true) {
      return this.deliver(`${this.unit.rawLeaf(node.leaf)}(${args.join(",")})`, dest);
    }
    const text = `${this.unit.leaf(node.leaf, args.length)}(${args.join(",")})`;
    const multi = node.leaf.traits.values === true;
    // The quick way gives the primary value alone.
    const usable = !multi || (dest.kind !== "return" && !(dest.kind !== "effect" && dest.multi));
    const fast = primitive?.kind === "checked" && usable ? primitive.fast("§", ...args) : "";
    this.call(text, dest, { fast, multi });
  }

  private functionNode(node: Extract<Node, { op: "function" }>, dest: Dest): void {
    const symbol = this.unit.constant(node.symbol);
    this.call(`R.undefinedFunction(${symbol})`, dest, { fast: `R.defined(§=${symbol}.fn)` });
  }

  private closure(fn: FunctionNode): string {
    this.unit.include(fn);
    const env = fn.free.length === 0 ? "E" : `[${fn.free.map((v) => v.js).join(",")}]`;
    return `new Fn(c${fn.id},${env},I${fn.id})`;
  }

  private localFunctions(node: Extract<Node, { op: "local-functions" }>, dest: Dest): void {
    const mark = this.scope.length;
    for (const { variable, fn } of node.bindings) {
      this.unit.include(fn);
      this.bindVariable(variable, `new Fn(c${fn.id},E,I${fn.id})`);
    }
    for (const { variable, fn } of node.bindings) {
      if (fn.free.length === 0) continue;
      this.put(`${this.variable(variable)}.env=[${fn.free.map((v) => v.js).join(",")}];`);
    }
    this.node(node.body, dest);
    this.scope.length = mark;
  }

  // ---------------------------------------------------------------- multiple values

  private values(node: Extract<Node, { op: "values" }>, dest: Dest): void {
    const args = this.args(node.args);
    const multi = dest.kind === "return" || (dest.kind === "var" && dest.multi);
    const first = args[0] ?? "N";
    if (!multi || args.length === 1) return this.deliver(first, dest, false);
    this.put(`R.mv=[${args.join(",")}];`);
    if (dest.kind === "return") this.put(`return ${first};`);
    else if (dest.kind === "var" && dest.name !== first) this.assign(dest.name, first);
  }

  private multipleValueBind(node: Extract<Node, { op: "multiple-value-bind" }>, dest: Dest): void {
    const mark = this.scope.length;
    const primary = this.newTemp();
    this.node(node.form, toVar(primary, node.variables.length > 1));
    for (const [i, v] of node.variables.entries()) {
      this.bindVariable(v, i === 0 ? primary : `R.mv===null||R.mv.length<=${i}?N:R.mv[${i}]`);
    }
    this.dirty = true;
    this.node(node.body, dest);
    this.scope.length = mark;
  }

  private multipleValueCall(node: Extract<Node, { op: "multiple-value-call" }>, dest: Dest): void {
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

  private multipleValueList(node: Extract<Node, { op: "multiple-value-list" }>, dest: Dest): void {
    const value = this.newTemp();
    this.node(node.form, toVar(value, true));
    this.dirty = true;
    this.assign(value, `R.valuesList(${value})`);
    this.deliver(value, dest, false);
  }

  private multipleValueProg1(node: Extract<Node, { op: "multiple-value-prog1" }>, dest: Dest): void {
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

  // ---------------------------------------------------------------- dynamic extents

  /** Destination for a body inside a region: never a direct return. */
  private inner(dest: Dest): Dest {
    return dest.kind === "return" ? toVar(this.newTemp(), true) : dest;
  }

  /** After a region: the value is in `inner`; hand it on to `dest`. */
  private outer(inner: Dest, dest: Dest): void {
    if (dest.kind === "return" && inner.kind === "var") {
      this.dirty = true;
      this.put(`return ${inner.name};`);
    }
  }

  /** Goes on unwinding outside the innermost region. */
  private unwindFurther(): string {
    const region = this.regions.at(-1);
    return region === undefined ? "return S;" : this.jump(region.label);
  }

  /**
   * A region: `body` runs inside; `leave` undoes the entry on every way out; `caught` writes what happens when unwinding
   * arrives (after `leave`), the default being to unwind further. `depth` names the binding depth inside, for exceptions.
   */
  private region(
    options: {
      readonly leave: string;
      readonly depth: string | null;
      readonly caught?: (end: Label) => void;
    },
    body: () => void,
  ): void {
    const end = this.label("Y");
    const exit = this.label("X");
    const guard = options.depth === null ? null : this.label("G");
    const outerGuard = this.guard();
    this.forward(end, () => {
      this.forward(exit, () => {
        this.regions.push({ label: exit, leave: options.leave, guard: guard?.pc ?? 0 });
        if (guard !== null) this.put(this.slow ? `h=${guard.pc};` : "try{");
        body();
        if (guard !== null && this.slow) this.put(`h=${outerGuard};`);
        this.put(options.leave + this.jump(end));
        if (guard !== null) this.exceptions(guard, options.depth!);
        this.regions.pop();
      });
      if (guard !== null && this.slow) this.put(`h=${outerGuard};`);
      this.put(options.leave);
      options.caught?.(end);
      this.put(this.unwindFurther());
    });
  }

  /** An exception of JavaScript arrived inside a region: ERROR is called here, and what comes of it leaves the region. */
  private exceptions(guard: Label, depth: string): void {
    const t = this.newTemp();
    if (this.slow) {
      this.place(guard);
      this.assign(t, `R.foreign(V,${depth})`);
    } else {
      this.put(`}catch(e){${t}=R.foreign(e,${depth});`);
    }
    this.check(t);
    this.put("R.unwindToTop();");
    this.put(this.jump(this.regions.at(-1)!.label));
    if (!this.slow) this.put("}");
    this.temps--;
  }

  private bind(node: Extract<Node, { op: "bind" }>, dest: Dest): void {
    const inits = this.args(node.bindings.map((binding) => binding.init));
    const depth = this.newTemp();
    this.assign(depth, "R.bindings.length");
    for (const [i, { symbol }] of node.bindings.entries()) {
      this.put(`R.bind(${this.unit.constant(symbol)},${inits[i]});`);
    }
    const inner = this.inner(dest);
    const leave = `R.unbind(${depth});`;
    const inside = node.guarded ? `${depth}+${node.bindings.length * 2}` : null;
    this.region({ leave, depth: inside }, () => this.node(node.body, inner));
    this.outer(inner, dest);
  }

  private progv(node: Extract<Node, { op: "progv" }>, dest: Dest): void {
    const [symbols, values] = this.args([node.symbols, node.values]);
    const depth = this.newTemp();
    const done = this.newTemp();
    this.assign(depth, "R.bindings.length");
    const inner = this.inner(dest);
    this.region({ leave: `R.unbind(${depth});`, depth: null }, () => {
      this.call(`R.progv(${symbols},${values})`, toVar(done), {});
      this.node(node.body, inner);
    });
    this.outer(inner, dest);
  }

  private block(node: Extract<Node, { op: "block" }>, dest: Dest): void {
    const { block } = node;
    if (!block.used) return this.node(node.body, dest);
    if (!block.unwinds) {
      const label = this.label("B");
      const regions = this.regions.length;
      const own = dest.kind === "var" ? toVar(this.newTemp(), dest.multi) : dest;
      this.blocks.set(block, { label, dest: own, regions });
      this.forward(label, () => this.node(node.body, own));
      if (own.kind === "var" && dest.kind === "var") this.assign(dest.name, own.name);
      if (dest.kind === "var" && dest.multi) this.dirty = true;
      return;
    }
    this.bindVariable(block.token, "R.exit()");
    const inner = this.inner(dest.kind === "effect" ? toVar(this.newTemp()) : dest);
    const label = this.label("B");
    this.blocks.set(block, { label, dest: inner, regions: this.regions.length + 1 });
    const token = block.token.js;
    const name = inner.kind === "var" ? inner.name : "";
    const caught = (end: Label): void =>
      this.put(`if(R.target===${token}){${name}=R.caught();${this.jump(end)}}`);
    this.region({ leave: `${token}.live=false;`, depth: `${token}.depth`, caught }, () =>
      this.forward(label, () => this.node(node.body, inner)),
    );
    this.scope.pop();
    this.outer(inner, dest);
  }

  /** Leaves the regions inside number `down`, innermost first, and jumps. */
  private leaveTo(down: number, label: Label): void {
    for (let i = this.regions.length - 1; i >= down; i--) this.put(this.regions[i]!.leave);
    if (this.slow && this.regions.length > down) {
      const guard = this.regions.slice(0, down).findLast((region) => region.guard !== 0);
      this.put(`h=${guard?.guard ?? 0};`);
    }
    this.put(this.jump(label));
  }

  private returnFrom(node: Extract<Node, { op: "return" }>): void {
    if (node.unwinds) {
      const value = this.newTemp();
      this.node(node.value, toVar(value, true));
      this.call(`R.unwindTo(${node.block.token.js},${value})`, EFFECT, {});
      this.put(`R.unwindToTop();${this.unwindFurther()}`);
      return;
    }
    const exit = this.blocks.get(node.block)!;
    if (exit.dest.kind === "return" && this.regions.length > exit.regions) {
      const value = this.newTemp();
      this.node(node.value, toVar(value, true));
      for (let i = this.regions.length - 1; i >= exit.regions; i--) this.put(this.regions[i]!.leave);
      this.put(`return ${value};`);
      return;
    }
    this.node(node.value, exit.dest);
    if (exit.dest.kind !== "return") this.leaveTo(exit.regions, exit.label);
  }

  private tagbody(node: Extract<Node, { op: "tagbody" }>, dest: Dest): void {
    if (this.fn.calls) this.dirty = true;
    const { tagbody } = node;
    if (!tagbody.unwinds) {
      this.segments(node);
      return this.deliver("N", dest, false);
    }
    this.bindVariable(tagbody.token, "R.exit()");
    const token = tagbody.token.js;
    const state = this.newTemp();
    const loop = this.label("L", true);
    this.assign(state, "0");
    // One round of the loop for each non-local GO; the region is entered anew each time.
    if (!this.slow) this.put(`${loop.name}:for(;;){`);
    this.place(loop);
    const caught = (): void =>
      this.put(`if(R.target===${token}){${state}=R.caught();${token}.live=true;${this.jump(loop)}}`);
    this.region({ leave: `${token}.live=false;`, depth: `${token}.depth`, caught }, () =>
      this.machine(node, state),
    );
    if (!this.slow) this.put("break;}");
    this.scope.pop();
    this.deliver("N", dest, false);
  }

  /** The segments of a tagbody as a switch inside a loop; `state` holds the segment to run. */
  private machine(node: Extract<Node, { op: "tagbody" }>, state: string): void {
    const loop = this.label("M", true);
    const labels = new Map(node.tags.map((tag) => [tag, this.label("T")]));
    this.tagbodies.set(node.tagbody, {
      labels,
      regions: this.regions.length,
      machine: { state, loop },
      segment: -1,
      loops: labels,
    });
    if (!this.slow) {
      this.put(`${loop.name}:for(;;){switch(${state}){`);
      for (const [i, segment] of node.segments.entries()) {
        this.put(`case ${i}:`);
        this.node(segment, EFFECT);
      }
      this.put("}break;}");
      return;
    }
    for (const tag of node.tags) this.put(`if(${state}===${tag.index})${this.jump(labels.get(tag)!)}`);
    this.flatSegments(node, labels);
  }

  private flatSegments(node: Extract<Node, { op: "tagbody" }>, labels: Map<Tag, Label>): void {
    const body = this.tagbodies.get(node.tagbody)!;
    for (const [i, segment] of node.segments.entries()) {
      if (body.machine === null) body.segment = i;
      for (const tag of node.tags) if (tag.index === i) this.place(labels.get(tag)!);
      this.node(segment, EFFECT);
    }
  }

  private segments(node: Extract<Node, { op: "tagbody" }>): void {
    const plan = planTagbody(node);
    if (plan === null) {
      const state = this.newTemp();
      this.assign(state, "0");
      this.machine(node, state);
      return;
    }
    const labels = new Map(node.tags.map((tag) => [tag, this.label("T")]));
    const loops = this.slow
      ? labels
      : new Map([...labels].map(([tag, label]) => [tag, { ...label, name: `L${label.name}`, loop: true }]));
    const body = { labels, loops, regions: this.regions.length, machine: null, segment: 0 };
    this.tagbodies.set(node.tagbody, body);
    if (this.slow) return this.flatSegments(node, labels);
    for (const [i, segment] of node.segments.entries()) {
      body.segment = i;
      for (const close of plan.closeBefore[i]!) this.put(close === "forward" ? "}" : "break;}");
      for (const { kind, tag } of plan.openBefore[i]!) {
        this.put(kind === "forward" ? `${labels.get(tag)!.name}:{` : `${loops.get(tag)!.name}:for(;;){`);
      }
      this.node(segment, EFFECT);
    }
    for (const close of plan.closeAtEnd) this.put(close === "forward" ? "}" : "break;}");
  }

  private go(node: Extract<Node, { op: "go" }>): void {
    const { tag } = node;
    if (node.unwinds) {
      this.call(`R.unwindTo(${tag.tagbody.token.js},${tag.index})`, EFFECT, {});
      this.put(`R.unwindToTop();${this.unwindFurther()}`);
      return;
    }
    const body = this.tagbodies.get(tag.tagbody)!;
    const backward = tag.index <= body.segment || body.machine !== null;
    if (backward) this.tick();
    if (body.machine !== null && !this.slow) {
      for (let i = this.regions.length - 1; i >= body.regions; i--) this.put(this.regions[i]!.leave);
      this.put(`${body.machine.state}=${tag.index};continue ${body.machine.loop.name};`);
      return;
    }
    this.leaveTo(body.regions, backward ? body.loops.get(tag)! : body.labels.get(tag)!);
  }

  private catchNode(node: Extract<Node, { op: "catch" }>, dest: Dest): void {
    const tag = this.value(node.tag);
    const entry = this.newTemp();
    this.assign(entry, `R.pushCatch(${tag})`);
    const inner = this.inner(dest.kind === "effect" ? toVar(this.newTemp()) : dest);
    const name = inner.kind === "var" ? inner.name : "";
    const caught = (end: Label): void =>
      this.put(`if(R.target===${entry}){${name}=R.caught();${this.jump(end)}}`);
    this.region({ leave: `R.unbind(${entry}.depth);`, depth: `${entry}.depth+2`, caught }, () =>
      this.node(node.body, inner),
    );
    this.outer(inner, dest);
  }

  private throwNode(node: Extract<Node, { op: "throw" }>): void {
    const tag = this.newTemp();
    this.node(node.tag, toVar(tag));
    const value = this.newTemp();
    this.node(node.value, toVar(value, true));
    const result = this.newTemp();
    this.call(`R.throwTo(${tag},${value})`, toVar(result), {});
    this.put(`R.unwindToTop();${this.unwindFurther()}`);
  }

  private unwindProtect(node: Extract<Node, { op: "unwind-protect" }>, dest: Dest): void {
    const depth = this.newTemp();
    const state = this.newTemp();
    const inner = this.inner(dest.kind === "effect" ? toVar(this.newTemp()) : dest);
    this.assign(depth, "R.bindings.length");
    this.region(
      {
        leave: "",
        depth,
        caught: (end) => this.put(`${state}=R.saveUnwinding();${this.jump(end)}`),
      },
      () => {
        this.node(node.body, inner);
        this.assign(state, "R.saveValues()");
      },
    );
    this.node(node.cleanup, EFFECT);
    this.put(`if(R.resumeUnwinding(${state})){${this.unwindFurther()}}`);
    this.dirty = true;
    this.outer(inner, dest);
  }
}

function comparesByIdentity(node: Node): boolean {
  if (node.op !== "const") return false;
  const { value } = node;
  return (
    typeof value === "number" ||
    value === NIL ||
    value === T ||
    (typeof value === "object" && "plist" in value)
  );
}
