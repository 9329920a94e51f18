import { Cons, list } from "../data/cons.ts";
import { LFunction } from "../data/function.ts";
import { LInstance } from "../data/instance.ts";
import type { LeafHost, LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { LClass } from "./class.ts";
import { type ObjectSystem, objectSystem } from "./object-system.ts";
import { filledInstance } from "./slot-filling.ts";

/** The usual cases of signalling, done at once; in the others the Lisp code beside the caller does the work. */

/** True for a list of pairs. */
function isEven(initargs: LispValue): boolean {
  let rest = initargs;
  while (rest instanceof Cons) {
    if (!(rest.cdr instanceof Cons)) return false;
    rest = rest.cdr.cdr;
  }
  return rest === NIL;
}

/** Makes the conditions that designators of ERROR and its like stand for. */
class ConditionMaker {
  private readonly system: ObjectSystem;
  private readonly miss: LSymbol;
  private readonly condition: LClass;
  private readonly control: LSymbol;
  private readonly arguments: LSymbol;

  constructor(host: LeafHost, system: ObjectSystem) {
    this.system = system;
    this.miss = host.symbol("SYS:%NO-SLOT-VALUE");
    this.condition = system.standard("CONDITION");
    this.control = host.symbol(":FORMAT-CONTROL");
    this.arguments = host.symbol(":FORMAT-ARGUMENTS");
  }

  /** A condition of a class without default initargs; null when that takes more than filling slots. */
  make(type: LispValue, initargs: LispValue): LInstance | null {
    const cls = type instanceof LSymbol ? this.system.findClass(type) : null;
    if (cls === null || !cls.finalized || !cls.isSubclassOf(this.condition)) return null;
    if (cls.defaultInitargs !== NIL || !isEven(initargs)) return null;
    return filledInstance(cls, initargs, this.miss);
  }

  /** The condition a datum and arguments stand for; null when Lisp code must see to it. */
  designated(datum: LispValue, args: LispValue, defaultType: LispValue): LispValue | null {
    if (datum instanceof LSymbol) return this.make(datum, args);
    if (datum instanceof LString || datum instanceof LFunction)
      return this.make(defaultType, list(this.control, datum, this.arguments, args));
    return args === NIL && datum instanceof LInstance && this.classOf(datum).isSubclassOf(this.condition)
      ? datum
      : null;
  }

  private classOf(instance: LInstance): LClass {
    return instance.layout.cls as LClass;
  }
}

/**
 * The clusters from the first on that has a handler for the class of the condition, or one whose type is no class name, which only
 * TYPEP can tell about.
 */
function applicableClusters(system: ObjectSystem, condition: LispValue, clusters: LispValue): LispValue {
  const cls = system.classOf(condition);
  for (let rest = clusters; rest instanceof Cons; rest = rest.cdr) {
    for (let entries = rest.car; entries instanceof Cons; entries = entries.cdr) {
      const type = (entries.car as Cons).car;
      const wanted = type instanceof LSymbol ? system.findClass(type) : null;
      if (wanted === null || cls.isSubclassOf(wanted)) return rest;
    }
  }
  return NIL;
}

/** `SYS:%DESIGNATED-CONDITION`, `SYS:%QUICK-CONDITION` and `SYS:%APPLICABLE-CLUSTERS`: NIL says that there is nothing quick to do. */
export const installSignalling: LeafInstaller = (define, host) => {
  const system = objectSystem(host);
  const maker = new ConditionMaker(host, system);
  define(
    "SYS:%DESIGNATED-CONDITION",
    "datum arguments default-type",
    (datum: LispValue, args: LispValue, type: LispValue) => maker.designated(datum, args, type) ?? NIL,
    { total: true },
  );
  define(
    "SYS:%QUICK-CONDITION",
    "type initargs",
    (type: LispValue, initargs: LispValue) => maker.make(type, initargs) ?? NIL,
    { total: true },
  );
  define("SYS:%APPLICABLE-CLUSTERS", "condition clusters", (condition: LispValue, clusters: LispValue) =>
    applicableClusters(system, condition, clusters),
  );
};
