import type { RoleSource } from "./role.ts";

/** What a {@link RoleDefinitionError} is about. */
export interface RoleDefinitionFault {
  readonly source: RoleSource;
  /** The name the definition claims: its file's basename in lower case. */
  readonly definitionName: string;
  readonly path: string | undefined;
  /** 1-based, when the place in the file is known. */
  readonly line: number | undefined;
  /** The key concerned, such as `:tools`, when it is known. */
  readonly field: string | undefined;
  /** What was expected and what came. */
  readonly problem: string;
}

/** A role's definition is malformed, or cannot be used here. Its message names origin, role, path, line, field and cause. */
export class RoleDefinitionError extends Error {
  override readonly name = "RoleDefinitionError";
  readonly code = "task-agent-definition-error";
  readonly source: RoleSource;
  readonly definitionName: string;
  readonly path: string | undefined;
  readonly line: number | undefined;
  readonly field: string | undefined;
  readonly problem: string;

  constructor(fault: RoleDefinitionFault, options?: ErrorOptions) {
    super(reportFault(fault), options);
    this.source = fault.source;
    this.definitionName = fault.definitionName;
    this.path = fault.path;
    this.line = fault.line;
    this.field = fault.field;
    this.problem = fault.problem;
  }
}

/** Names origin, role, path, line, field and cause, in that order. */
export function reportFault(fault: RoleDefinitionFault): string {
  const place = [
    fault.path === undefined ? undefined : `in ${fault.path}`,
    fault.line === undefined ? undefined : `line ${fault.line}`,
    fault.field === undefined ? undefined : `field ${fault.field}`,
  ].filter((part) => part !== undefined);
  const where = place.length === 0 ? "" : ` ${place.join(", ")}`;
  return `${fault.source} role "${fault.definitionName}"${where}: ${fault.problem}`;
}
