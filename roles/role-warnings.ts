import { type RoleDefinitionFault, reportFault } from "./role-definition-error.ts";
import type { RoleCatalog } from "./role-catalog.ts";
import { isModelAlias } from "./role-models.ts";
import type { Role } from "./role.ts";

/** Something in a role's file that has no effect as it is written. The role can be used without it. */
export interface RoleWarning extends RoleDefinitionFault {
  /** Origin, role, path, line, field and cause, in that order. */
  readonly message: string;
}

/**
 * What the effective roles name and nobody knows: roles to start that no file claims, and model ids that no provider serves
 * (`isKnownModel`; credentials do not matter).
 */
export function roleWarnings(
  catalog: RoleCatalog,
  isKnownModel: (id: string) => boolean,
): readonly RoleWarning[] {
  return catalog.roles.flatMap((role) => [
    ...unknownSpawns(role, catalog),
    ...unknownModels(role, isKnownModel),
  ]);
}

function unknownSpawns(role: Role, catalog: RoleCatalog): RoleWarning[] {
  if (role.spawns.kind !== "roles") return [];
  const unknown = role.spawns.names.filter((name) => catalog.lookup(name) === undefined);
  const rest = "so no such child can be started; correct the name or add its file";
  return unknown.length === 0
    ? []
    : [warning(role, "spawns", `no role is called ${quoted(unknown)}, ${rest}`)];
}

function unknownModels(role: Role, isKnownModel: (id: string) => boolean): RoleWarning[] {
  const unknown = role.models.filter((id) => !isModelAlias(id) && !isKnownModel(id));
  const rest = "it is passed over for the next in the list, at last for the parent's model";
  return unknown.length === 0 ? [] : [warning(role, "models", `no provider has ${quoted(unknown)}: ${rest}`)];
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(" or ");
}

function warning(role: Role, field: "spawns" | "models", problem: string): RoleWarning {
  const { source, path, name: definitionName } = role;
  const fault = { source, definitionName, path, line: role.lines?.[field], field: `:${field}`, problem };
  return { ...fault, message: reportFault(fault) };
}
