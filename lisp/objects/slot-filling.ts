import { arrayToList, Cons, listToArray } from "../data/cons.ts";
import { typeError } from "../data/error.ts";
import type { CallCache } from "../data/call-cache.ts";
import { type InstanceLayout, LInstance } from "../data/instance.ts";
import { LFunction } from "../data/function.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { NIL, T, UNBOUND } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { type FillPlan, type LClass, SlotDefinition, type SlotFill, unboundSlots } from "./class.ts";
import { objectSystem } from "./object-system.ts";

/** Filling the slots of new instances from initialisation arguments, for classes whose slot access is the standard one. */

export function planOf(cls: LClass): FillPlan {
  return (cls.fillPlan ??= makePlan(cls));
}

function makePlan(cls: LClass): FillPlan {
  const fills = (listToArray(cls.effectiveSlots) ?? [])
    .filter((slot) => slot instanceof SlotDefinition)
    .map((slot) => ({
      slot,
      initargs: listToArray(slot.initargs) ?? [],
      location: slot.location,
      constant: slot.initfunction === T ? NIL : slot.constant instanceof Cons ? slot.constant.car : undefined,
      hasInitform: slot.initfunction !== NIL,
    }));
  const initial = cls.instanceLayout === null ? [] : unboundSlots(cls.instanceLayout);
  for (const { location, constant, hasInitform } of fills)
    if (hasInitform && typeof location === "number" && constant !== undefined) initial[location] = constant;
  return { fills, initial };
}

/** Value of the first of the initargs that is one of `names`, or undefined. */
function supplied(initargs: LispValue, names: readonly LispValue[]): LispValue | undefined {
  if (names.length === 0) return undefined;
  let rest = initargs;
  while (rest instanceof Cons) {
    const { car, cdr } = rest;
    if (!(cdr instanceof Cons)) return undefined;
    if (car === names[0] || (names.length > 1 && names.includes(car))) return cdr.car;
    rest = cdr.cdr;
  }
  return undefined;
}

function fillOne(instance: LInstance, fill: SlotFill, initargs: LispValue, miss: LispValue): boolean {
  const { location } = fill;
  const value = supplied(initargs, fill.initargs);
  if (typeof location === "number") {
    if (value !== undefined) instance.slots[location] = value;
    else if (fill.hasInitform && instance.slots[location] === UNBOUND) {
      if (fill.constant === undefined) return false;
      instance.slots[location] = fill.constant;
    }
    return true;
  }
  if (location instanceof Cons) {
    if (value !== undefined) location.car = value;
    else if (fill.hasInitform && location.car === miss) return false;
  }
  return true;
}

/**
 * A new instance of a finalized class of the standard kind whose slots are filled from the initargs and the constants of
 * initforms; null when an initform is still to be evaluated.
 */
export function filledInstance(cls: LClass, initargs: LispValue, miss: LispValue): LInstance | null {
  const { fills, initial } = planOf(cls);
  const slots = initial.slice();
  const instance = new LInstance(cls.instanceLayout!, slots);
  for (let i = 0; i < fills.length; i++) {
    const fill = fills[i]!;
    const { location } = fill;
    if (typeof location !== "number") {
      if (!fillOne(instance, fill, initargs, miss)) return null;
      continue;
    }
    const value = supplied(initargs, fill.initargs);
    if (value !== undefined) slots[location] = value;
    else if (fill.hasInitform && fill.constant === undefined) return null;
  }
  return instance;
}

/**
 * Places of the slots that initargs of those names fill, in their order, for a class whose new instances need nothing but that;
 * null for other classes and names.
 */
function placesOf(cls: LClass, names: LispValue, epoch: LispValue, miss: LispValue): number[] | null {
  const { recipe } = cls;
  if (cls.kind !== "standard" || !cls.finalized || cls.defaultInitargs !== NIL) return null;
  // The recipe says whether other than the standard methods apply; see 55-objects-instances.lisp.
  if (!Array.isArray(recipe) || recipe[0] !== epoch || recipe[1] === NIL || recipe[3] === NIL) return null;
  const keys = listToArray(names) ?? [];
  const places = keys.map((): number => -1);
  for (const { initargs, location, constant, hasInitform } of planOf(cls).fills) {
    const given = keys.flatMap((key, i) => (initargs.includes(key) ? [i] : []));
    if (typeof location !== "number") {
      if (given.length > 0 || (hasInitform && (location as Cons).car === miss)) return null;
      continue;
    }
    if (given.length === 0 && hasInitform && constant === undefined) return null;
    if (given.length > 1 || given.some((i) => places[i] !== -1)) return null;
    for (const i of given) places[i] = location;
  }
  return places.includes(-1) ? null : places;
}

/** Notes in the cache of a place how instances are made there; false when that takes more than filling slots. */
function noteInstances(
  cache: CallCache,
  cls: LClass | null,
  names: LispValue,
  epoch: LispValue,
  miss: LispValue,
): boolean {
  const places = cls === null ? null : placesOf(cls, names, epoch, miss);
  if (places === null) return false;
  cache.layout = cls!.instanceLayout!;
  cache.initial = planOf(cls!).initial;
  cache.places = places;
  cache.epoch = epoch;
  return true;
}

/** `SYS:%FILL-SLOTS instance initargs`: gives the slots whose initforms are still to be evaluated. */
export const installSlotFilling: LeafInstaller = (define, host) => {
  const miss = host.symbol("SYS:%NO-SLOT-VALUE");
  define("SYS:%FILL-SLOTS", "instance initargs", (instance: LispValue, initargs: LispValue) => {
    if (!(instance instanceof LInstance)) throw typeError(instance, "STANDARD-OBJECT");
    let pending: LispValue[] | undefined;
    for (const fill of planOf(instance.layout.cls as LClass).fills) {
      if (!fillOne(instance, fill, initargs, miss)) (pending ??= []).push(fill.slot);
    }
    return pending === undefined ? NIL : arrayToList(pending);
  });
  const system = objectSystem(host);
  const epochs = host.symbol("SYS:*OBJECT-EPOCH*");
  define(
    "SYS:%CACHED-INSTANCE",
    "cache class-name keys &rest values",
    (place: LispValue, name: LispValue, keys: LispValue, ...values: LispValue[]) => {
      const cache = place as CallCache;
      const epoch = epochs.value;
      if (cache.epoch !== epoch && !noteInstances(cache, system.findClass(name), keys, epoch, miss))
        return miss;
      const slots = cache.initial.slice();
      for (let i = 0; i < values.length; i++) slots[cache.places[i]!] = values[i]!;
      return new LInstance(cache.layout as InstanceLayout, slots);
    },
    { total: true },
  );
  define(
    "SYS:%INSTANCE-AFTER",
    "instance",
    (instance: LispValue) => {
      const { recipe } = (instance as LInstance).layout.cls as LClass;
      const simple = Array.isArray(recipe) ? (recipe[1] as LispValue) : NIL;
      return simple instanceof LFunction ? simple : NIL;
    },
    { total: true },
  );
  define("SYS:%INITARGS-CHECKED-P", "name-lists initargs", (lists: LispValue, initargs: LispValue) => {
    for (let list = lists; list instanceof Cons; list = list.cdr) {
      let names = list.car;
      let rest = initargs;
      while (
        names instanceof Cons &&
        rest instanceof Cons &&
        names.car === rest.car &&
        rest.cdr instanceof Cons
      ) {
        names = names.cdr;
        rest = rest.cdr.cdr;
      }
      if (names === NIL && rest === NIL) return T;
    }
    return NIL;
  });
  define("SYS:%MEMQ", "item list", (item: LispValue, list: LispValue) => {
    let rest = list;
    while (rest instanceof Cons && rest.car !== item) rest = rest.cdr;
    return rest instanceof Cons ? rest : NIL;
  });
};
