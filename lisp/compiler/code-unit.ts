import type { CodeHolder, FunctionInfo, LispCode } from "../data/function.ts";
import { LFunction } from "../data/function.ts";
import {
  Unit,
  PARAMETERS,
  type KeyTable,
  type UnitConstant,
  type UnitRuntime,
  unitArguments,
} from "./emit-unit.ts";
import { type EntryCode, FrameCode, type SlowCode } from "./frame-code.ts";
import type { FunctionNode } from "./ir.ts";
import { type PoolEntry, decodeUnit } from "./ir-text.ts";

/** What a unit that comes from a saved image is made of. */
export interface SavedUnit {
  /** Text of the fast code. */
  readonly text: string;
  readonly constants: readonly UnitConstant[];
  readonly infos: Readonly<Record<number, FunctionInfo>>;
  /** The intermediate form as text, and the values it names; see `ir-text.ts`. */
  readonly tree: string;
  readonly pool: readonly PoolEntry[];
}

/**
 * A compiled unit in an image: the code of its functions, and what further code is made from (slow versions, entries at loop
 * heads). The text is given to the JavaScript engine when one of the functions is first called.
 */
export class CodeUnit implements CodeHolder {
  /** How it was saved, when it comes from a saved image. */
  readonly saved: SavedUnit | null;
  private readonly parts: Pick<SavedUnit, "text" | "constants" | "infos">;
  private unit: Unit | null;
  private readonly runtime: UnitRuntime;
  private readonly frames: Record<number, FrameCode> = {};
  private values: readonly unknown[] | null = null;
  private codes: Record<number, LispCode> | null = null;

  private constructor(
    unit: Unit | null,
    saved: SavedUnit | null,
    parts: Pick<SavedUnit, "text" | "constants" | "infos">,
    runtime: UnitRuntime,
  ) {
    this.unit = unit;
    this.saved = saved;
    this.parts = parts;
    this.runtime = runtime;
  }

  /** The unit of functions that were just compiled. */
  static compiled(unit: Unit, runtime: UnitRuntime): CodeUnit {
    const text = unit.text();
    const infos: Record<number, FunctionInfo> = {};
    const made = new CodeUnit(unit, null, { text, constants: unit.constants, infos }, runtime);
    for (const fn of unit.functions) infos[fn.id] = functionInfo(fn, made);
    return made;
  }

  /** A unit of a saved image; its parts must be complete before its code is asked for. */
  static restored(saved: SavedUnit, runtime: UnitRuntime): CodeUnit {
    return new CodeUnit(null, saved, saved, runtime);
  }

  code(id: number): LispCode {
    this.codes ??= this.load();
    return this.codes[id]!;
  }

  /** Text of the fast code. */
  get text(): string {
    return this.parts.text;
  }

  get constants(): readonly UnitConstant[] {
    return this.parts.constants;
  }

  /** Descriptions of the functions by their numbers. */
  get infos(): Readonly<Record<number, FunctionInfo>> {
    return this.parts.infos;
  }

  /** The intermediate form of the functions, outermost first. */
  get functions(): readonly FunctionNode[] {
    return this.decoded().functions;
  }

  private load(): Record<number, LispCode> {
    for (const key of Object.keys(this.infos)) {
      const id = Number(key);
      this.frames[id] = new FrameCode(
        this.infos[id]!.name,
        () => this.run(this.decoded().slowText(this.functionOf(id))) as SlowCode,
        (at, live) => this.run(this.decoded().entryText(this.functionOf(id), at, live)) as EntryCode,
      );
    }
    return this.run(this.text) as Record<number, LispCode>;
  }

  private functionOf(id: number): FunctionNode {
    return this.decoded().functions.find((fn) => fn.id === id)!;
  }

  private decoded(): Unit {
    if (this.unit !== null) return this.unit;
    const { tree, pool } = this.saved!;
    const unit = decodeUnit(tree, pool);
    // Slow versions count on what the fast ones leave behind: layouts, constants, wrappers.
    if (unit.text() !== this.text) throw new TypeError("a unit of a saved image is not what its text says");
    this.unit = unit;
    return unit;
  }

  private run(body: string): unknown {
    this.values ??= this.constants.map((constant) => constantValue(constant, this.runtime));
    const values = unitArguments(this.runtime, this.values, this.frames, this.infos, this.codes ?? {});
    // oxlint-disable-next-line typescript/no-implied-eval -- this is the back end of the compiler: it writes JavaScript
    return new Function(...PARAMETERS, `"use strict";${body}`)(...values);
  }
}

/** Description of a function as its closures share it. */
function functionInfo(fn: FunctionNode, unit: CodeUnit): FunctionInfo {
  return {
    name: fn.name,
    lambdaList: fn.lambdaList,
    documentation: fn.documentation,
    location: fn.location,
    leaf: false,
    source: fn.source,
    origin: { unit, id: fn.id },
  };
}

/** Compiles the unit with the JavaScript engine and returns a closure of its first function. */
export function instantiate(unit: Unit, runtime: UnitRuntime): LFunction {
  const made = CodeUnit.compiled(unit, runtime);
  const { id } = unit.functions[0]!;
  return new LFunction(made.code(id), [], made.infos[id]!);
}

/** The JavaScript value of an entry of the constant vector. */
function constantValue(constant: UnitConstant, runtime: UnitRuntime): unknown {
  switch (constant.kind) {
    case "value":
      return constant.value;
    case "callee":
      runtime.ensureCallable(constant.symbol);
      return constant.symbol;
    case "cell":
      return constant.cell;
    case "leaf":
      return constant.leaf.code;
    default:
      return { keys: constant.keys, allow: constant.allow } satisfies KeyTable;
  }
}
