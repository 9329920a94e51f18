export { engineeringContract } from "./engineering-contract.ts";
export { contractJsonSchema, type JsonSchema } from "./json-schema.ts";
export {
  OutputContractError,
  type ArrayContract,
  type EnumContract,
  type ObjectContract,
  type OutputContract,
  type PropertyContract,
  type ScalarContract,
  type ScalarType,
} from "./output-contract.ts";
export { parseOutputContract, readOutputContract } from "./parse-output-contract.ts";
export type { SchemaSource } from "./parse-schema.ts";
export {
  describeViolations,
  maxViolations,
  validateOutput,
  type ContractViolation,
} from "./validate-output.ts";
