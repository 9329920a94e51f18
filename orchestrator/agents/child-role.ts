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
