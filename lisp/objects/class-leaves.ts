import type { CallCache } from "../data/call-cache.ts";
import { slotContent, slotValue, structureOfValues } from "../structures/float-slots.ts";
import { arrayToList, listToArray } from "../data/cons.ts";
import { simpleError, typeError } from "../data/error.ts";
import { FuncallableInstance } from "../data/function.ts";
import { InstanceLayout, LInstance, LStruct } from "../data/instance.ts";
import type { DefineLeaf, LeafHost, LeafInstaller } from "../data/leaf.ts";
import { bool, LSymbol, NIL, UNBOUND } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import {
  type ClassKind,
  EqlSpecializer,
  GenericFunction,
  LClass,
  LMethod,
  SlotDefinition,
  unboundSlots,
} from "./class.ts";
import { objectSystem, type ObjectSystem } from "./object-system.ts";
import { PrecedenceConflict } from "./precedence.ts";

function asClass(value: LispValue): LClass {
  if (value instanceof LClass) return value;
  throw typeError(value, "CLASS");
}

function classList(value: LispValue): LClass[] {
  return (listToArray(value) ?? []).map(asClass);
}

const isTrue = (value: LispValue): boolean => value !== NIL;

type Field<T> = readonly [
  name: string,
  get: (object: T) => LispValue,
  set?: (object: T, value: LispValue) => void,
];

function setEffectiveSlots(cls: LClass, slots: LispValue): void {
  cls.effectiveSlots = slots;
  cls.fillPlan = null;
}

const classFields: readonly Field<LClass>[] = [
  ["CLASS-NAME", (c) => c.name, (c, v) => void (c.name = v)],
  [
    "CLASS-DIRECT-SUPERCLASSES",
    (c) => arrayToList(c.directSupers),
    (c, v) => void (c.directSupers = classList(v)),
  ],
  ["CLASS-PRECEDENCE-LIST", (c) => arrayToList(c.precedence)],
  ["CLASS-DIRECT-SLOTS", (c) => c.directSlots, (c, v) => void (c.directSlots = v)],
  ["CLASS-SLOTS", (c) => c.effectiveSlots, setEffectiveSlots],
  ["CLASS-RECIPE", (c) => c.recipe, (c, v) => void (c.recipe = v)],
  ["CLASS-FINALIZED", (c) => bool(c.finalized), (c, v) => void (c.finalized = isTrue(v))],
  ["CLASS-CUSTOM-ACCESS", (c) => bool(c.customAccess), (c, v) => void (c.customAccess = isTrue(v))],
  [
    "CLASS-DIRECT-DEFAULT-INITARGS",
    (c) => c.directDefaultInitargs,
    (c, v) => void (c.directDefaultInitargs = v),
  ],
  ["CLASS-DEFAULT-INITARGS", (c) => c.defaultInitargs, (c, v) => void (c.defaultInitargs = v)],
  ["CLASS-DOCUMENTATION", (c) => c.documentation, (c, v) => void (c.documentation = v)],
  ["CLASS-PROTOTYPE", (c) => c.prototype, (c, v) => void (c.prototype = v)],
  ["CLASS-REPORT", (c) => c.report, (c, v) => void (c.report = v)],
  ["CLASS-CACHES", (c) => c.caches, (c, v) => void (c.caches = v)],
  ["CLASS-DEPENDENTS", (c) => c.dependents, (c, v) => void (c.dependents = v)],
];

/** What may grow when deferred definitions are made. */
const growingClassFields: readonly Field<LClass>[] = [
  ["CLASS-DIRECT-SUBCLASSES", (c) => arrayToList([...c.directSubclasses])],
  ["CLASS-DIRECT-METHODS", (c) => c.directMethods, (c, v) => void (c.directMethods = v)],
];

const slotFields: readonly Field<SlotDefinition>[] = [
  ["SLOT-NAME", (s) => s.name, (s, v) => void (s.name = v)],
  ["SLOT-INITARGS", (s) => s.initargs, (s, v) => void (s.initargs = v)],
  ["SLOT-INITFORM", (s) => s.initform, (s, v) => void (s.initform = v)],
  ["SLOT-INITFUNCTION", (s) => s.initfunction, (s, v) => void (s.initfunction = v)],
  ["SLOT-CONSTANT", (s) => s.constant, (s, v) => void (s.constant = v)],
  ["SLOT-TYPE", (s) => s.type, (s, v) => void (s.type = v)],
  ["SLOT-ALLOCATION", (s) => s.allocation, (s, v) => void (s.allocation = v)],
  ["SLOT-READERS", (s) => s.readers, (s, v) => void (s.readers = v)],
  ["SLOT-WRITERS", (s) => s.writers, (s, v) => void (s.writers = v)],
  ["SLOT-DOCUMENTATION", (s) => s.documentation, (s, v) => void (s.documentation = v)],
  ["SLOT-LOCATION", (s) => s.location, (s, v) => void (s.location = v)],
  ["SLOT-OWNER", (s) => s.owner, (s, v) => void (s.owner = v)],
];

const methodFields: readonly Field<LMethod>[] = [
  ["METHOD-GENERIC", (m) => m.generic, (m, v) => void (m.generic = v)],
  ["METHOD-QUALIFIER-LIST", (m) => m.qualifiers, (m, v) => void (m.qualifiers = v)],
  ["METHOD-SPECIALIZER-LIST", (m) => m.specializers, (m, v) => void (m.specializers = v)],
  ["METHOD-PARAMETERS", (m) => m.lambdaList, (m, v) => void (m.lambdaList = v)],
  ["METHOD-MAKER", (m) => m.maker, (m, v) => void (m.maker = v)],
  ["METHOD-FUNCTION-OBJECT", (m) => m.functionObject, (m, v) => void (m.functionObject = v)],
  ["METHOD-DOCUMENTATION", (m) => m.documentation, (m, v) => void (m.documentation = v)],
  ["METHOD-SLOT", (m) => m.slotDefinition, (m, v) => void (m.slotDefinition = v)],
];

const genericFields: readonly Field<GenericFunction>[] = [
  ["GENERIC-NAME", (g) => g.name, (g, v) => void (g.name = v)],
  ["GENERIC-LAMBDA-LIST", (g) => g.lambdaList, (g, v) => void (g.lambdaList = v)],
  ["GENERIC-METHODS", (g) => g.methods, (g, v) => void (g.methods = v)],
  ["GENERIC-METHOD-CLASS", (g) => g.methodClass, (g, v) => void (g.methodClass = v)],
  ["GENERIC-COMBINATION", (g) => g.combination, (g, v) => void (g.combination = v)],
  ["GENERIC-PRECEDENCE-ORDER", (g) => g.precedenceOrder, (g, v) => void (g.precedenceOrder = v)],
  ["GENERIC-DOCUMENTATION", (g) => g.documentation, (g, v) => void (g.documentation = v)],
  ["GENERIC-DECLARATIONS", (g) => g.declarations, (g, v) => void (g.declarations = v)],
  ["GENERIC-DEPENDENTS", (g) => g.dependents, (g, v) => void (g.dependents = v)],
  ["GENERIC-CACHES", (g) => g.caches, (g, v) => void (g.caches = v)],
];

const specializerFields: readonly Field<EqlSpecializer>[] = [
  ["EQL-OBJECT", (s) => s.object, (s, v) => void (s.object = v)],
  ["EQL-DIRECT-METHODS", (s) => s.directMethods, (s, v) => void (s.directMethods = v)],
];

type Constructor<T> = abstract new (...args: never[]) => T;

/** `SYS:%NAME object` and `SYS:%SET-NAME object value` for each field. */
function defineFields<T>(
  define: DefineLeaf,
  type: Constructor<T>,
  typeName: string,
  fields: readonly Field<T>[],
  prepare: (object: T) => void = () => undefined,
): void {
  for (const [name, get, set] of fields) {
    define(`SYS:%${name}`, "object", (object: LispValue) => {
      if (!(object instanceof type)) throw typeError(object, typeName);
      prepare(object);
      return get(object);
    });
    if (!set) continue;
    define(`SYS:%SET-${name}`, "object value", (object: LispValue, value: LispValue) => {
      if (!(object instanceof type)) throw typeError(object, typeName);
      prepare(object);
      set(object, value);
      return value;
    });
  }
}

const kinds: Record<string, ClassKind> = {
  STANDARD: "standard",
  FUNCALLABLE: "funcallable",
  STRUCTURE: "structure",
  CONDITION: "condition",
  FORWARD: "forward",
};

function kindNamed(keyword: LispValue): ClassKind {
  const found = keyword instanceof LSymbol ? kinds[keyword.name] : undefined;
  if (!found) throw typeError(keyword, "(MEMBER :STANDARD :FUNCALLABLE :STRUCTURE :CONDITION :FORWARD)");
  return found;
}

function defineClassOperations(define: DefineLeaf, host: LeafHost, system: ObjectSystem): void {
  define("CLASS-OF", "object", (object: LispValue) => system.classOf(object), { total: true });
  define("SYS:%FIND-CLASS", "name", (name: LispValue) => system.findClass(name) ?? NIL);
  define("SYS:%SET-FIND-CLASS", "name class", (name: LispValue, cls: LispValue) => {
    if (!(name instanceof LSymbol)) throw typeError(name, "SYMBOL");
    system.setClass(name, cls === NIL ? null : asClass(cls));
    return cls;
  });
  define("SYS:%SUBCLASSP", "class other", (cls: LispValue, other: LispValue) =>
    bool(asClass(cls).isSubclassOf(asClass(other))),
  );
  define("SYS:%INSTANCE-OF-P", "object class", (object: LispValue, cls: LispValue) =>
    bool(system.classOf(object).isSubclassOf(asClass(cls))),
  );
  define("SYS:%CLASS-KIND", "class", (cls: LispValue) => host.symbol(`:${asClass(cls).kind.toUpperCase()}`));
  define("SYS:%SET-CLASS-KIND", "class kind", (cls: LispValue, kind: LispValue) => {
    asClass(cls).kind = kindNamed(kind);
    return kind;
  });
  define("SYS:%MAKE-CLASS", "name kind metaclass", (name: LispValue, kind: LispValue, metaclass: LispValue) =>
    system.makeClass(name, kindNamed(kind), asClass(metaclass)),
  );
  define("SYS:%ADD-DIRECT-SUBCLASS", "class subclass", (cls: LispValue, subclass: LispValue) => {
    asClass(cls).directSubclasses.add(asClass(subclass));
    return subclass;
  });
  define("SYS:%REMOVE-DIRECT-SUBCLASS", "class subclass", (cls: LispValue, subclass: LispValue) => {
    asClass(cls).directSubclasses.delete(asClass(subclass));
    return subclass;
  });
  define("SYS:%COMPUTE-PRECEDENCE", "class", (value: LispValue) => {
    const cls = asClass(value);
    try {
      system.setPrecedence(cls);
    } catch (error) {
      if (!(error instanceof PrecedenceConflict)) throw error;
      throw simpleError(
        "SIMPLE-ERROR",
        "The superclasses of ~S cannot be ordered: their local precedence orders contradict each other.",
        cls,
      );
    }
    return arrayToList(cls.precedence);
  });
  define("SYS:%NEW-LAYOUT", "class slot-names", (value: LispValue, names: LispValue) => {
    const cls = asClass(value);
    const old = cls.instanceLayout;
    system.newLayout(cls, (listToArray(names) ?? []) as LSymbol[]);
    if (old) old.obsolete = true;
    return cls;
  });
  define("SYS:%LAYOUT-SLOT-NAMES", "class", (value: LispValue) =>
    arrayToList([...(asClass(value).instanceLayout?.slotNames ?? [])]),
  );
}

/** Result of a slot look-up that found nothing to return; Lisp code then takes the long way. */
const missName = "SYS:%NO-SLOT-VALUE";

/** Where a slot is in an instance whose slot access is the standard one; what was found is noted in the cache. */
function cachedLocation(cache: CallCache, object: LispValue, name: LispValue): number | undefined {
  if (!(object instanceof LInstance) || object.layout.obsolete) return undefined;
  const location = object.layout.index.get(name as LSymbol);
  if (location === undefined || (object.layout.cls as LClass).customAccess) return undefined;
  if (!cache.settled(null)) {
    cache.index = location;
    cache.store(object.layout, null);
  }
  return location;
}

function layoutFor(value: LispValue): InstanceLayout {
  const cls = asClass(value);
  if (!cls.instanceLayout) throw simpleError("SIMPLE-ERROR", "~S is not finalized.", cls);
  return cls.instanceLayout;
}

function defineInstanceOperations(define: DefineLeaf, host: LeafHost, system: ObjectSystem): void {
  const miss = host.symbol(missName);
  miss.value = miss;
  miss.kind = "constant";
  define("SYS:%ALLOCATE-INSTANCE", "class", (cls: LispValue) => {
    const layout = layoutFor(cls);
    return new LInstance(layout, unboundSlots(layout));
  });
  define("SYS:%INSTANCEP", "object", (object: LispValue) =>
    bool(object instanceof LInstance || object instanceof FuncallableInstance),
  );
  define("SYS:%CURRENT-INSTANCE-P", "object", (object: LispValue) =>
    bool(!(hasSlots(object) && (object.layout as InstanceLayout).obsolete)),
  );
  define("SYS:%INSTANCE-LAYOUT-SLOT-NAMES", "object", (object: LispValue) =>
    arrayToList(hasSlots(object) ? [...(object.layout as InstanceLayout).slotNames] : []),
  );
  define("SYS:%FAST-SLOT-VALUE", "object name", (object: LispValue, name: LispValue) => {
    if (!(object instanceof LInstance) || object.layout.obsolete) return miss;
    const location = object.layout.index.get(name as LSymbol);
    if (location === undefined || (object.layout.cls as LClass).customAccess) return miss;
    const value = object.slots[location]!;
    return value === UNBOUND ? miss : value;
  });
  define(
    "SYS:%FAST-SET-SLOT-VALUE",
    "object name value",
    (object: LispValue, name: LispValue, value: LispValue) => {
      if (!(object instanceof LInstance) || object.layout.obsolete) return miss;
      const location = object.layout.index.get(name as LSymbol);
      if (location === undefined || (object.layout.cls as LClass).customAccess) return miss;
      object.slots[location] = value;
      return value;
    },
  );
  define(
    "SYS:%CACHED-SLOT-VALUE",
    "cache object name",
    (cache: LispValue, object: LispValue, name: LispValue) => {
      const location = cachedLocation(cache as CallCache, object, name);
      const value = location === undefined ? UNBOUND : (object as LInstance).slots[location]!;
      return value === UNBOUND ? miss : value;
    },
    { total: true },
  );
  define(
    "SYS:%CACHED-SET-SLOT-VALUE",
    "cache object name value",
    (cache: LispValue, object: LispValue, name: LispValue, value: LispValue) => {
      const location = cachedLocation(cache as CallCache, object, name);
      if (location === undefined) return miss;
      (object as LInstance).slots[location] = value;
      return value;
    },
    { total: true },
  );
  define("SYS:%INSTANCE-REF", "object location", (object: LispValue, location: LispValue) => {
    const index = location as number;
    const value = object instanceof LStruct ? slotValue(object, index)! : instanceSlots(object)[index]!;
    return value === UNBOUND ? miss : value;
  });
  define(
    "SYS:%SET-INSTANCE-REF",
    "object location value",
    (object: LispValue, location: LispValue, value: LispValue) => {
      const [index, content] = [location as number, value === miss ? UNBOUND : value];
      instanceSlots(object)[index] =
        object instanceof LStruct ? slotContent(object.layout, index, content) : content;
      return value;
    },
  );
  define(
    "SYS:%CHANGE-INSTANCE",
    "object class values",
    (object: LispValue, cls: LispValue, values: LispValue) => {
      const layout = layoutFor(cls);
      if (!hasSlots(object)) throw typeError(object, "STANDARD-OBJECT");
      object.layout = layout;
      object.slots = (listToArray(values) ?? []).map((value) => (value === miss ? UNBOUND : value));
      return object;
    },
  );
  define("SYS:%ALLOCATE-LIKE", "instance", (object: LispValue) => {
    if (object instanceof LInstance) return new LInstance(object.layout, [...object.slots]);
    if (!(object instanceof FuncallableInstance)) throw typeError(object, "STANDARD-OBJECT");
    return new FuncallableInstance(object.code, object.env, object.info, object.layout, [...object.slots]);
  });
  define(
    "SYS:%CHANGE-METACLASS",
    "class metaclass kind",
    (value: LispValue, meta: LispValue, kind: LispValue) => {
      const cls = asClass(value);
      cls.layout = system.layoutOf(asClass(meta));
      cls.slots = unboundSlots(cls.layout);
      cls.kind = kindNamed(kind);
      return cls;
    },
  );
  define("SYS:%ALLOCATE-STRUCTURE", "class", (value: LispValue) => {
    const layout = system.structureLayout(asClass(value));
    if (!layout) throw typeError(value, "STRUCTURE-CLASS");
    const slots = Array.from<LispValue>({ length: layout.slotNames.length }).fill(UNBOUND);
    return structureOfValues(layout, slots);
  });
  define("SYS:%STRUCTURE-CLASS", "structure", (object: LispValue) => {
    if (!(object instanceof LStruct)) throw typeError(object, "STRUCTURE-OBJECT");
    return system.structureClass(object.layout);
  });
}

function hasSlots(object: LispValue): object is LInstance | FuncallableInstance {
  return object instanceof LInstance || object instanceof FuncallableInstance;
}

function instanceSlots(object: LispValue): LispValue[] {
  if (hasSlots(object) || object instanceof LStruct) return object.slots;
  throw typeError(object, "STANDARD-OBJECT");
}

function freshSlots(system: ObjectSystem, cls: LClass): LispValue[] {
  return unboundSlots(system.layoutOf(cls));
}

function defineMetaobjects(define: DefineLeaf, system: ObjectSystem): void {
  define(
    "SYS:%MAKE-SLOT-DEFINITION",
    "class",
    (cls: LispValue) => new SlotDefinition(system.layoutOf(asClass(cls)), freshSlots(system, asClass(cls))),
  );
  define(
    "SYS:%MAKE-METHOD",
    "class",
    (cls: LispValue) => new LMethod(system.layoutOf(asClass(cls)), freshSlots(system, asClass(cls))),
  );
  define("SYS:%MAKE-EQL-SPECIALIZER", "object", (object: LispValue) => {
    const made = new EqlSpecializer(system.layoutOf(system.standard("SYS:EQL-SPECIALIZER")), []);
    made.object = object;
    return made;
  });
  define("SYS:%CLASSP", "object", (object: LispValue) => bool(object instanceof LClass));
  define("SYS:%METHODP", "object", (object: LispValue) => bool(object instanceof LMethod));
  define("SYS:%GENERIC-FUNCTION-P", "object", (object: LispValue) => bool(object instanceof GenericFunction));
  define("SYS:%SLOT-DEFINITION-P", "object", (object: LispValue) => bool(object instanceof SlotDefinition));
  define("SYS:%EQL-SPECIALIZER-P", "object", (object: LispValue) => bool(object instanceof EqlSpecializer));
}

/** Classes, instances and metaobjects as the Lisp part of the object system sees them. */
export const installClasses: LeafInstaller = (define, host) => {
  const system = objectSystem(host);
  defineFields(define, LClass, "CLASS", classFields);
  defineFields(define, LClass, "CLASS", growingClassFields, () => system.deferred.make());
  defineFields(define, SlotDefinition, "AUTOLITH-SYSTEM::SLOT-DEFINITION", slotFields);
  defineFields(define, LMethod, "METHOD", methodFields);
  defineFields(define, GenericFunction, "GENERIC-FUNCTION", genericFields, (gf) =>
    system.deferred.wantGeneric(gf),
  );
  defineFields(define, EqlSpecializer, "AUTOLITH-SYSTEM::EQL-SPECIALIZER", specializerFields);
  defineClassOperations(define, host, system);
  defineInstanceOperations(define, host, system);
  defineMetaobjects(define, system);
};
