import { type Dest, EFFECT, type Label, toVar } from "./emit-text.ts";
import { StructureEmitter } from "./emit-structures.ts";
import type { Block, Node } from "./ir.ts";

/** A block being written. */
interface Exit {
  readonly label: Label;
  readonly dest: Dest;
  readonly regions: number;
}

/** Dynamic extents: bindings, blocks, catch tags, cleanup forms, and the exits through them. */
export abstract class ExtentEmitter extends StructureEmitter {
  private readonly blocks = new Map<Block, Exit>();

  /** Destination for a body inside a region: never a direct return. */
  protected inner(dest: Dest): Dest {
    return dest.kind === "return" ? toVar(this.newTemp(), true) : dest;
  }

  /** After a region: the value is in `inner`; hand it on to `dest`. */
  protected outer(inner: Dest, dest: Dest): void {
    if (dest.kind === "return" && inner.kind === "var") {
      this.dirty = true;
      this.put(`return ${inner.name};`);
    }
  }

  /** Goes on unwinding outside the innermost region. */
  protected unwindFurther(): string {
    const region = this.regions.at(-1);
    return region === undefined ? "return S;" : this.jump(region.label);
  }

  /**
   * A region: `body` runs inside; `leave` undoes the entry on every way out; `caught` writes what happens when unwinding
   * arrives (after `leave`), the default being to unwind further. `depth` names the binding depth inside, for exceptions.
   */
  protected region(
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
  protected exceptions(guard: Label, depth: string): void {
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

  protected bind(node: Extract<Node, { op: "bind" }>, dest: Dest): void {
    let depth = "";
    this.before([node.body], () => {
      const inits = this.args(node.bindings.map((binding) => binding.init));
      depth = this.newTemp();
      this.assign(depth, "R.bindings.length");
      for (const [i, { symbol }] of node.bindings.entries()) {
        this.put(`R.bind(${this.unit.constant(symbol)},${inits[i]});`);
      }
    });
    const inner = this.inner(dest);
    const leave = `R.unbind(${depth});`;
    const inside = node.guarded ? `${depth}+${node.bindings.length * 2}` : null;
    this.region({ leave, depth: inside }, () => this.node(node.body, inner));
    this.outer(inner, dest);
  }

  protected progv(node: Extract<Node, { op: "progv" }>, dest: Dest): void {
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

  protected block(node: Extract<Node, { op: "block" }>, dest: Dest): void {
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
    this.bindVariable(block.token, "R.exit()", [node.body]);
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
  protected leaveTo(down: number, label: Label): void {
    for (let i = this.regions.length - 1; i >= down; i--) this.put(this.regions[i]!.leave);
    if (this.slow && this.regions.length > down) {
      const guard = this.regions.slice(0, down).findLast((region) => region.guard !== 0);
      this.put(`h=${guard?.guard ?? 0};`);
    }
    this.put(this.jump(label));
  }

  protected returnFrom(node: Extract<Node, { op: "return" }>): void {
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

  protected catchNode(node: Extract<Node, { op: "catch" }>, dest: Dest): void {
    let entry = "";
    this.before([node.body], () => {
      const tag = this.value(node.tag);
      entry = this.newTemp();
      this.assign(entry, `R.pushCatch(${tag})`);
    });
    const inner = this.inner(dest.kind === "effect" ? toVar(this.newTemp()) : dest);
    const name = inner.kind === "var" ? inner.name : "";
    const caught = (end: Label): void =>
      this.put(`if(R.target===${entry}){${name}=R.caught();${this.jump(end)}}`);
    this.region({ leave: `R.unbind(${entry}.depth);`, depth: `${entry}.depth+2`, caught }, () =>
      this.node(node.body, inner),
    );
    this.outer(inner, dest);
  }

  protected throwNode(node: Extract<Node, { op: "throw" }>): void {
    const tag = this.newTemp();
    this.node(node.tag, toVar(tag));
    const value = this.newTemp();
    this.node(node.value, toVar(value, true));
    const result = this.newTemp();
    this.call(`R.throwTo(${tag},${value})`, toVar(result), {});
    this.put(`R.unwindToTop();${this.unwindFurther()}`);
  }

  protected unwindProtect(node: Extract<Node, { op: "unwind-protect" }>, dest: Dest): void {
    const depth = this.newTemp();
    const state = this.newTemp();
    const inner = this.inner(dest.kind === "effect" ? toVar(this.newTemp()) : dest);
    this.before([node.body], () => this.assign(depth, "R.bindings.length"));
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
    this.whileHeld(inner, () => this.node(node.cleanup, EFFECT));
    this.put(`if(R.resumeUnwinding(${state})){${this.unwindFurther()}}`);
    this.dirty = true;
    this.outer(inner, dest);
  }
}
