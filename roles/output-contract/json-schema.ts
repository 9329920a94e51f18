import { formToJson, type JsonValue } from "../../lisp/data-forms/index.ts";
import type { OutputContract } from "./output-contract.ts";

/** A JSON Schema document, in the few words that contracts need. */
export type JsonSchema = { readonly [key: string]: JsonValue };

/** The JSON Schema that models see for a contract; it accepts what the contract accepts, `3.0` for an integer aside. */
export function contractJsonSchema(contract: OutputContract): JsonSchema {
  switch (contract.type) {
    case "object":
      return {
        type: "object",
        properties: Object.fromEntries(
          contract.properties.map(({ name, contract: member }) => [name, contractJsonSchema(member)]),
        ),
        ...(contract.required.length === 0 ? {} : { required: contract.required }),
        additionalProperties: contract.additionalProperties,
      };
    case "array":
      return {
        type: "array",
        items: contractJsonSchema(contract.items),
        ...(contract.minItems === undefined ? {} : { minItems: contract.minItems }),
        ...(contract.maxItems === undefined ? {} : { maxItems: contract.maxItems }),
      };
    case "enum":
      return { enum: contract.values.map(formToJson) };
    default:
      return {
        type: contract.type,
        ...(contract.values === undefined ? {} : { enum: contract.values.map(formToJson) }),
      };
  }
}
