import { type Dest, EFFECT, RETURN, toKind, toVar } from "./emit-text.ts";
import { ParameterEmitter } from "./emit-parameters.ts";
import { inlineCall } from "./inline-calls.ts";
import type { FunctionNode, Node, Variable } from "./ir.ts";
import { type FloatKind, isFloat, within } from "./kinds.ts";

/** Nodes that store their value last of all, so that the destination may be a variable which they use. */
const convertsLast: ReadonlySet<Node["op"]> = new Set([
  "const",
  "local",
  "set-local",
  "the",
  "if",
  "or",
  "progn",
  "let",
  "leaf",
  "call",
  "call-local",
  "funcall",
  "special",
]);

type IfNode = Extract<Node, { op: "if" }>;

/** IFs one in a branch of the other from which on they are written one after the other. */
const LONG_CHAIN = 24;

/** An IF of a chain: the branch that ends it, when its test is `endsWhen`, and the one that goes on. */
function chainLink({ test, whenTrue, whenFalse }: IfNode): {
  readonly test: Node;
  readonly ending: Node;
  readonly rest: Node;
  readonly endsWhen: boolean;
} {
  return whenTrue.op === "if" && whenFalse.op !== "if"
    ? { test, ending: whenFalse, rest: whenTrue, endsWhen: false }
    : { test, ending: whenTrue, rest: whenFalse, endsWhen: true };
}

/** Length of the chain of IFs that begins at a node, counted up to `LONG_CHAIN`. */
function chainLength(first: IfNode): number {
  let length = 0;
  for (let node: Node = first; node.op === "if" && length < LONG_CHAIN; length++) node = chainLink(node).rest;
  return length;
}

/**
 * Writes one function as JavaScript: the fast version (plain structured code that can suspend at each call) or the slow version
 * (the same code flattened to a switch that can be entered after any call). Both walk the tree in the same order, so resume
 * points, temporaries and saved layouts agree; what differs is only how control flow is spelled.
 */
export class FunctionEmitter extends ParameterEmitter {
  /** Text of the function, named `c<id>` (fast) or an anonymous function expression (slow). */
  emit(): string {
    this.prologue();
    this.node(this.fn.body, RETURN);
    if (this.slow) return this.slowText();
    this.fn.layouts = this.layouts;
    const declarations = this.declared.size === 0 ? "" : `let ${[...this.declared].join(",")};`;
    return `function c${this.fn.id}(${this.parameters()}){${this.checks()}${declarations}${this.out.join("")}}`;
  }

  /** Text of a function expression that goes on in the fast version at a loop head, with the values of the names live there. */
  emitEntry(live: string): string {
    this.prologue();
    this.out.length = 0;
    this.node(this.fn.body, RETURN);
    const restore = live === "" ? "" : `[${live}]=L;`;
    const frees = this.fn.free.map((v, i) => this.restored(v, i)).join("");
    return `function(L){let q=true,${this.ownNames()};${restore}${frees}${this.out.join("")}}`;
  }

  /** Every variable of the function, parameters included. */
  private ownNames(): string {
    const own = [
      ...this.declared,
      "f",
      ...this.fn.required.map((v) => v.js),
      ...this.fn.optional.map((p) => p.variable.js),
      "r",
    ];
    return [...new Set(own)].join(",");
  }

  private slowText(): string {
    const frees = this.fn.free.map((v, i) => this.restored(v, i)).join("");
    return (
      `function(pc,L,V){let h=0,${this.ownNames()};switch(pc){${this.resumes.join("")}}${frees}` +
      `for(;;)try{for(;;)switch(pc){case 0:${this.out.join("")}}}` +
      `catch(e){if(h===0)throw e;[pc,V]=[h,e];}}`
    );
  }

  // ---------------------------------------------------------------- nodes

  protected node(node: Node, dest: Dest): void {
    this.withTemps(() => {
      if (dest.kind !== "var" || dest.as === undefined || convertsLast.has(node.op))
        return this.dispatch(node, dest);
      this.convert(this.toTemp(node), dest.name, dest.as);
    });
  }

  private dispatch(node: Node, dest: Dest): void {
    switch (node.op) {
      case "const":
      case "load-time-value":
      case "cache":
      case "absent":
        return this.deliver(this.value(node), dest, false);
      case "local":
        return this.localNode(node, dest);
      case "the":
        return this.theNode(node, dest);
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
    for (const [i, node] of body.entries()) {
      this.before(body.slice(i + 1), () => this.node(node, i === body.length - 1 ? dest : EFFECT));
    }
  }

  private conditionalNode(node: IfNode, dest: Dest): void {
    if (!this.slow && this.entry === null && chainLength(node) >= LONG_CHAIN)
      return this.conditionalChain(node, dest);
    // The temporaries of the test are free again in the branches.
    const condition = this.withTemps(() => this.branchCondition(node));
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

  /** A long chain of IFs one in the other, without nesting: JavaScript takes long over deep nesting. */
  private conditionalChain(chain: IfNode, dest: Dest): void {
    const end = this.label("E");
    let dirtyAny = false;
    this.forward(end, () => {
      let node: Node = chain;
      while (node.op === "if") {
        const { test, ending, rest, endsWhen } = chainLink(node);
        const text = this.withTemps(() => this.condition(test));
        const condition = endsWhen ? text : `!(${text})`;
        node = rest;
        const { dirty } = this;
        const branch = (): void => {
          this.node(ending, dest);
          this.put(this.jump(end));
          dirtyAny ||= this.dirty;
          this.dirty = dirty;
        };
        this.branch(condition, branch, null);
      }
      this.node(node, dest);
    });
    this.dirty ||= dirtyAny;
  }

  /** Condition of an IF; when the entry leads through a branch, entering takes that branch. */
  private branchCondition(node: Extract<Node, { op: "if" }>): string {
    if (!this.onPath(node.whenTrue, node.whenFalse)) return this.condition(node.test);
    const flag = this.flag();
    let text = "";
    this.before([node.whenTrue, node.whenFalse], () => {
      text = this.condition(node.test);
      this.assign(flag, text);
    });
    return text === "true" || text === "false" ? text : `(q?${this.onPath(node.whenTrue)}:${flag})`;
  }

  /** The first value is single; only the last form of OR may give several values. */
  private orNode(node: Extract<Node, { op: "or" }>, dest: Dest): void {
    const entered = this.onPath(node.rest);
    if (dest.kind === "effect" && !entered)
      return this.branch(
        `!(${this.withTemps(() => this.condition(node.first))})`,
        () => this.node(node.rest, EFFECT),
        null,
      );
    if (dest.kind === "effect") {
      const flag = this.flag();
      this.before([node.rest], () => this.assign(flag, this.condition(node.first)));
      return this.branch(`q||!${flag}`, () => this.node(node.rest, EFFECT), null);
    }
    const mark = this.temps;
    let first = "";
    this.before([node.rest], () => {
      first = this.toTemp(node.first);
    });
    this.branch(
      entered ? `!q&&${first}!==N` : `${first}!==N`,
      () => this.deliver(first, dest, false),
      () => {
        this.temps = mark;
        this.node(node.rest, dest);
      },
    );
  }

  private localNode(node: Extract<Node, { op: "local" }>, dest: Dest): void {
    const { variable } = node;
    if (variable.raw) this.deliverFloat(variable.js, variable.kind as FloatKind, dest);
    else this.deliver(this.variable(variable), dest, false);
  }

  private setLocal(node: Extract<Node, { op: "set-local" }>, dest: Dest): void {
    const { variable, value } = node;
    const name = this.variable(variable);
    if (variable.raw) {
      this.store(variable, name, value);
      return this.deliverFloat(name, variable.kind as FloatKind, dest);
    }
    if (variable.kind.type === "any") this.assign(name, this.value(value));
    else {
      const temp = this.newTemp();
      this.store(variable, temp, value);
      this.assign(name, temp);
    }
    this.deliver(name, dest, false);
  }

  /** Writes a value for a variable into a JavaScript variable, after a check when it may be none that the variable holds. */
  private store(variable: Variable, name: string, value: Node): void {
    const { kind } = variable;
    const certain = variable.counter || within(this.kindOf(value), kind);
    if (variable.raw) {
      const { type } = kind as FloatKind;
      return this.node(value, toKind(name, certain ? { type, natural: false } : kind));
    }
    if (!isFloat(kind)) return this.node(value, certain ? toVar(name) : toKind(name, kind));
    this.node(value, toVar(name));
    if (value.op !== "const" || !certain) this.checkKind(name, kind);
  }

  private theNode(node: Extract<Node, { op: "the" }>, dest: Dest): void {
    const single = dest.kind === "effect" || (dest.kind === "var" && !dest.multi);
    // Several values go on as they are.
    if (!single || within(this.kindOf(node.value), node.kind)) return this.node(node.value, dest);
    if (isFloat(node.kind)) {
      const number = this.toTemp(node.value, node.kind);
      return this.deliverFloat(number, node.kind, dest);
    }
    this.deliver(this.toTemp(node.value, node.kind), dest, false);
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
      this.before([node.body], () => {
        this.store(variable, name, init);
        if (variable.boxed) this.assign(name, `new Box(${name})`);
      });
      this.scope.push(name);
    }
    this.node(node.body, dest);
    this.scope.length = mark;
  }

  private globalCall(node: Extract<Node, { op: "call" }>, dest: Dest): void {
    const args = this.args(node.args, node.inline !== undefined);
    const symbol = this.unit.callee(node.symbol);
    if (node.inline !== undefined) {
      const { text, fast } = inlineCall(node.inline, this.unit.cache(node), symbol, args);
      this.call(text, dest, { fast, multi: true });
      return;
    }
    this.call(`${symbol}.fn.code(${[`${symbol}.fn`, ...args].join(",")})`, dest, { multi: true });
  }

  private localCall(node: Extract<Node, { op: "call-local" }>, dest: Dest): void {
    const args = this.args(node.args, false);
    const self = this.variable(node.variable);
    const { fn } = node.variable;
    const text = fn === null ? `${self}.code` : `c${fn.id}`;
    this.call(`${text}(${[self, ...args].join(",")})`, dest, { multi: true });
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
    if (this.arrayLeaf(node, dest) || this.structureLeaf(node, dest) || this.floatLeaf(node, dest)) return;
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
    const failed = primitive?.kind === "checked" ? primitive.failed : undefined;
    const text = failed?.(...args) ?? `${this.unit.leaf(node.leaf, args.length)}(${args.join(",")})`;
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
    const env = fn.free.length === 0 ? "E" : `[${fn.free.map((v) => this.shared(v)).join(",")}]`;
    return `new Fn(c${fn.id},${env},I${fn.id})`;
  }

  private localFunctions(node: Extract<Node, { op: "local-functions" }>, dest: Dest): void {
    const mark = this.scope.length;
    for (const { variable, fn } of node.bindings) {
      this.unit.include(fn);
      this.bindVariable(variable, `new Fn(c${fn.id},E,I${fn.id})`, [node.body]);
    }
    this.before([node.body], () => {
      for (const { variable, fn } of node.bindings) {
        if (fn.free.length === 0) continue;
        this.put(`${this.variable(variable)}.env=[${fn.free.map((v) => this.shared(v)).join(",")}];`);
      }
    });
    this.node(node.body, dest);
    this.scope.length = mark;
  }
}
