/** `EXECUTABLE.sexp`: what a skill with code declares of it (manual, executable skills; facts G). Data only: nothing of it is evaluated. */
import {
  type DataForm,
  DataFormError,
  PlistReader,
  keyword,
  listElements,
  readLocatedDataForm,
} from "../../lisp/data-forms/index.ts";
import {
  type OutputContract,
  OutputContractError,
  type SchemaSource,
  parseOutputContract,
} from "../../roles/output-contract/index.ts";
import { AutolithError } from "../contract/failure.ts";

/** Bounds of a manifest. */
export const manifestLimits = {
  fileBytes: 32_768,
  depth: 48,
  nodes: 4_096,
  nameCharacters: 256,
  capabilities: 128,
  dependencies: 128,
  /** As many host tools as one evaluation may have. */
  tools: 32,
  /** The file that defines its system, which is read to know it again. */
  systemBytes: 1_048_576,
} as const;

/** The name of a function of the skill's system; case counts. */
export type FunctionName = { readonly package: string; readonly symbol: string };

export const skillOperations = ["invoke", "self-test", "verify"] as const;
/** `invoke` calls the entry point; the others are the functions that try the skill. */
export type SkillOperation = (typeof skillOperations)[number];

export type ExecutableManifest = {
  readonly skillVersion: string;
  readonly system: string;
  readonly systemVersion: string;
  readonly functions: Readonly<Record<SkillOperation, FunctionName | undefined>>;
  /** Systems that must be there in at least that version. */
  readonly dependencies: readonly { readonly system: string; readonly version: string }[];
  /** Declarations for whoever approves: they grant nothing. */
  readonly capabilities: readonly string[];
  /** Exact names of the host tools that its code may call. */
  readonly tools: readonly string[];
  readonly input: OutputContract;
  readonly output: OutputContract;
};

/** A file that is no manifest: names the file, what is expected and what came. Code `invalid-skill-executable`. */
export class ManifestError extends AutolithError {
  constructor(path: string, problem: string, options: { readonly cause?: unknown } = {}) {
    super("invalid-skill-executable", `${path} declares no executable skill: ${problem}`, options);
  }
}

const keys = [
  "format-version",
  "skill-version",
  "system",
  "system-version",
  "entrypoint",
  "self-test",
  "verify",
  "dependencies",
  "capabilities",
  "tools",
  "input",
  "output",
];
const versionPattern = /^\d+(?:\.\d+)*$/;

/** Reads a manifest. Throws {@link ManifestError}. */
export function readManifest(bytes: Uint8Array, path: string): ExecutableManifest {
  try {
    const { form, locations } = readLocatedDataForm(bytes, {
      limits: {
        maxBytes: manifestLimits.fileBytes,
        maxDepth: manifestLimits.depth,
        maxNodes: manifestLimits.nodes,
        maxStringCharacters: manifestLimits.fileBytes,
      },
    });
    const elements = listElements(form) ?? [];
    if (elements[0] !== keyword("skill-executable"))
      throw new ManifestError(path, "its form begins with :skill-executable");
    const reader = new PlistReader(elements, 1, { what: "the manifest", keys, locations });
    return manifestOf(reader, (source) => parseOutputContract({ ...source, locations }), path);
  } catch (error) {
    if (error instanceof DataFormError || error instanceof OutputContractError)
      throw new ManifestError(path, error.message, { cause: error });
    throw error;
  }
}

function manifestOf(
  reader: PlistReader,
  contract: (source: SchemaSource) => OutputContract,
  path: string,
): ExecutableManifest {
  const refuse = (problem: string): never => {
    throw new ManifestError(path, problem);
  };
  const name = (key: string): string =>
    isName(reader.string(key)) ? reader.string(key) : refuse(`:${key} must be ${nameRule}`);
  const version = (key: string): string =>
    versionPattern.test(reader.string(key)) ? name(key) : refuse(`:${key} must be numbers with dots`);
  const names = (key: string, most: number): readonly string[] =>
    reader.has(key) ? (uniqueNames(reader.list(key), most) ?? refuse(namesProblem(key, most))) : [];
  const functionOf = (key: string): FunctionName =>
    functionName(reader.requiredForm(key)) ??
    refuse(`:${key} must be a list of the names of a package and of a function, both strings`);
  reader.integer("format-version", { minimum: 1, maximum: 1 });
  return {
    skillVersion: name("skill-version"),
    system: name("system"),
    systemVersion: version("system-version"),
    functions: {
      invoke: functionOf("entrypoint"),
      "self-test": reader.has("self-test") ? functionOf("self-test") : undefined,
      verify: reader.has("verify") ? functionOf("verify") : undefined,
    },
    dependencies: reader.has("dependencies")
      ? (dependenciesOf(reader.list("dependencies")) ??
        refuse(
          `:dependencies must be at most ${manifestLimits.dependencies} lists of a system, each once, and its least version`,
        ))
      : [],
    capabilities: names("capabilities", manifestLimits.capabilities),
    tools: names("tools", manifestLimits.tools),
    input: contract({ form: reader.requiredForm("input") }),
    output: contract({ form: reader.requiredForm("output") }),
  };
}

const nameRule = `a string of 1 to ${manifestLimits.nameCharacters} characters, none of them a control character`;

function isName(form: DataForm): form is string {
  return (
    typeof form === "string" &&
    form !== "" &&
    form.length <= manifestLimits.nameCharacters &&
    !/\p{Cc}/u.test(form)
  );
}

function namesProblem(key: string, most: number): string {
  return `:${key} must be a list of at most ${most} names, each once and each ${nameRule}`;
}

function uniqueNames(forms: readonly DataForm[], most: number): readonly string[] | undefined {
  const names = forms.filter(isName);
  return names.length === forms.length && names.length <= most && new Set(names).size === names.length
    ? names
    : undefined;
}

function functionName(form: DataForm): FunctionName | undefined {
  const [packageName, symbol, ...rest] = listElements(form) ?? [];
  if (packageName === undefined || symbol === undefined || rest.length > 0) return undefined;
  return isName(packageName) && isName(symbol) ? { package: packageName, symbol } : undefined;
}

function dependenciesOf(forms: readonly DataForm[]): ExecutableManifest["dependencies"] | undefined {
  const pairs = forms.flatMap((form) => {
    const pair = functionName(form);
    return pair !== undefined && versionPattern.test(pair.symbol)
      ? [{ system: pair.package, version: pair.symbol }]
      : [];
  });
  const isWhole = pairs.length === forms.length && pairs.length <= manifestLimits.dependencies;
  return isWhole && new Set(pairs.map(({ system }) => system)).size === pairs.length ? pairs : undefined;
}
