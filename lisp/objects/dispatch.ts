import { arrayToList, listToArray } from "../data/cons.ts";
import { programError, typeError } from "../data/error.ts";
import {
  type CodeHolder,
  FuncallableInstance,
  type FunctionInfo,
  type LispCode,
  LFunction,
} from "../data/function.ts";
import { LInstance, LStruct } from "../data/instance.ts";
import type { LeafHost, LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { bool, NIL, UNBOUND } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { accessorNames, GenericFunction, LClass, unboundSlots } from "./class.ts";
import { objectSystem, type ObjectSystem } from "./object-system.ts";

/**
 * Generic function dispatch. The code of a generic function looks up the effective method under the classes of its
 * specialized arguments and calls it as its last act, so it never appears in a captured stack; when there is none yet
 * it calls the Lisp function that computes, stores and applies it.
 */

/** Effective methods kept by one generic function before it forgets them all. */
const maximumCached = 2_000;

/** Pairs of classes that a generic function which looks at two arguments tries before its table. */
const maximumPairs = 6;

type Arguments = LispValue[];

function call(fn: LispValue, args: Arguments): LispValue {
  const target = fn as LFunction;
  return (target.code as (self: LFunction, ...args: Arguments) => LispValue)(target, ...args);
}

/** What an argument counts as in a cache: its layout, its class, or itself when a method has an EQL specializer for it. */
function keyAt(system: ObjectSystem, gf: GenericFunction, index: number, value: LispValue): unknown {
  const objects = gf.eqlObjects[index];
  if (objects !== null && objects !== undefined && objects.has(value)) return value;
  if (value instanceof LInstance) return value.layout.obsolete ? undefined : value.layout;
  return value instanceof LStruct ? value.layout : system.classOf(value);
}

function cached(system: ObjectSystem, gf: GenericFunction, args: Arguments): LispValue | undefined {
  let found: unknown = gf.cache;
  const { specialized } = gf;
  for (let i = 0; i < specialized.length; i++) {
    const key = keyAt(system, gf, i, args[specialized[i]!]!);
    found = (found as Map<unknown, unknown>).get(key);
    if (found === undefined) return undefined;
  }
  return found === gf.cache ? undefined : (found as LispValue);
}

function store(system: ObjectSystem, gf: GenericFunction, args: Arguments, fn: LispValue): void {
  const { specialized } = gf;
  if (specialized.length === 0) return;
  if (gf.cacheSize >= maximumCached) gf.flush();
  let map: Map<unknown, unknown> = gf.cache;
  for (let i = 0; i < specialized.length; i++) {
    const key = keyAt(system, gf, i, args[specialized[i]!]!);
    if (key === undefined) return;
    if (i === specialized.length - 1) {
      map.set(key, fn);
      gf.cacheSize++;
    } else {
      const next = map.get(key) as Map<unknown, unknown> | undefined;
      if (next) map = next;
      else map.set(key, (map = new Map()));
    }
  }
}

type Code1 = (self: LFunction, a: LispValue) => LispValue;
type Code2 = (self: LFunction, a: LispValue, b: LispValue) => LispValue;
type GeneralCode = (gf: GenericFunction, ...args: Arguments) => LispValue;

/** The part of dispatch that all generic functions of an image share. */
class Dispatcher {
  private readonly system: ObjectSystem;
  /** Lisp function of (generic-function arguments) for calls without a cached effective method. */
  miss: LispValue = NIL;
  private readonly general: GeneralCode;
  private readonly one: GeneralCode;
  private readonly firstOfTwo: GeneralCode;
  private readonly secondOfTwo: GeneralCode;
  private readonly bothOfTwo: GeneralCode;
  private readonly firstOfMany: GeneralCode;

  constructor(system: ObjectSystem) {
    this.system = system;
    this.general = this.makeGeneral();
    this.one = this.makeOne();
    this.firstOfTwo = this.makeOfTwo(0);
    this.secondOfTwo = this.makeOfTwo(1);
    this.bothOfTwo = this.makeBothOfTwo();
    this.firstOfMany = this.makeFirstOfMany();
  }

  /** Chooses the code that suits the parameters and specializers, and forgets the effective methods. */
  update(gf: GenericFunction): void {
    gf.flush();
    const { specialized, required, variadic } = gf;
    const only = specialized.length === 1 ? specialized[0] : undefined;
    let code = this.general;
    if (only === 0 && required === 1 && !variadic) code = this.one;
    else if (only === 0 && required === 2 && !variadic) code = this.firstOfTwo;
    else if (only === 1 && required === 2 && !variadic) code = this.secondOfTwo;
    else if (only === 0) code = this.firstOfMany;
    else if (specialized.length === 2 && required === 2 && !variadic) code = this.bothOfTwo;
    gf.code = code as unknown as LispCode;
  }

  private callMiss(gf: GenericFunction, args: Arguments): LispValue {
    return call(this.miss, [gf, arrayToList(args)]);
  }

  private makeGeneral(): GeneralCode {
    const { system } = this;
    return (gf, ...args) => {
      const { required } = gf;
      if (required < 0 || args.length < required || (args.length > required && !gf.variadic)) {
        return this.callMiss(gf, args);
      }
      const fn = cached(system, gf, args);
      return fn === undefined ? this.callMiss(gf, args) : call(fn, args);
    };
  }

  /** One required argument, specialized. */
  private makeOne(): GeneralCode {
    const { system } = this;
    const { general } = this;
    return function dispatchOne(gf: GenericFunction, a: LispValue): LispValue {
      if (arguments.length !== 2) return general.apply(undefined, arguments as unknown as [GenericFunction]);
      const key = keyAt(system, gf, 0, a);
      let fn: LFunction;
      if (key === gf.hotKey && key !== undefined) fn = gf.hotFunction as LFunction;
      else if (key === gf.hotKey2 && key !== undefined) fn = gf.hotFunction2 as LFunction;
      else {
        const found = gf.cache.get(key) as LFunction | undefined;
        if (found === undefined) return general(gf, a);
        gf.hotKey2 = gf.hotKey;
        gf.hotFunction2 = gf.hotFunction;
        gf.hotKey = key;
        gf.hotFunction = fn = found;
      }
      return (fn.code as Code1)(fn, a);
    };
  }

  /** Two required arguments, both specialized. */
  private makeBothOfTwo(): GeneralCode {
    const { system, general } = this;
    return function dispatchBoth(gf: GenericFunction, a: LispValue, b: LispValue): LispValue {
      if (arguments.length !== 3) return general.apply(undefined, arguments as unknown as [GenericFunction]);
      const key = keyAt(system, gf, 0, a);
      const second = keyAt(system, gf, 1, b);
      const { hotPairs } = gf;
      for (let i = 0; i < hotPairs.length; i++) {
        const { first, other, fn } = hotPairs[i]!;
        if (first === key && other === second) return (fn.code as Code2)(fn, a, b);
      }
      const found = (gf.cache.get(key) as Map<unknown, unknown> | undefined)?.get(second);
      if (found === undefined || key === undefined || second === undefined) return general(gf, a, b);
      const fn = found as LFunction;
      if (hotPairs.length < maximumPairs) hotPairs.push({ first: key, other: second, fn });
      return (fn.code as Code2)(fn, a, b);
    };
  }

  /** Any number of arguments, of which only the first is specialized. */
  private makeFirstOfMany(): GeneralCode {
    const { system, general } = this;
    return function dispatchFirst(gf: GenericFunction, a: LispValue, ...rest: Arguments): LispValue {
      const count = arguments.length - 1;
      if (count < gf.required || (count > gf.required && !gf.variadic)) {
        return general.apply(undefined, arguments as unknown as [GenericFunction]);
      }
      const key = keyAt(system, gf, 0, a);
      let fn = gf.hotFunction as LFunction;
      if (key !== gf.hotKey || key === undefined) {
        const found = gf.cache.get(key) as LFunction | undefined;
        if (found === undefined) return general(gf, a, ...rest);
        gf.hotKey = key;
        gf.hotFunction = fn = found;
      }
      return (fn.code as (self: LFunction, ...args: Arguments) => LispValue)(fn, a, ...rest);
    };
  }

  /** Two required arguments, of which only the one at `index` is specialized. */
  private makeOfTwo(index: 0 | 1): GeneralCode {
    const { system } = this;
    const { general } = this;
    return function dispatchTwo(gf: GenericFunction, a: LispValue, b: LispValue): LispValue {
      if (arguments.length !== 3) return general.apply(undefined, arguments as unknown as [GenericFunction]);
      const key = keyAt(system, gf, 0, index === 0 ? a : b);
      let fn = gf.hotFunction as LFunction;
      if (key !== gf.hotKey || key === undefined) {
        const found = gf.cache.get(key) as LFunction | undefined;
        if (found === undefined) return general(gf, a, b);
        gf.hotKey = key;
        gf.hotFunction = fn = found;
      }
      return (fn.code as Code2)(fn, a, b);
    };
  }
}

const dispatchers = new WeakMap<ObjectSystem, Dispatcher>();

/** The dispatcher of an object system, made when first asked for. */
function dispatcherOf(system: ObjectSystem): Dispatcher {
  let found = dispatchers.get(system);
  if (!found) dispatchers.set(system, (found = new Dispatcher(system)));
  return found;
}

function asGeneric(value: LispValue): GenericFunction {
  if (value instanceof GenericFunction) return value;
  throw typeError(value, "GENERIC-FUNCTION");
}

/**
 * Effective methods are called with objects whose class has been looked at, so these need not look again: the object has slots.
 */
type WithSlots = LInstance;

/** The code of slot accessors, found again by its name in a saved image. */
export const accessorUnit: CodeHolder & { readonly name: string } = {
  name: "slot-accessors",
  code: (id) => accessorCodes[id]!,
};

const READER = 0;
const WRITER = 1;

const accessorCodes: readonly LispCode[] = [
  (self: LFunction, object: LispValue): LispValue => {
    const value = (object as WithSlots).slots[self.env[0] as number]!;
    return value === UNBOUND ? call(self.env[1]!, [object]) : value;
  },
  (self: LFunction, value: LispValue, object: LispValue): LispValue => {
    (object as WithSlots).slots[self.env[0] as number] = value;
    return value;
  },
];

/** Reader of the slot at a location; falls back to the Lisp function (instance) when the slot is unbound. */
function slotReader(location: number, fallback: LispValue): LFunction {
  const info = accessorInfo("reader", "object", READER);
  return new LFunction(accessorCodes[READER]!, [location, fallback], info);
}

/** Writer of the slot at a location, with the argument order of SETF functions. */
function slotWriter(location: number): LFunction {
  const info = accessorInfo("writer", "value object", WRITER);
  return new LFunction(accessorCodes[WRITER]!, [location], info);
}

function accessorInfo(kind: keyof typeof accessorNames, lambdaList: string, id: number): FunctionInfo {
  return {
    name: LString.from(accessorNames[kind]),
    lambdaList,
    documentation: NIL,
    location: null,
    leaf: false,
    source: null,
    origin: { unit: accessorUnit, id },
  };
}

/** Calls what SET-FUNCALLABLE-INSTANCE-FUNCTION gave. */
const callFirst = (self: LFunction, ...args: Arguments): LispValue => call(self.env[0]!, args);

/** Calls nothing: the code of a funcallable instance before it got a function. */
const noFunction = (): LispValue => {
  throw programError("The funcallable instance has no function yet.");
};

/** Gives a generic function or another funcallable instance its code, when everything else of it is there. */
export function relinkFunction(object: FuncallableInstance, host: LeafHost): void {
  if (object instanceof GenericFunction) dispatcherOf(objectSystem(host)).update(object);
  else object.code = object.env.length === 0 ? noFunction : callFirst;
}

/** Generic functions and their caches. */
export const installDispatch: LeafInstaller = (define, host) => {
  const system = objectSystem(host);
  const dispatcher = dispatcherOf(system);
  define("SYS:%MAKE-GENERIC-FUNCTION", "class name", (cls: LispValue, name: LispValue) => {
    if (!(cls instanceof LClass)) throw typeError(cls, "CLASS");
    const info = { name, lambdaList: NIL, documentation: NIL, location: null, leaf: false, source: null };
    const layout = system.layoutOf(cls);
    const gf = system.deferred.claim(name) ?? new GenericFunction(() => NIL, info, layout);
    gf.layout = layout;
    gf.info = info;
    gf.slots = unboundSlots(layout);
    gf.name = name;
    dispatcher.update(gf);
    system.onMade(gf, name);
    return gf;
  });
  define(
    "SYS:%UPDATE-GENERIC-FUNCTION",
    "generic required variadic specialized eql-objects",
    (gf: LispValue, required: LispValue, variadic: LispValue, specialized: LispValue, objects: LispValue) => {
      const generic = asGeneric(gf);
      generic.required = required as number;
      generic.variadic = variadic !== NIL;
      generic.specialized = (listToArray(specialized) ?? []) as number[];
      generic.eqlObjects = (listToArray(objects) ?? []).map((each) =>
        each === NIL ? null : new Set(listToArray(each) ?? []),
      );
      generic.info.lambdaList = generic.lambdaList;
      dispatcher.update(generic);
      return gf;
    },
  );
  define("SYS:%GENERIC-WITHOUT-LAMBDA-LIST-P", "generic", (gf: LispValue) =>
    bool(asGeneric(gf).required < 0),
  );
  define("SYS:%FLUSH-GENERIC-FUNCTION", "generic", (gf: LispValue) => {
    asGeneric(gf).flush();
    return gf;
  });
  define(
    "SYS:%CACHE-EFFECTIVE-METHOD",
    "generic arguments function",
    (gf: LispValue, args: LispValue, fn: LispValue) => {
      store(system, asGeneric(gf), listToArray(args) ?? [], fn);
      return fn;
    },
  );
  define("SYS:%SET-DISPATCH-MISS", "function", (fn: LispValue) => (dispatcher.miss = fn));
  define("SYS:%SET-FUNCALLABLE-FUNCTION", "object function", (object: LispValue, fn: LispValue) => {
    if (!(object instanceof FuncallableInstance)) throw typeError(object, "FUNCTION");
    object.env = [fn];
    object.code = callFirst;
    return object;
  });
  define("SYS:%MAKE-FUNCALLABLE-INSTANCE", "class", (cls: LispValue) => {
    if (!(cls instanceof LClass)) throw typeError(cls, "CLASS");
    const layout = system.layoutOf(cls);
    const info = {
      name: NIL,
      lambdaList: "&rest arguments",
      documentation: NIL,
      location: null,
      leaf: false,
      source: null,
    };
    const slots = unboundSlots(layout);
    return new FuncallableInstance(noFunction, [], info, layout, slots);
  });
  define("SYS:%MAKE-SLOT-READER", "location fallback", (location: LispValue, fallback: LispValue) =>
    slotReader(location as number, fallback),
  );
  define("SYS:%MAKE-SLOT-WRITER", "location", (location: LispValue) => slotWriter(location as number));
};
