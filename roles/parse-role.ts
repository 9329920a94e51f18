import {
  DataFormError,
  PlistReader,
  codePointCount,
  describeForm,
  keyword,
  readLocatedDataForm,
  type DataForm,
  type LocatedForm,
  type ReadOptions,
} from "../lisp/data-forms/index.ts";
import { OutputContractError, parseOutputContract, type OutputContract } from "./output-contract/index.ts";
import { isModelAlias, modelAliases } from "./role-models.ts";
import { RoleDefinitionError } from "./role-definition-error.ts";
import {
  isRoleName,
  maxRoleNameCharacters,
  reasoningEfforts,
  type ReasoningEffort,
  type Role,
  type RoleSource,
  type SpawnPolicy,
} from "./role.ts";
import { grantProblem, type ToolGrant } from "./tool-grant.ts";

/** Bounds of a role file (facts B.1). */
export const roleLimits = {
  maxBytes: 131_072,
  maxDepth: 128,
  maxNodes: 8192,
  maxStringCharacters: 32_768,
} as const;

const fields = [
  ...["name", "description", "instructions", "tools", "spawns", "models", "reasoning-effort", "output"],
  "blocking-p",
];
const schemaWords = [
  ...["type", "enum", "properties", "required", "additional-properties", "items", "min-items", "max-items"],
  ...["object", "array", "string", "number", "integer", "boolean", "null", "engineering"],
];
const vocabulary = new Set(
  [...fields, ...schemaWords, ...reasoningEfforts, "auto", "all"].map((word) => word.toUpperCase()),
);
const reading: ReadOptions = { limits: roleLimits, keywords: vocabulary, blockComments: true };

const all = keyword("all");

/** What is known of a definition before it is read. */
export interface RoleOrigin {
  readonly source: RoleSource;
  readonly path: string | undefined;
  /** The name its file claims, in lower case; the definition must agree. */
  readonly claimedName: string;
}

/** Reads a role's definition. @throws RoleDefinitionError with path, line and field for everything that is wrong in it. */
export function parseRole(text: Uint8Array | string, origin: RoleOrigin): Role {
  try {
    return readRole(text, origin, reading);
  } catch (error) {
    if (isStrayKeyword(error)) readRole(text, origin, { limits: roleLimits, blockComments: true });
    throw error;
  }
}

/** The first reading met a keyword that no role file has. What belongs in its place only the reader of its field knows. */
function isStrayKeyword(error: unknown): boolean {
  return (
    error instanceof RoleDefinitionError &&
    error.cause instanceof DataFormError &&
    error.cause.code === "unknown-field"
  );
}

function readRole(text: Uint8Array | string, origin: RoleOrigin, options: ReadOptions): Role {
  try {
    return buildRole(readLocatedDataForm(text, options), origin);
  } catch (error) {
    if (error instanceof DataFormError) throw definitionError(origin, error, error.key);
    if (error instanceof OutputContractError) throw definitionError(origin, error, ":output");
    throw error;
  }
}

function definitionError(
  origin: RoleOrigin,
  cause: DataFormError | OutputContractError,
  field: string | undefined,
): RoleDefinitionError {
  const problem = cause instanceof OutputContractError ? `at ${cause.path}: ${cause.problem}` : cause.problem;
  const { source, path, claimedName: definitionName } = origin;
  return new RoleDefinitionError(
    { source, path, definitionName, line: cause.position?.line, field, problem },
    { cause },
  );
}

function buildRole(located: LocatedForm, origin: RoleOrigin): Role {
  const { form, locations } = located;
  const definition = PlistReader.of(form, { what: "a role definition", keys: fields, locations });
  return {
    name: readName(definition, origin),
    description: trimmedText(definition, "description", 512),
    instructions: trimmedText(definition, "instructions", 32_768),
    tools: readTools(definition),
    spawns: readSpawns(definition),
    models: readModels(definition),
    reasoningEffort: readEffort(definition),
    output: readOutput(definition, located),
    blocking: definition.has("blocking-p") && definition.boolean("blocking-p"),
    source: origin.source,
    path: origin.path,
    lines: {
      spawns: definition.valuePosition("spawns")?.line,
      models: definition.valuePosition("models")?.line,
    },
  };
}

/** A string whose bounds hold for what is left between leading and trailing blanks. */
function trimmedText(definition: PlistReader, key: string, maxCharacters: number): string {
  const text = definition.string(key, { minCharacters: 1 }).trim();
  const characters = codePointCount(text);
  if (characters <= maxCharacters) return text;
  throw definition.invalidValue(key, `must have at most ${maxCharacters} characters, got ${characters}`);
}

function readName(definition: PlistReader, origin: RoleOrigin): string {
  const name = definition.string("name");
  if (!isRoleName(name)) {
    const rule = `must be an ASCII letter followed by letters, digits and hyphens, ${maxRoleNameCharacters} at most`;
    throw definition.invalidValue("name", `${rule}, got ${JSON.stringify(name.slice(0, 80))}`);
  }
  const folded = name.toLowerCase();
  if (folded === origin.claimedName) return folded;
  throw definition.invalidValue(
    "name",
    `must be "${origin.claimedName}" as the file is called, got "${folded}"`,
  );
}

function readTools(definition: PlistReader): ToolGrant {
  const form = definition.form("tools");
  if (form === undefined || form === false) return { kind: "none" };
  if (form === all) return { kind: "all" };
  const patterns = uniqueStrings(definition, "tools", "tool names");
  for (const candidate of patterns) {
    const problem = grantProblem(candidate);
    if (problem !== undefined) throw definition.invalidValue("tools", problem);
  }
  return { kind: "patterns", patterns };
}

function readSpawns(definition: PlistReader): SpawnPolicy {
  const form = definition.form("spawns");
  if (form === undefined || form === false) return { kind: "none" };
  if (form === all) return { kind: "all" };
  const names = uniqueStrings(definition, "spawns", "role names").map((name) => name.toLowerCase());
  const wrong = names.find((name) => !isRoleName(name));
  if (wrong === undefined) return { kind: "roles", names };
  throw definition.invalidValue("spawns", `must hold role names, got ${JSON.stringify(wrong.slice(0, 80))}`);
}

function readModels(definition: PlistReader): string[] {
  if (!definition.has("models")) return [];
  const models = uniqueStrings(definition, "models", "model ids or aliases");
  if (models.length === 0)
    throw definition.invalidValue("models", "must name at least one model or be left out");
  const stray = models.find((model) => model.startsWith("@") && !isModelAlias(model));
  if (stray === undefined) return models;
  const rule = `must hold model ids or the aliases ${modelAliases.join(", ")}`;
  throw definition.invalidValue("models", `${rule}, got ${JSON.stringify(stray)}`);
}

/** A list of different non-empty strings of at most 256 characters. */
function uniqueStrings(definition: PlistReader, key: string, what: string): string[] {
  const strings: string[] = [];
  for (const element of definition.list(key)) {
    const text = nonEmptyString(element);
    if (text === undefined) {
      throw definition.invalidValue(
        key,
        `must be a list of ${what} (non-empty strings), got ${describeForm(element)}`,
      );
    }
    if (text.length > 256) {
      throw definition.invalidValue(key, `must hold strings of at most 256 characters, got ${text.length}`);
    }
    if (strings.includes(text)) throw definition.invalidValue(key, `names ${JSON.stringify(text)} twice`);
    strings.push(text);
  }
  return strings;
}

function nonEmptyString(form: DataForm): string | undefined {
  return typeof form === "string" && form.trim() !== "" ? form : undefined;
}

function readEffort(definition: PlistReader): ReasoningEffort {
  if (!definition.has("reasoning-effort")) return "medium";
  const effort = definition.keyword("reasoning-effort", [...reasoningEfforts, "auto"]);
  return effort === "auto" ? "medium" : effort;
}

function readOutput(definition: PlistReader, located: LocatedForm): OutputContract | undefined {
  const form = definition.form("output");
  if (form === undefined) return undefined;
  return parseOutputContract({
    form,
    locations: located.locations,
    position: definition.valuePosition("output"),
  });
}
