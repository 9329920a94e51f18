import {
  type DataForm,
  jsonToForm,
  keyword,
  printDataForm,
  type JsonValue,
} from "../../lisp/data-forms/index.ts";
import type { Counters } from "./plist-document.ts";
import type { ResultRecord } from "./execution-records.ts";

/** Most characters of each field that are kept in memory after a child has ended (facts C.6). */
export const retainedCharacters = {
  assignment: 1000,
  output: 2000,
  error: 2000,
  structuredOutput: 2000,
  usage: 1000,
} as const;

/** What stands in memory for a value that is too large to keep: the whole is in the result's artifact. */
export interface InArtifact {
  readonly descriptor: "in-artifact";
  readonly field: string;
  /** Of the whole text, or of the printed form of structured data. */
  readonly characters: number;
  /** The beginning of a text; structured data has none. */
  readonly preview?: string;
}

/** The part of a result that stays in memory. */
export interface RetainedSummary extends Omit<
  ResultRecord,
  "assignment" | "output" | "error" | "structuredOutput" | "usage" | "agentDefinition"
> {
  readonly assignment: string | InArtifact;
  readonly output: string | InArtifact;
  readonly error?: string | InArtifact;
  readonly structuredOutput?: JsonValue | InArtifact;
  readonly usage: Counters | InArtifact;
}

/** The bounded summary of a result. */
export function retainedSummary(result: ResultRecord): RetainedSummary {
  const { assignment, output, error, structuredOutput, usage, agentDefinition: _, ...rest } = result;
  return {
    ...rest,
    assignment: retainedText("assignment", assignment),
    output: retainedText("output", output),
    ...(error === undefined ? {} : { error: retainedText("error", error) }),
    ...(structuredOutput === undefined
      ? {}
      : { structuredOutput: retainedData("structured-output", structuredOutput, "structuredOutput") }),
    usage: retainedData("usage", usage, "usage"),
  };
}

/** The form of a descriptor: `(:in-artifact :field F :characters N [:preview S])`. */
export function descriptorForm(descriptor: InArtifact): DataForm {
  return [
    keyword("in-artifact"),
    ...[keyword("field"), keyword(descriptor.field)],
    ...[keyword("characters"), descriptor.characters],
    ...(descriptor.preview === undefined ? [] : [keyword("preview"), descriptor.preview]),
  ];
}

const previewCharacters = 200;

function retainedText(field: "assignment" | "output" | "error", text: string): string | InArtifact {
  if (text.length <= retainedCharacters[field]) return text;
  const preview = text.slice(0, previewCharacters).replace(/[\uD800-\uDBFF]$/, "");
  return { descriptor: "in-artifact", field, characters: text.length, preview };
}

function retainedData<V extends JsonValue>(
  field: string,
  value: V,
  bound: "structuredOutput" | "usage",
): V | InArtifact {
  const characters = printDataForm(jsonToForm(value)).length;
  return characters <= retainedCharacters[bound] ? value : { descriptor: "in-artifact", field, characters };
}
