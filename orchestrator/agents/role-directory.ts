/** Roles from files as agents run them, and as `task.agents` lists them. */
import { type DataForm, recordLimits } from "../../lisp/data-forms/index.ts";
import {
  type Role,
  RoleDefinitionError,
  type RoleCatalog,
  type RoleDefinitionFault,
  type RoleWarning,
  checkToolGrants,
  grantsTool,
  maySpawn,
} from "../../roles/index.ts";
import {
  type OutputContract,
  contractJsonSchema,
  describeViolations,
  readOutputContract,
  validateOutput,
} from "../../roles/output-contract/index.ts";
import { AutolithError } from "../contract/failure.ts";
import { preview, properties, word } from "../tasks/report-form.ts";
import type { RoleDirectory } from "./child-service.ts";
import type { ChildRole, RunnableRole } from "./child-role.ts";

/** An output contract as text: read again when the run starts. Bounds are those of a run-job input. */
export function contractOf(text: string): OutputContract {
  return readOutputContract(text, {
    limits: { ...recordLimits, maxNodes: 65_536, maxStringCharacters: 524_288 },
  });
}

/** A directory over the roles in effect. `childTools` are the names of the tools registered for children. */
export function roleDirectory(
  catalog: () => RoleCatalog,
  childTools: () => readonly string[],
): RoleDirectory {
  return {
    find: (name) => Promise.resolve(findRole(catalog(), name, childTools())),
    withContract: (role, contract) => ({ ...role, contract: childContract(contractOf(contract)) }),
  };
}

/** The role in effect under the name. Throws `unknown-role`, or the fault of the malformed file that claims it. */
export function lookupRole(catalog: RoleCatalog, name: string): Role {
  const found = catalog.lookup(name);
  if (found === undefined)
    throw new AutolithError(
      "unknown-role",
      `There is no role ${JSON.stringify(name)}. Roles: ${catalog.roles.map((role) => role.name).join(", ")}.`,
    );
  if (found instanceof RoleDefinitionError) throw found;
  return found;
}

function findRole(catalog: RoleCatalog, name: string, childTools: readonly string[]): RunnableRole {
  const found = lookupRole(catalog, name);
  const fault = checkToolGrants(found, childTools);
  if (fault !== undefined) throw fault;
  const known = runnables.get(found) ?? runnable(found);
  runnables.set(found, known);
  return known;
}

/** A role whose file has not changed is the same one, with what others keep by it. */
const runnables = new WeakMap<Role, RunnableRole>();

function runnable(role: Role): RunnableRole {
  return {
    name: role.name,
    instructions: role.instructions,
    grants: (tool) => grantsTool(role.tools, tool),
    spawns: role.spawns.kind === "all" ? "all" : role.spawns.kind === "none" ? [] : role.spawns.names,
    effort: role.reasoningEffort,
    contract: role.output === undefined ? undefined : childContract(role.output),
    models: role.models,
    alwaysBlocking: role.blocking,
    source: role.source,
    definition: roleForm(role, Number.MAX_SAFE_INTEGER),
  };
}

function childContract(contract: OutputContract): NonNullable<ChildRole["contract"]> {
  return {
    jsonSchema: JSON.stringify(contractJsonSchema(contract)),
    check: (data) => {
      const violations = validateOutput(contract, data);
      return violations.length === 0 ? [] : [describeViolations(violations)];
    },
  };
}

/** Entries of `task.agents` for a caller whose own role is `callerRole` (the primary has none): agents it may start, then diagnostics. */
export function agentEntries(
  catalog: RoleCatalog,
  callerRole: string | undefined,
  warnings: readonly RoleWarning[],
): readonly ((previewLimit: number) => DataForm)[] {
  const caller = callerRole === undefined ? undefined : catalog.lookup(callerRole);
  const allowed = (role: Role): boolean =>
    caller === undefined || (!(caller instanceof RoleDefinitionError) && maySpawn(caller, role.name));
  return [
    ...catalog.roles.filter(allowed).map((role) => (limit: number) => roleForm(role, limit)),
    ...catalog.faults.map((fault) => (limit: number) => diagnosticForm(fault, "error", limit)),
    ...warnings.map((warning) => (limit: number) => diagnosticForm(warning, "warning", limit)),
  ];
}

function diagnosticForm(
  fault: RoleDefinitionFault & { readonly message: string },
  severity: "error" | "warning",
  limit: number,
): DataForm {
  return properties({
    kind: word("diagnostic"),
    severity: word(severity),
    name: fault.definitionName,
    source: word(fault.source),
    pathname: fault.path,
    line: fault.line,
    field: fault.field,
    report: preview(fault.message, limit),
  });
}

function roleForm(role: Role, limit: number): DataForm {
  return properties({
    kind: word("agent"),
    name: role.name,
    description: preview(role.description, limit),
    source: word(role.source),
    pathname: role.path,
    models: [...role.models],
    "reasoning-effort": word(role.reasoningEffort),
    tools: grantForm(role),
    spawns: spawnForm(role),
    "output-contract-p": role.output !== undefined,
    "blocking-p": role.blocking,
  });
}

function grantForm(role: Role): DataForm {
  if (role.tools.kind === "all") return word("all");
  return role.tools.kind === "none" ? false : [...role.tools.patterns];
}

function spawnForm(role: Role): DataForm {
  if (role.spawns.kind === "all") return word("all");
  return role.spawns.kind === "none" ? false : [...role.spawns.names];
}
