import { MultipleValueEmitter } from "./emit-multiple-values.ts";
import { toVar } from "./emit-text.ts";
import type { OptionalParameter } from "./ir.ts";

/** Most keyword parameters whose arguments are looked at one by one, without a loop. */
const FEW_KEYS = 4;

/** Most keyword parameters that compiled code looks for itself. */
const MOST_KEYS = 16;

/** How the keyword arguments of a function are read: pairs of JavaScript parameters, a loop over all arguments, the array of a &REST parameter, or by the runtime. */
type KeyReading = "pairs" | "arguments" | "rest" | "runtime";

/** Parameters: the check of their number, what optional and keyword parameters that are not given begin with. */
export abstract class ParameterEmitter extends MultipleValueEmitter {
  private get keyReading(): KeyReading {
    const keywords = this.fn.keys!.map((p) => p.keyword);
    const count = keywords.length;
    if (count > MOST_KEYS || new Set(keywords).size < count) return "runtime";
    if (this.fn.rest !== null) return "rest";
    return count <= FEW_KEYS ? "pairs" : "arguments";
  }

  /** True when the JavaScript function has a rest parameter. */
  private get hasRest(): boolean {
    if (this.fn.keys === null || this.fn.rest !== null) return this.fn.rest !== null;
    return this.keyReading === "runtime";
  }

  protected parameters(): string {
    const { required, optional, keys } = this.fn;
    const names = ["f", ...required.map((v) => v.js), ...optional.map((p) => p.variable.js)];
    if (this.hasRest) return [...names, "...r"].join(",");
    if (keys === null) return [...names, "x"].join(",");
    if (this.keyReading === "pairs") for (const i of keys.keys()) names.push(`p${i}`, `w${i}`);
    return [...names, "x"].join(",");
  }

  protected checks(): string {
    const last = this.fn.required.at(-1);
    const few = last === undefined ? "" : `${last.js}===undefined`;
    const many = this.fn.rest !== null || this.fn.keys !== null ? "" : "x!==undefined";
    const both = [few, many].filter((text) => text !== "").join("||");
    return both === "" ? "" : `if(${both})return R.wrongArguments(f);`;
  }

  protected prologue(): void {
    const { fn } = this;
    this.scope.push("f");
    for (const v of fn.free) this.local(v.js);
    if (!this.slow) for (const [i, v] of fn.free.entries()) this.put(this.restored(v, i));
    for (const v of fn.required) this.scope.push(v.js);
    for (const p of fn.optional) this.scope.push(p.variable.js);
    if (this.hasRest) this.scope.push("r");
    // Before the first safe point, after which the arguments are known by these names only.
    if (fn.keys !== null) this.withTemps(() => this.readKeys(fn.keys!));
    if (fn.calls) this.tick();
    for (const v of fn.required) this.settle(v);
    for (const p of fn.optional) this.optionalParameter(p);
    if (fn.rest !== null) this.bindVariable(fn.rest, "R.restList(r)");
    if (fn.keys !== null) this.keyParameters(fn.keys);
  }

  private optionalParameter(p: OptionalParameter): void {
    const name = p.variable.js;
    if (p.supplied !== null) this.bindVariable(p.supplied, `${name}===undefined?N:T`);
    this.branch(`${name}===undefined`, () => this.node(p.init, toVar(name)), null);
    this.settle(p.variable);
  }

  private keyParameters(keys: readonly OptionalParameter[]): void {
    for (const p of keys) {
      const name = p.variable.js;
      if (p.supplied !== null) this.bindVariable(p.supplied, `${name}===undefined?N:T`);
      this.branch(`${name}===undefined`, () => this.node(p.init, toVar(name)), null);
      this.settle(p.variable);
    }
  }

  /** Assigns the values of the keyword arguments; what is unusual about the arguments is left to the runtime. */
  private readKeys(keys: readonly OptionalParameter[]): void {
    const parsed = this.newTemp();
    const names = keys.map((p) => this.local(p.variable.js));
    const assignments = names.map((name, i) => `${name}=${parsed}[${i}];`).join("");
    const rest = this.hasRest ? "r" : `[].slice.call(arguments,${this.firstKey})`;
    const parse = (): void => {
      this.call(`R.parseKeys(f,${rest},${this.unit.keys(this.fn)})`, toVar(parsed), { fast: "" });
      this.put(assignments);
    };
    if (this.slow || this.keyReading === "runtime") {
      parse();
      this.scope.push(...names);
      return;
    }
    const usual = this.flag();
    this.assign(usual, "true");
    this.put(this.keyReading === "pairs" ? this.pairs(keys, usual) : this.keyLoop(keys, usual));
    this.put(`if(!${usual}){`);
    parse();
    this.put("}");
    this.scope.push(...names);
  }

  /** Index of the first keyword argument among those of the JavaScript function. */
  private get firstKey(): number {
    return 1 + this.fn.required.length + this.fn.optional.length;
  }

  /** Statement that takes one keyword argument; the parameter `first` is tried first. */
  private takeKey(
    keys: readonly OptionalParameter[],
    first: number,
    key: string,
    value: string,
    usual: string,
  ): string {
    const order = [...keys.slice(first), ...keys.slice(0, first)];
    const takes = order.map((p) => {
      const name = p.variable.js;
      return `if(${key}===${this.unit.constant(p.keyword!)}){if(${name}===undefined)${name}=${value};}`;
    });
    const other = this.fn.allowOtherKeys ? "" : `${usual}=false;`;
    return takes.length === 0 ? other : `${takes.join("else ")}else{${other}}`;
  }

  /** Code for arguments in the parameters p0, w0, p1, w1 and so on. */
  private pairs(keys: readonly OptionalParameter[], usual: string): string {
    const end = `if(x!==undefined)${usual}=false;`;
    return keys.reduceRight(
      (inner, _, i) =>
        `if(p${i}!==undefined){if(w${i}===undefined)${usual}=false;else{${this.takeKey(keys, i, `p${i}`, `w${i}`, usual)}${inner}}}`,
      end,
    );
  }

  /** A loop over the arguments from the first keyword on. */
  private keyLoop(keys: readonly OptionalParameter[], usual: string): string {
    const all = this.keyReading === "rest" ? "r" : "arguments";
    const first = this.keyReading === "rest" ? 0 : this.firstKey;
    const take = this.takeKey(keys, 0, `${all}[i]`, `${all}[i+1]`, usual);
    return `if(${all}.length>${first}){if((${all}.length-${first})%2!==0)${usual}=false;else for(let i=${first};i<${all}.length;i+=2){${take}}}`;
  }
}
