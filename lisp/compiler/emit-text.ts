import type { LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { LeafEntry } from "../runtime/leaf-entry.ts";
import type { FunctionNode, Node, Variable } from "./ir.ts";
import { ANY, type FloatKind, isFloat, type Kind, kindText, MOST } from "./kinds.ts";
import type { LoopEntry } from "./loop-entry.ts";

/** What the emitter of a function needs from its compilation unit. */
export interface UnitScope {
  /** Entries at loop heads that slow versions refer to, by `tagKey`; null when none can be made later (compiled files). */
  readonly entries: Map<string, LoopEntry> | null;
  /** JavaScript expression for a constant. */
  constant(value: LispValue): string;
  /** Name of the guarded direct entry of a leaf. */
  leaf(leaf: LeafEntry, count: number): string;
  /** Name of a function of `count` parameters `a0`… that gives the value of an expression over them and codes of leaves. */
  wrapped(text: string, count: number): string;
  /** Name of the code of a leaf that never throws. */
  rawLeaf(leaf: LeafEntry): string;
  /** Constant for a symbol that is called. */
  callee(symbol: LSymbol): string;
  /** Constant expression for the cell of a load-time value. */
  cell(node: Extract<Node, { op: "load-time-value" }>): string;
  /** Name of the cache of a place in the program. */
  cache(node: Node): string;
  /** Notes that a function node is part of the unit. */
  include(fn: FunctionNode): void;
  /** Constant for the keyword table of a function. */
  keys(fn: FunctionNode): string;
}

/**
 * Where a value goes. `multi`: the multiple-value register must be right as well. `as`: what is stored is of that kind, which is
 * checked; floats are stored as JavaScript numbers then. Such a destination gets its value last of all.
 */
export type Dest =
  | { readonly kind: "effect" }
  | { readonly kind: "var"; readonly name: string; readonly multi: boolean; readonly as?: Kind }
  | { readonly kind: "return" };

export const EFFECT: Dest = { kind: "effect" };
export const RETURN: Dest = { kind: "return" };

/** The destination that is a JavaScript variable. */
export function toVar(name: string, multi = false): Dest {
  return { kind: "var", name, multi };
}

/** The destination that is a JavaScript variable which holds values of a kind. */
export function toKind(name: string, as: Kind): Dest {
  return as.type === "any" ? toVar(name) : { kind: "var", name, multi: false, as };
}

/** True for a destination that takes floats of a format, any of them, as JavaScript numbers. */
export function takesFloat(
  dest: Dest,
  type: FloatKind["type"],
): dest is Extract<Dest, { readonly kind: "var" }> {
  return dest.kind === "var" && dest.as?.type === type && !dest.as.natural;
}

/** A number of which a member is named: it needs parentheses, and stands where a program has a number for an object. */
const memberOfNumber = /(?<![\w$.])(\d+)\.(?=[a-z])/g;

/** Expression of the object for a float given as a JavaScript number. */
export function boxedFloat(number: string, type: FloatKind["type"]): string {
  return type === "double" ? `new Db(${number})` : `new Sf(${number})`;
}

/** JavaScript condition that a value, named by an expression without effects, is of a kind. */
function kindTest(name: string, kind: Kind): string {
  if (isFloat(kind)) {
    const test = `${name} instanceof ${kind.type === "double" ? "Db" : "Sf"}`;
    return kind.natural ? `${test}&&!(${name}.v<0)` : test;
  }
  if (kind.type === "integer") {
    const low = kind.low === -MOST ? "" : `&&${name}>=${kind.low}`;
    return `typeof ${name}==="number"${low}${kind.high === MOST ? "" : `&&${name}<=${kind.high}`}`;
  }
  if (kind.type !== "array") return "true";
  if (kind.element === "t")
    return kind.rank === 1 ? `Array.isArray(${name})` : `R.isGeneral(${name},${kind.rank})`;
  // No other object has a storage type.
  return (
    `${name}.type==="${kind.element}"&&${name}.dims.length===${kind.rank}` +
    `&&${name}.fillPointer<0&&!${name}.adjustable&&${name}.displacement===null`
  );
}

/** A place to jump to. In the slow version it is a number of the switch. */
export interface Label {
  readonly name: string;
  readonly pc: number;
  readonly loop: boolean;
}

/** A dynamic extent of the function that must be left through its exit code. */
export interface Region {
  readonly label: Label;
  /** Statements that undo what entering did (bindings, catch tags, liveness of tokens). */
  readonly leave: string;
  /** Number of the handler for exceptions of JavaScript, in the slow version; 0 when it has none. */
  readonly guard: number;
}

/**
 * The ground of the code generator: text, names, labels and calls, each spelled for the fast version (structured code) or the
 * slow one (cases of a switch).
 */
export abstract class TextEmitter {
  protected readonly fn: FunctionNode;
  protected readonly unit: UnitScope;
  protected readonly slow: boolean;
  protected readonly out: string[] = [];
  protected readonly declared = new Set<string>();
  protected readonly layouts: string[] = [];
  protected readonly scope: string[] = [];
  protected readonly regions: Region[] = [];
  protected readonly resumes: string[] = [];
  protected temps = 0;
  private flags = 0;
  private labels = 0;
  /** The multiple-value register may hold values of an earlier call. */
  protected dirty = false;
  private readonly firstLabel: number;
  /** Where the function is entered, when it is written for that. */
  protected readonly entry: LoopEntry | null;

  constructor(fn: FunctionNode, unit: UnitScope, slow: boolean, entry: LoopEntry | null = null) {
    this.entry = entry;
    this.fn = fn;
    this.unit = unit;
    this.slow = slow;
    this.firstLabel = (fn.layouts?.length ?? 0) + 1;
  }

  /** True when the way to the loop to be entered leads through one of the nodes. */
  protected onPath(...nodes: readonly Node[]): boolean {
    return this.entry !== null && nodes.some((node) => this.entry!.path.has(node));
  }

  /** Writes what runs before a node; when the entry leads through that node it is skipped on entering. */
  protected before(nodes: readonly Node[], write: () => void): void {
    const guarded = this.onPath(...nodes);
    if (guarded) this.put("if(!q){");
    write();
    if (guarded) this.put("}");
  }

  /** Writes a node whose value goes to `dest`. */
  protected abstract node(node: Node, dest: Dest): void;

  // ---------------------------------------------------------------- text

  protected put(text: string): void {
    this.out.push(text);
  }

  protected assign(name: string, text: string): void {
    this.put(`${name}=${text};`);
  }

  protected local(name: string): string {
    this.declared.add(name);
    return name;
  }

  /** A JavaScript boolean of its own, which no layout saves. */
  protected flag(): string {
    return this.local(`b${this.flags++}`);
  }

  protected newTemp(): string {
    return this.local(`t${this.temps++}`);
  }

  /** Runs `body` and gives back the temporaries it took. */
  protected withTemps<V>(body: () => V): V {
    const mark = this.temps;
    const result = body();
    this.temps = mark;
    return result;
  }

  /** True for temporaries whose value is being computed: they hold nothing yet that a frame must save. */
  private readonly awaited: boolean[] = [];

  /** Writes a node whose value goes to a fresh temporary, and gives its name. */
  protected toTemp(node: Node, as: Kind = ANY): string {
    const index = this.temps;
    const temp = this.newTemp();
    this.awaited[index] = true;
    this.node(node, toKind(temp, as));
    this.awaited[index] = false;
    return temp;
  }

  /** Writes what runs after `dest` got its value and before that is used. */
  protected whileHeld(dest: Dest, write: () => void): void {
    const index = dest.kind === "var" && dest.name.startsWith("t") ? Number(dest.name.slice(1)) : -1;
    const awaited = this.awaited[index] === true;
    if (awaited) this.awaited[index] = false;
    write();
    if (awaited) this.awaited[index] = true;
  }

  /** Binds a variable that is seen by the nodes of `body`. */
  protected bindVariable(v: Variable, text: string, body: readonly Node[] = []): void {
    this.before(body, () => {
      this.assign(this.local(v.js), text);
      this.settle(v);
    });
    this.scope.push(v.js);
  }

  /** Makes the object in a variable's JavaScript variable what the variable holds. */
  protected settle(v: Variable): void {
    if (v.kind.type !== "any" && v.kind.type !== "none") this.checkKind(v.js, v.kind);
    if (v.boxed) this.assign(v.js, `new Box(${v.js})`);
    else if (v.raw) this.assign(v.js, `${v.js}.v`);
  }

  /** The object that a closure gets for a variable. */
  protected shared(v: Variable): string {
    return v.raw ? boxedFloat(v.js, (v.kind as FloatKind).type) : v.js;
  }

  /** What a closure's variable holds, from its environment. */
  protected restored(v: Variable, index: number): string {
    return `${v.js}=f.env[${index}]${v.raw ? ".v" : ""};`;
  }

  protected label(prefix: string, loop = false): Label {
    const number = this.labels++;
    return { name: `${prefix}${number}`, pc: this.firstLabel + number, loop };
  }

  protected jump(label: Label): string {
    if (this.slow) return `{pc=${label.pc};continue;}`;
    return `${label.loop ? "continue" : "break"} ${label.name};`;
  }

  protected place(label: Label): void {
    if (this.slow) this.put(`case ${label.pc}:`);
  }

  /** Code from which `label` is reached by jumping forward. */
  protected forward(label: Label, body: () => void): void {
    if (!this.slow) this.put(`${label.name}:{`);
    body();
    if (!this.slow) this.put("}");
    this.place(label);
  }

  protected branch(condition: string, then: () => void, otherwise: (() => void) | null): void {
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

  protected live(target: string): string[] {
    const names = this.scope.filter((name) => name !== target);
    for (let i = 0; i < this.temps; i++) {
      if (this.awaited[i] === true) continue;
      const name = `t${i}`;
      if (name !== target) names.push(name);
    }
    return names;
  }

  /** Statement that leaves the function, or enters the exit code of the innermost region, when `target` is the suspension marker. */
  protected check(target: string): void {
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

  protected guard(): number {
    for (let i = this.regions.length - 1; i >= 0; i--)
      if (this.regions[i]!.guard !== 0) return this.regions[i]!.guard;
    return 0;
  }

  /** Name for the result of a call: the destination itself when it is a fresh variable, else a temporary. */
  protected target(dest: Dest): string {
    return dest.kind === "var" && dest.as === undefined ? dest.name : this.newTemp();
  }

  /**
   * A call that may suspend. `fast` is a condition that computes the result without the call (written with `§` for the result).
   * `multi`: the callee sets the multiple-value register itself.
   */
  protected call(
    text: string,
    dest: Dest,
    options: { readonly fast?: string; readonly multi?: boolean },
  ): void {
    this.withTemps(() => {
      const fast = (options.fast ?? "").replaceAll(memberOfNumber, "($1).");
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
      else if (dest.as !== undefined) this.convert(name, dest.name, dest.as);
      else if (dest.multi && !multi) this.put("R.mv=null;");
    });
  }

  protected tailCall(text: string, fast: string, multi: boolean): void {
    if (!multi && this.dirty) this.put("R.mv=null;");
    if (fast !== "") {
      const name = this.newTemp();
      this.put(`if(${fast.replaceAll("§", name)})return ${name};`);
    }
    this.put(`return ${text};`);
  }

  protected tick(): void {
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

  /** Delivers a single value given as an expression without suspension. */
  protected deliver(text: string, dest: Dest, effects = true): void {
    if (dest.kind === "effect") {
      if (effects) this.put(`${text};`);
    } else if (dest.kind === "var") {
      if (dest.as !== undefined) return this.converted(text, dest.name, dest.as);
      if (dest.name !== text) this.assign(dest.name, text);
      if (dest.multi) this.put("R.mv=null;");
    } else {
      if (this.dirty) this.put("R.mv=null;");
      this.put(`return ${text};`);
    }
  }

  /** Delivers a float given as an expression for its JavaScript number. */
  protected deliverFloat(number: string, { type }: FloatKind, dest: Dest): void {
    if (takesFloat(dest, type)) this.assign(dest.name, number);
    else this.deliver(boxedFloat(number, type), dest, false);
  }

  private converted(text: string, name: string, kind: Kind): void {
    this.withTemps(() => {
      const temp = this.newTemp();
      this.assign(temp, text);
      this.convert(temp, name, kind);
    });
  }

  /** Stores the value of a temporary as one of a kind. */
  protected convert(temp: string, name: string, kind: Kind): void {
    this.checkKind(temp, kind);
    this.assign(name, isFloat(kind) ? `${temp}.v` : temp);
  }

  /** Signals a TYPE-ERROR unless the value of a JavaScript variable is of a kind. */
  protected checkKind(name: string, kind: Kind): void {
    const test = kindTest(name, kind);
    this.call(`R.wrongKind(${name},${JSON.stringify(kindText(kind))})`, toVar(name), { fast: test });
  }

  protected variable(v: Variable): string {
    return v.boxed ? `${v.js}.v` : v.js;
  }
}
