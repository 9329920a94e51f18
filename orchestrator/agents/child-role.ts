/** A role as an agent run needs it: already resolved against the registry, the models and the caller's policy. */
import type { DataForm } from "../../lisp/data-forms/index.ts";
import type { RoleSource } from "../../roles/index.ts";
import type { ReasoningEffort } from "../contract/model.ts";
import type { ContractCheck } from "./yield.ts";

export type ChildRole = {
  readonly name: string;
  readonly instructions: string;
  /** May the role use this tool (`namespace.name`)? */
  grants(tool: string): boolean;
  /** Does it not grant the tool for want of it in an agent above? Absent: for none. */
  withholds?(tool: string): boolean;
  /** Roles it may start; every role, or none when empty. */
  readonly spawns: "all" | readonly string[];
  readonly effort: ReasoningEffort;
  readonly contract: { readonly check: ContractCheck; readonly jsonSchema: string } | undefined;
};

/** A role that can be run, with what admission decides by. */
export type RunnableRole = ChildRole & {
  /** Model ids and aliases in order of preference; empty means the parent's. */
  readonly models: readonly string[];
  readonly alwaysBlocking: boolean;
  readonly source: RoleSource;
  /** The definition as a data form, kept in the result record. */
  readonly definition: DataForm;
};

/** The role as a child of these has it: with the tools that each of them grants as well. `tools` are the names of all tools there are. */
export function boundedRole(
  role: RunnableRole,
  ancestors: readonly RunnableRole[],
  tools: readonly string[],
): RunnableRole {
  const granted = (tool: string): boolean => ancestors.every((ancestor) => ancestor.grants(tool));
  if (tools.every((tool) => granted(tool) || !role.grants(tool))) return role;
  return {
    ...role,
    grants: (tool) => role.grants(tool) && granted(tool),
    withholds: (tool) => role.grants(tool) && !granted(tool),
  };
}
