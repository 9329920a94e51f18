import type { CallCache } from "../data/call-cache.ts";
import { listToArray } from "../data/cons.ts";
import { FuncallableInstance, type FunctionInfo, LFunction, type LispCode } from "../data/function.ts";
import { type InstanceLayout, LInstance } from "../data/instance.ts";
import { LString } from "../data/string.ts";
import { NIL, UNBOUND } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** Slots of an instance of that layout, all unbound. */
export function unboundSlots(layout: InstanceLayout): LispValue[] {
  layout.blank ??= Array.from<LispValue>({ length: layout.slotNames.length }).fill(UNBOUND);
  return layout.blank.slice();
}

/** What kind of instances a class has; decides which metaclass it belongs to and how instances are made. */
export type ClassKind = "built-in" | "structure" | "standard" | "funcallable" | "condition" | "forward";

/**
 * A class metaobject. What every class has is in fields; `slots` is for the additional slots of user-defined
 * metaclasses. Superclass order is the standard's; `precedence` is empty until the class is finalized.
 */
export class LClass extends LInstance {
  /** Symbol, or NIL for an anonymous class. */
  name: LispValue;
  kind: ClassKind;
  directSupers: LClass[] = [];
  readonly directSubclasses = new Set<LClass>();
  precedence: LClass[] = [];
  /** The classes of `precedence`, for the subclass test. */
  ancestors: ReadonlySet<LClass> = new Set();
  /** Lists of slot definitions; the effective ones in the order of their locations, empty until finalized. */
  directSlots: LispValue = NIL;
  effectiveSlots: LispValue = NIL;
  /** How new instances are filled, made when first needed; forgotten when the effective slots change. */
  fillPlan: FillPlan | null = null;
  /** What MAKE-INSTANCE found out about the class (a simple-vector), or NIL. */
  recipe: LispValue = NIL;
  /** Layout of new instances; null until finalized and for classes without instances of their own. */
  instanceLayout: InstanceLayout | null = null;
  finalized = false;
  /** True when slot access goes through the generic functions of the metaobject protocol. */
  customAccess = false;
  /** Lisp lists of (name form function). */
  directDefaultInitargs: LispValue = NIL;
  defaultInitargs: LispValue = NIL;
  documentation: LispValue = NIL;
  prototype: LispValue = NIL;
  /** Function or string a condition class reports with, or NIL. */
  report: LispValue = NIL;
  /** List of the methods specialized on the class. */
  directMethods: LispValue = NIL;
  /** Property list of the system (valid initargs, constructors …); cleared when the class changes. */
  caches: LispValue = NIL;
  /** Objects told of redefinition through UPDATE-DEPENDENT. */
  dependents: LispValue = NIL;

  constructor(layout: InstanceLayout, name: LispValue, kind: ClassKind) {
    super(layout, []);
    this.name = name;
    this.kind = kind;
  }

  /** True when this class is `other` or one of its subclasses. */
  isSubclassOf(other: LClass): boolean {
    return this === other || this.ancestors.has(other);
  }
}

/** How the slots of new instances get their values. */
export interface FillPlan {
  readonly fills: readonly SlotFill[];
  /** Slots of an instance without initialisation arguments: constants of initforms, else unbound. */
  readonly initial: readonly LispValue[];
}

/** How one slot of a new instance gets its value. */
export interface SlotFill {
  readonly slot: SlotDefinition;
  readonly initargs: readonly LispValue[];
  /** Index of the slot, or the cons whose car is the shared value. */
  readonly location: LispValue;
  /** Value of an initform that is a constant. */
  readonly constant: LispValue | undefined;
  readonly hasInitform: boolean;
}

/** A direct or effective slot definition. `location` is an index, or for :allocation :class the shared cell (a cons, value in its car). */
export class SlotDefinition extends LInstance {
  name: LispValue = NIL;
  initargs: LispValue = NIL;
  initform: LispValue = NIL;
  /** Function of no arguments, or NIL when there is no initform. */
  initfunction: LispValue = NIL;
  /** List of the value of an initform that is a constant; NIL when it must be evaluated each time. */
  constant: LispValue = NIL;
  type: LispValue = NIL;
  allocation: LispValue = NIL;
  readers: LispValue = NIL;
  writers: LispValue = NIL;
  documentation: LispValue = NIL;
  location: LispValue = NIL;
  /** The class whose DEFCLASS has the slot. */
  owner: LispValue = NIL;
}

/** An EQL specializer; one per object and image. */
export class EqlSpecializer extends LInstance {
  object: LispValue = NIL;
  directMethods: LispValue = NIL;
}

/**
 * A method. `maker` takes the function that calls the next method (or NIL when there is none) and returns the function
 * to call with the arguments; it lets a method without CALL-NEXT-METHOD be called directly.
 */
export class LMethod extends LInstance {
  generic: LispValue = NIL;
  qualifiers: LispValue = NIL;
  specializers: LispValue = NIL;
  lambdaList: LispValue = NIL;
  maker: LispValue = NIL;
  /** Function of (arguments next-methods), made when somebody asks for METHOD-FUNCTION. */
  functionObject: LispValue = NIL;
  documentation: LispValue = NIL;
  /** For accessor methods: the direct slot definition. */
  slotDefinition: LispValue = NIL;
}

/** An effective method for two arguments, with what they count as in the table. */
interface HotPair {
  readonly first: unknown;
  readonly other: unknown;
  readonly fn: LFunction;
}

/** How a call of a generic function may be compiled: as the access to a slot, or as the call of the effective method for the first argument. */
type InlineKind = "reader" | "writer" | "method";

/** Most arguments of a call that remembers its effective method. */
const mostInlineArguments = 3;

/** Names that the functions have which read and write the slot at a location. */
export const accessorNames = { reader: "slot reader", writer: "slot writer" };

/** True for a function that does nothing but read or write the slot at the location in its environment. */
function isSlotAccessor(fn: LFunction): boolean {
  const { name } = fn.info;
  if (!(name instanceof LString)) return false;
  const text = name.toJS();
  return text === accessorNames.reader || text === accessorNames.writer;
}

/** A generic function: its discriminating code is in `code`, set by `lisp/objects/dispatch`. */
export class GenericFunction extends FuncallableInstance {
  name: LispValue = NIL;
  lambdaList: LispValue = NIL;
  methods: LispValue = NIL;
  methodClass: LispValue = NIL;
  combination: LispValue = NIL;
  precedenceOrder: LispValue = NIL;
  documentation: LispValue = NIL;
  declarations: LispValue = NIL;
  dependents: LispValue = NIL;
  /** Data of the system about the generic function (argument info …) as a property list. */
  caches: LispValue = NIL;
  /** Number of required parameters; -1 before the lambda list is known. */
  required = -1;
  /** True when the lambda list takes more than the required arguments. */
  variadic = false;
  /** Positions of arguments that some method specializes, and the objects of EQL specializers there. */
  specialized: readonly number[] = [];
  eqlObjects: readonly (ReadonlySet<LispValue> | null)[] = [];
  /** Effective methods by the classes of the specialized arguments: nested maps, one level for each position. */
  cache = new Map<unknown, unknown>();
  cacheSize = 0;
  /** The first effective methods used, in front of the map, when two arguments are specialized. */
  hotPairs: HotPair[] = [];
  /** The last two effective methods used, in front of the map. */
  hotKey: unknown = undefined;
  hotKey2: unknown = undefined;
  hotFunction: LispValue = NIL;
  hotFunction2: LispValue = NIL;

  constructor(code: LispCode, info: FunctionInfo, layout: InstanceLayout) {
    super(code, [], info, layout, []);
  }

  /** How calls with `count` arguments, of which the first (for a writer the second) is specialized, are best compiled. */
  inlineCall(count: number): InlineKind | undefined {
    if (this.required < 1 || count < this.required || count > mostInlineArguments) return undefined;
    const methods = listToArray(this.methods) ?? [];
    const accessors = methods.every((method) => method instanceof LMethod && method.slotDefinition !== NIL);
    if (methods.length > 0 && accessors && count === this.required && count <= 2)
      return count === 1 ? "reader" : "writer";
    return "method";
  }

  override noteCall(at: object, object: LispValue, count: number, access: boolean): void {
    const cache = at as CallCache;
    if (cache.settled(this.cache)) return;
    if (!this.dispatchesOn(access ? count - 1 : 0, count)) return cache.refuse(this.cache);
    if (!(object instanceof LInstance) || object.layout.obsolete) return;
    const fn = this.cache.get(object.layout);
    if (!(fn instanceof LFunction)) return;
    if (access && !isSlotAccessor(fn)) return cache.refuse(this.cache);
    if (access) cache.index = fn.env[0] as number;
    cache.fn = fn;
    cache.store(object.layout, this.cache);
  }

  /** True when the class of the argument at that position alone decides about a call with `count` arguments. */
  private dispatchesOn(position: number, count: number): boolean {
    if (this.specialized.length !== 1 || this.specialized[0] !== position) return false;
    if ((this.eqlObjects[0] ?? null) !== null) return false;
    return count === this.required || (count > this.required && this.variadic);
  }

  /** Forgets all effective methods. */
  flush(): void {
    this.cache = new Map();
    this.cacheSize = 0;
    this.hotKey = undefined;
    this.hotKey2 = undefined;
    this.hotPairs = [];
  }
}
