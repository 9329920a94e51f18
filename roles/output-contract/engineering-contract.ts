import { PlistReader, readDataForm } from "../../lisp/data-forms/index.ts";
import { OutputContractError, type ObjectContract } from "./output-contract.ts";
import { parseObject, parseSchema, withPath, type SchemaSource } from "./parse-schema.ts";

/** Version 1 of the contract that engineering roles share (facts B.6), in the native schema DSL. */
const engineeringSchema = `
(:type :object
 :properties
 (("schemaVersion" (:type :integer :enum (1)))
  ("baseline" (:type :object
               :properties (("kind" (:type :string :enum ("git" "snapshot" "unknown")))
                            ("workspace" (:type :string))
                            ("revision" (:type :string)))
               :required ("kind" "workspace" "revision")
               :additional-properties nil))
  ("change" (:type :object
             :properties (("kind" (:type :string :enum ("patch" "commit-range" "change-set" "none")))
                          ("reference" (:type :string)))
             :required ("kind" "reference")
             :additional-properties nil))
  ("paths" (:type :array :items (:type :string) :max-items 512))
  ("symbols" (:type :array :items (:type :string) :max-items 512))
  ("checks" (:type :array
             :items (:type :object
                     :properties (("command" (:type :string))
                                  ("status" (:type :string :enum ("passed" "failed" "skipped" "not-run")))
                                  ("summary" (:type :string))
                                  ("evidence" (:type :array :items (:type :string) :max-items 128)))
                     :required ("command" "status" "summary")
                     :additional-properties nil)
             :max-items 128))
  ("evidence" (:type :array :items (:type :string) :max-items 128))
  ("issues" (:type :array :items (:type :string) :max-items 64))
  ("integrationNotes" (:type :string)))
 :required ("schemaVersion" "baseline" "change" "paths" "checks" "evidence" "issues" "integrationNotes")
 :additional-properties nil)`;

const limits = { maxBytes: 8192, maxDepth: 16, maxNodes: 1024, maxStringCharacters: 256 };

/** The common engineering contract, version 1: closed, `symbols` optional. */
export const engineeringContract: ObjectContract = parseSchema(
  { form: readDataForm(engineeringSchema, { limits }) },
  "$",
) as ObjectContract;

/**
 * The common contract with a role's own properties: `(:type :engineering :properties … :required … :additional-properties …)`.
 * @throws OutputContractError when a common property is declared again, or a required name is not among the extension's own.
 */
export function extendEngineeringContract(extension: PlistReader, source: SchemaSource): ObjectContract {
  const own = withPath("$", () => parseObject(extension, source, "$"));
  for (const { name } of own.properties) {
    if (!engineeringContract.properties.some((property) => property.name === name)) continue;
    const problem = `:properties must not declare ${JSON.stringify(name)} again: it belongs to the engineering contract`;
    throw new OutputContractError("$", problem, extension.valuePosition("properties"));
  }
  return {
    type: "object",
    properties: [...engineeringContract.properties, ...own.properties],
    required: [...engineeringContract.required, ...own.required],
    additionalProperties: extension.has("additional-properties") && own.additionalProperties,
  };
}
