import { Box, FuncallableInstance, type FunctionInfo, UndefinedFunction } from "../data/function.ts";
import { InstanceLayout, StructLayout } from "../data/instance.ts";
import { Pathname } from "../data/pathname.ts";
import { RandomState } from "../data/random-state.ts";
import { LPackage, LSymbol, NIL, SetfCell } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { EqlSpecializer, GenericFunction, LClass, LMethod, SlotDefinition } from "../objects/class.ts";
import { relinkFunction } from "../objects/dispatch.ts";
import { objectSystem } from "../objects/object-system.ts";
import { Readtable } from "../reader/readtable.ts";
import { ExitToken } from "../runtime/exit-token.ts";
import { StructureCell } from "../structures/structure-cell.ts";
import { type Field, fields, readField, visitField, writeField } from "./fields.ts";
import type { Kind } from "./kind.ts";
import type { RecordType } from "./record-type.ts";
import { streamRecords } from "./stream-records.ts";

const blankInfo: FunctionInfo = {
  name: NIL,
  lambdaList: NIL,
  documentation: NIL,
  location: null,
  leaf: false,
  source: null,
};

const blankLayout = new InstanceLayout(NIL, [], 0);
const noCode = (): LispValue => NIL;

export const symbolRecord: RecordType = {
  name: "symbols",
  type: LSymbol,
  fields: fields("name pkg kind value fn macro plist setf props:table"),
  blank: () => new LSymbol("", null),
};

export const packageRecord: RecordType = {
  name: "packages",
  type: LPackage,
  fields: fields(
    `name nicknames:inline internal:table external:table shadowing:inline uses:inline usedBy:inline
     localNicknames:table locked keywords documentation deleted`,
  ),
  blank: () => new LPackage(""),
  finish: (pkg: LPackage) => pkg.changed(),
};

/** The records, in the order of their sections. */
export const recordTypes: readonly RecordType[] = [
  symbolRecord,
  {
    name: "setf cells",
    type: SetfCell,
    fields: fields("name base fn macro kind"),
    blank: () => new SetfCell(NIL),
  },
  packageRecord,
  { name: "boxes", type: Box, fields: fields("v"), blank: () => new Box(NIL) },
  {
    name: "structure layouts",
    type: StructLayout,
    fields: fields("name ancestors:inline slotNames:inline floats:inline props:table"),
    blank: () => new StructLayout(NIL, null, []),
    finish: (layout: StructLayout, image) => objectSystem(image).adoptStructureClass(layout),
  },
  {
    name: "structure cells",
    type: StructureCell,
    fields: fields("name layout direct"),
    blank: () => new StructureCell(NIL),
  },
  {
    name: "instance layouts",
    type: InstanceLayout,
    fields: fields("cls slotNames:inline obsolete serial"),
    blank: () => new InstanceLayout(NIL, [], 0),
    finish: (layout: { index: ReadonlyMap<LSymbol, number>; readonly slotNames: readonly LSymbol[] }) => {
      layout.index = new Map(layout.slotNames.map((name, position) => [name, position]));
    },
  },
  {
    name: "classes",
    type: LClass,
    fields: fields(
      `layout slots:inline name kind directSupers:inline directSubclasses:inline precedence:inline directSlots
       effectiveSlots instanceLayout finalized customAccess directDefaultInitargs defaultInitargs documentation prototype
       report directMethods caches dependents`,
    ),
    blank: () => new LClass(blankLayout, NIL, "standard"),
    finish: (cls: LClass) => {
      cls.ancestors = new Set(cls.precedence);
      cls.fillPlan = null;
      cls.recipe = NIL;
    },
  },
  {
    name: "slot definitions",
    type: SlotDefinition,
    fields: fields(
      `layout slots:inline name initargs initform initfunction constant type allocation readers writers documentation
       location owner`,
    ),
    blank: () => new SlotDefinition(blankLayout, []),
  },
  {
    name: "eql specializers",
    type: EqlSpecializer,
    fields: fields("layout slots:inline object directMethods"),
    blank: () => new EqlSpecializer(blankLayout, []),
  },
  {
    name: "methods",
    type: LMethod,
    fields: fields(
      `layout slots:inline generic qualifiers specializers lambdaList maker functionObject documentation slotDefinition`,
    ),
    blank: () => new LMethod(blankLayout, []),
  },
  {
    name: "generic functions",
    type: GenericFunction,
    fields: fields(
      `layout slots:inline name lambdaList methods methodClass combination precedenceOrder documentation declarations
       dependents caches required variadic specialized:inline eqlObjects:inline`,
    ),
    blank: () => new GenericFunction(noCode, { ...blankInfo }, blankLayout),
    finish: (gf: GenericFunction, image) => {
      gf.info.name = gf.name;
      gf.info.lambdaList = gf.lambdaList;
      relinkFunction(gf, image);
    },
  },
  {
    name: "funcallable instances",
    type: FuncallableInstance,
    fields: fields("layout slots:inline env:inline info"),
    blank: () => new FuncallableInstance(noCode, [], blankInfo, blankLayout, []),
    finish: (object: FuncallableInstance, image) => relinkFunction(object, image),
  },
  {
    name: "readtables",
    type: Readtable,
    fields: fields("caseMode low:inline high:inline macros:inline dispatch:inline locked"),
    blank: () => new Readtable(),
  },
  {
    name: "pathnames",
    type: Pathname,
    fields: fields("host device directory name type version logical"),
    blank: () => new Pathname(NIL, NIL, NIL, NIL, NIL, NIL),
  },
  {
    name: "random states",
    type: RandomState,
    fields: fields("words:inline"),
    blank: () => new RandomState(new Uint32Array(4)),
  },
  {
    // What closures know of blocks that have been left: leaving one again is an error in the restored image too.
    name: "exits",
    type: ExitToken,
    fields: [],
    blank: () => Object.assign(new ExitToken(0), { live: false }),
  },
  ...streamRecords,
];

type Fields = Record<string, unknown>;

/** What a field of an object holds. A variable's value is that outside of all bindings; what stands for no function is no function. */
export function fieldOf(
  object: object,
  field: Field,
  { globalValue }: { readonly globalValue: (symbol: object) => LispValue },
): unknown {
  if (!(object instanceof LSymbol)) return (object as Fields)[field.name];
  if (field.name === "value") return globalValue(object);
  return field.name === "fn" ? realFunction(object) : (object as unknown as Fields)[field.name];
}

function realFunction(symbol: LSymbol): unknown {
  const { fn } = symbol;
  return fn instanceof UndefinedFunction ? null : fn;
}

/** The kind of the objects of a record type. */
export function recordKind(record: RecordType): Kind {
  return {
    name: record.name,
    visit: (object, visit, output) => {
      for (const field of record.fields)
        visitField(fieldOf(object as object, field, output), field.type, visit);
    },
    writeShapes: () => undefined,
    readShapes: (count, { image }) => {
      const made: LispValue[] = [];
      for (let i = 0; i < count; i++) made.push(record.blank(image));
      return made;
    },
    writeContents: (objects, out) => {
      for (const object of objects) {
        for (const field of record.fields) writeField(fieldOf(object as object, field, out), field.type, out);
      }
    },
    readContents: (objects, input) => {
      for (const object of objects) {
        for (const { name } of record.fields) (object as Fields)[name] = readField(input);
      }
    },
  };
}
