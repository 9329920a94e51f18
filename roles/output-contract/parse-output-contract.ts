import {
  keyword,
  listElements,
  readLocatedDataForm,
  type DataInput,
  type ReadOptions,
} from "../../lisp/data-forms/index.ts";
import { engineeringContract, extendEngineeringContract } from "./engineering-contract.ts";
import type { OutputContract } from "./output-contract.ts";
import { parseSchema, readSchema, withPath, type SchemaSource } from "./parse-schema.ts";

const engineering = keyword("engineering");
const typeKey = keyword("type");
const engineeringKeys = ["type", "properties", "required", "additional-properties"];

/**
 * Reads an output contract: a schema of the native DSL, `:engineering`, or `(:type :engineering …)`.
 * @throws OutputContractError with the path of the part and, when `source` has locations, its place.
 */
export function parseOutputContract(source: SchemaSource): OutputContract {
  if (source.form === engineering) return engineeringContract;
  if (!extendsEngineering(source)) return parseSchema(source, "$");
  return withPath("$", () => extendEngineeringContract(readSchema(source, engineeringKeys), source));
}

/** As {@link parseOutputContract}, from text. @throws DataFormError when the text is not one data form. */
export function readOutputContract(text: DataInput, options: ReadOptions): OutputContract {
  const { form, locations } = readLocatedDataForm(text, options);
  return parseOutputContract({ form, locations });
}

function extendsEngineering({ form }: SchemaSource): boolean {
  const list = listElements(form) ?? [];
  return list.some(
    (element, index) => index % 2 === 0 && element === typeKey && list[index + 1] === engineering,
  );
}
