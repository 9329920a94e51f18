import type { DataForm, TextPosition } from "../../lisp/data-forms/index.ts";

/** Types whose values are atoms. */
export const scalarTypes = ["string", "number", "integer", "boolean", "null"] as const;
export type ScalarType = (typeof scalarTypes)[number];

/** A member an object may have. */
export interface PropertyContract {
  readonly name: string;
  readonly contract: OutputContract;
}

export interface ObjectContract {
  readonly type: "object";
  /** In the order written; names are unique. */
  readonly properties: readonly PropertyContract[];
  /** Names of properties that must be there; each is declared. */
  readonly required: readonly string[];
  /** May members beyond the declared ones occur? */
  readonly additionalProperties: boolean;
}

export interface ArrayContract {
  readonly type: "array";
  readonly items: OutputContract;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
}

export interface ScalarContract {
  readonly type: ScalarType;
  /** The only values allowed: portable scalar forms, not empty. */
  readonly values?: readonly DataForm[] | undefined;
}

/** A schema that lists its values and names no type. */
export interface EnumContract {
  readonly type: "enum";
  readonly values: readonly DataForm[];
}

/** What a child's structured output must look like: the parsed form of the native schema DSL (facts B.4). */
export type OutputContract = ObjectContract | ArrayContract | ScalarContract | EnumContract;

/** A schema was refused. `path` names the part (`$.answer[]`); `position` its place when the text is known. */
export class OutputContractError extends Error {
  override readonly name = "OutputContractError";
  readonly code = "invalid-contract";
  readonly path: string;
  readonly problem: string;
  readonly position: TextPosition | undefined;

  constructor(path: string, problem: string, position: TextPosition | undefined) {
    const place = position === undefined ? "" : `line ${position.line}, column ${position.column}: `;
    super(`${place}output contract at ${path}: ${problem}`);
    this.path = path;
    this.problem = problem;
    this.position = position;
  }
}
