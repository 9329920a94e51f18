import {
  DataFormError,
  PlistReader,
  describeForm,
  listElements,
  type DataForm,
  type DataList,
  type FormLocations,
  type TextPosition,
} from "../../lisp/data-forms/index.ts";
import {
  OutputContractError,
  scalarTypes,
  type ArrayContract,
  type ObjectContract,
  type OutputContract,
  type PropertyContract,
  type ScalarType,
} from "./output-contract.ts";
import { isOfType, isScalar, scalarsEqual, showScalar } from "./scalar-values.ts";

/** A schema and where it stands. */
export interface SchemaSource {
  readonly form: DataForm;
  readonly locations?: FormLocations | undefined;
  readonly position?: TextPosition | undefined;
}

const schemaTypes = ["object", "array", ...scalarTypes] as const;
const objectKeys = ["type", "properties", "required", "additional-properties"];
const arrayKeys = ["type", "items", "min-items", "max-items"];
const scalarKeys = ["type", "enum"];
const allKeys = [...new Set([...objectKeys, ...arrayKeys, ...scalarKeys])];

/** Reads a schema other than the engineering one. `path` names it in errors. @throws OutputContractError */
export function parseSchema(source: SchemaSource, path: string): OutputContract {
  return withPath(path, () => {
    const schema = readSchema(source, allKeys);
    if (!schema.has("type") && schema.has("enum")) {
      onlyKeys(schema, ["enum"], "a schema without :type");
      return { type: "enum", values: parseEnum(schema, path) };
    }
    const type = schema.keyword("type", schemaTypes);
    if (type === "object") {
      onlyKeys(schema, objectKeys, "an :object schema");
      return parseObject(schema, source, path);
    }
    if (type === "array") {
      onlyKeys(schema, arrayKeys, "an :array schema");
      return parseArray(schema, source, path);
    }
    onlyKeys(schema, scalarKeys, `a :${type} schema`);
    return schema.has("enum") ? { type, values: parseEnum(schema, path, type) } : { type };
  });
}

/** The property list of a schema. */
export function readSchema(source: SchemaSource, keys: readonly string[]): PlistReader {
  return PlistReader.of(source.form, {
    what: "the schema",
    keys,
    locations: source.locations,
    position: source.position,
  });
}

/** The `:properties`, `:required` and `:additional-properties` of a schema. @throws OutputContractError */
export function parseObject(schema: PlistReader, source: SchemaSource, path: string): ObjectContract {
  const properties = schema.has("properties") ? parseProperties(schema, source, path) : [];
  const required = schema.has("required") ? parseRequired(schema, properties) : [];
  const additionalProperties = schema.has("additional-properties")
    ? schema.boolean("additional-properties")
    : true;
  return { type: "object", properties, required, additionalProperties };
}

function parseProperties(schema: PlistReader, source: SchemaSource, path: string): PropertyContract[] {
  const names = new Set<string>();
  const entries = schema.list("properties");
  return entries.map((entry, index) => {
    const [name, form, ...rest] = listElements(entry) ?? [];
    const position = source.locations?.elementPosition(entries, index);
    if (typeof name !== "string" || form === undefined || rest.length > 0) {
      const problem = `:properties must hold ("name" schema) pairs, got ${describeForm(entry)}`;
      throw new DataFormError("invalid-value", problem, { position, key: ":properties" });
    }
    if (name === "" || names.has(name)) {
      const problem =
        name === "" ? "a property's name is empty" : `the property ${JSON.stringify(name)} is declared twice`;
      throw new DataFormError("invalid-value", problem, { position, key: ":properties" });
    }
    if (name === "__proto__") {
      const problem = 'no result can keep a property named "__proto__"; choose another name';
      throw new DataFormError("invalid-value", problem, { position, key: ":properties" });
    }
    names.add(name);
    const schemaPosition = source.locations?.elementPosition(entry as DataList, 1);
    const nested = { form, locations: source.locations, position: schemaPosition };
    return { name, contract: parseSchema(nested, `${path}.${name}`) };
  });
}

function parseRequired(schema: PlistReader, properties: readonly PropertyContract[]): string[] {
  const names: string[] = [];
  for (const name of schema.list("required")) {
    if (typeof name !== "string") {
      throw schema.invalidValue("required", `must be a list of property names, got ${describeForm(name)}`);
    }
    if (names.includes(name)) throw schema.invalidValue("required", `names ${JSON.stringify(name)} twice`);
    if (!properties.some((property) => property.name === name)) {
      throw schema.invalidValue(
        "required",
        `names ${JSON.stringify(name)}, which :properties does not declare`,
      );
    }
    names.push(name);
  }
  return names;
}

function parseArray(schema: PlistReader, source: SchemaSource, path: string): ArrayContract {
  const form = schema.requiredForm("items");
  const nested = { form, locations: source.locations, position: schema.valuePosition("items") };
  const items = parseSchema(nested, `${path}[]`);
  const bound = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
  const minItems = schema.has("min-items") ? schema.integer("min-items", bound) : undefined;
  const maxItems = schema.has("max-items") ? schema.integer("max-items", bound) : undefined;
  if (minItems !== undefined && maxItems !== undefined && minItems > maxItems) {
    throw schema.invalidValue("min-items", `must not exceed :max-items, got ${minItems} and ${maxItems}`);
  }
  return { type: "array", items, minItems, maxItems };
}

function parseEnum(schema: PlistReader, path: string, type?: ScalarType): readonly DataForm[] {
  const values = schema.list("enum");
  if (values.length === 0) throw schema.invalidValue("enum", "must list at least one value");
  values.forEach((value, index) => {
    if (!isScalar(value)) {
      throw schema.invalidValue(
        "enum",
        `must list strings, numbers, T, NIL or :null, got ${describeForm(value)}`,
      );
    }
    if (type !== undefined && !isOfType(value, type)) {
      throw schema.invalidValue("enum", `must fit :type :${type}, got ${showScalar(value)}`);
    }
    if (values.slice(0, index).some((earlier) => scalarsEqual(earlier, value))) {
      throw schema.invalidValue("enum", `lists ${showScalar(value)} twice at ${path}`);
    }
  });
  return values;
}

function onlyKeys(schema: PlistReader, allowed: readonly string[], what: string): void {
  for (const key of schema.keys()) {
    if (!allowed.includes(key)) throw schema.invalidValue(key, `is not a key of ${what}`, "unknown-field");
  }
}

/** Runs a part of the parsing and turns its data errors into contract errors of this path. */
export function withPath<Result>(path: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof DataFormError) throw new OutputContractError(path, error.problem, error.position);
    throw error;
  }
}
