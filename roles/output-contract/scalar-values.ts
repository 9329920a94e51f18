import {
  DataFloat,
  describeForm,
  formsEqual,
  isInteger,
  nullKeyword,
  printDataForm,
  type DataForm,
} from "../../lisp/data-forms/index.ts";
import { scalarTypes, type ScalarType } from "./output-contract.ts";

/** Does a portable form belong to a scalar type? 3.0 is a number and no integer. */
export function isOfType(form: DataForm, type: ScalarType): boolean {
  switch (type) {
    case "string":
      return typeof form === "string";
    case "integer":
      return isInteger(form);
    case "number":
      return isInteger(form) || form instanceof DataFloat;
    case "boolean":
      return typeof form === "boolean" || (Array.isArray(form) && form.length === 0);
    case "null":
      return form === nullKeyword;
    default:
      return type satisfies never;
  }
}

/** Is the form a scalar that a schema may list? */
export function isScalar(form: DataForm): boolean {
  return scalarTypes.some((type) => isOfType(form, type));
}

/** Equality of scalars; numbers compare by value, whatever their type. */
export function scalarsEqual(left: DataForm, right: DataForm): boolean {
  if (isOfType(left, "number") && isOfType(right, "number")) return sameNumber(left, right);
  return formsEqual(left, right);
}

/** A single float agrees with every number that a single float can only write so: 0.1f0 with JSON's 0.1. */
function sameNumber(left: DataForm, right: DataForm): boolean {
  const [leftValue, rightValue] = [numericValue(left), numericValue(right)];
  const [leftSingle, rightSingle] = [isSingle(left), isSingle(right)];
  if (leftSingle !== rightSingle) return Math.fround(Number(leftValue)) === Math.fround(Number(rightValue));
  // `==` compares a bigint with a number exactly, which `===` refuses to.
  // oxlint-disable-next-line eslint/eqeqeq
  return leftValue == rightValue;
}

function isSingle(form: DataForm): boolean {
  return form instanceof DataFloat && form.format === "single";
}

function numericValue(form: DataForm): number | bigint {
  return form instanceof DataFloat ? form.value : (form as number | bigint);
}

/** A scalar as the model knows it, in JSON terms and at most 60 characters, or what it is instead. */
export function showScalar(form: DataForm): string {
  if (form === true) return "true";
  if (form === false) return "false";
  if (form === nullKeyword) return "null";
  if (!isScalar(form)) return describeForm(form);
  const text = typeof form === "string" ? JSON.stringify(form) : printDataForm(form);
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
