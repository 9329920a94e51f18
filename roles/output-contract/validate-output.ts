import {
  describeForm,
  listElements,
  portableArray,
  portableObject,
  type DataForm,
} from "../../lisp/data-forms/index.ts";
import type { ArrayContract, ObjectContract, OutputContract } from "./output-contract.ts";
import { isOfType, scalarsEqual, showScalar } from "./scalar-values.ts";

/** One way in which an output breaks its contract. */
export interface ContractViolation {
  /** The part concerned: `$.checks[2].status`. */
  readonly path: string;
  /** What was expected and what came. */
  readonly problem: string;
}

/** Violations reported at once. */
export const maxViolations = 8;

/**
 * Checks a portable form (facts B.5) against a contract. Returns at most {@link maxViolations} violations in the order of
 * the contract; none when the output is valid.
 * @throws DataFormError when the form is outside the portable mapping.
 */
export function validateOutput(contract: OutputContract, form: DataForm): readonly ContractViolation[] {
  const violations: ContractViolation[] = [];
  check(contract, form, "$", violations);
  return violations;
}

/** The violations as one text for the model, each on a line. */
export function describeViolations(violations: readonly ContractViolation[]): string {
  const lines = violations.map(({ path, problem }) => `${path}: ${problem}`);
  const bound = `Only the first ${maxViolations} problems are told.`;
  return [...lines, ...(lines.length < maxViolations ? [] : [bound])].join("\n");
}

function check(contract: OutputContract, form: DataForm, path: string, found: ContractViolation[]): void {
  if (found.length >= maxViolations) return;
  switch (contract.type) {
    case "object":
      return checkObject(contract, form, path, found);
    case "array":
      return checkArray(contract, form, path, found);
    case "enum":
      return checkValues(contract.values, form, path, found);
    default:
      if (!isOfType(form, contract.type)) {
        found.push({ path, problem: `must be ${articled(contract.type)}, got ${showValue(form)}` });
      } else if (contract.values !== undefined) {
        checkValues(contract.values, form, path, found);
      }
  }
}

function checkObject(
  contract: ObjectContract,
  form: DataForm,
  path: string,
  found: ContractViolation[],
): void {
  const members = portableObject(form, path);
  if (members === undefined) {
    found.push({ path, problem: `must be an object, got ${showValue(form)}` });
    return;
  }
  const declared = new Map(contract.properties.map(({ name, contract: member }) => [name, member]));
  for (const name of contract.required) {
    if (!members.has(name)) add(found, { path: `${path}.${name}`, problem: "is required and missing" });
  }
  for (const [name, member] of members) {
    const memberContract = declared.get(name);
    if (memberContract !== undefined) check(memberContract, member, `${path}.${name}`, found);
    else if (!contract.additionalProperties) {
      const names = [...declared.keys()].join(", ") || "none";
      add(found, { path: `${path}.${name}`, problem: `is not allowed; the properties are: ${names}` });
    }
  }
}

function checkArray(contract: ArrayContract, form: DataForm, path: string, found: ContractViolation[]): void {
  const elements = portableArray(form);
  if (elements === undefined) {
    found.push({ path, problem: `must be an array, got ${showValue(form)}` });
    return;
  }
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = contract;
  if (elements.length < minItems) {
    add(found, { path, problem: `must have at least ${minItems} items, got ${elements.length}` });
  }
  if (elements.length > maxItems) {
    add(found, { path, problem: `must have at most ${maxItems} items, got ${elements.length}` });
  }
  elements.forEach((element, index) => check(contract.items, element, `${path}[${index}]`, found));
}

function checkValues(
  values: readonly DataForm[],
  form: DataForm,
  path: string,
  found: ContractViolation[],
): void {
  if (values.some((value) => scalarsEqual(value, form))) return;
  const choices = values.map(showScalar).join(", ");
  add(found, {
    path,
    problem: `must be ${values.length === 1 ? "" : "one of "}${choices}, got ${showValue(form)}`,
  });
}

function add(found: ContractViolation[], violation: ContractViolation): void {
  if (found.length < maxViolations) found.push(violation);
}

function showValue(form: DataForm): string {
  if (portableArray(form) !== undefined) return "an array";
  if (Array.isArray(form) && form.length > 0)
    return portableObject(form) === undefined ? describeForm(form) : "an object";
  return listElements(form) === undefined || form === false ? showScalar(form) : "false";
}

function articled(type: string): string {
  if (type === "null") return "null";
  return type === "integer" ? "an integer" : `a ${type}`;
}
