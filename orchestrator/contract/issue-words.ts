/** What a validator found, in our words: the place, what was expected and what came. Pure. */
import type { z } from "zod";

type Issue = z.core.$ZodIssue;

const typeWords: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
  null: "null",
};

/** Most issues that are told. */
const toldIssues = 4;

/** `description: expected a string; nothing came`, for every issue; more than some are counted. `value`: what was checked. */
export function issuesText({ issues }: { readonly issues: readonly Issue[] }, value: unknown): string {
  const told = [...new Set(issues.map((issue) => issueText(issue, value)))];
  const more = told.length - toldIssues;
  return [...told.slice(0, toldIssues), ...(more > 0 ? [`${more} more problems`] : [])].join("; ");
}

/** One issue. Values are not repeated: they may be long or private. */
export function issueText(issue: Issue, value: unknown): string {
  const place = issue.path.map(String).join(".");
  const where = place === "" ? "" : `${place}: `;
  if (issue.code === "unrecognized_keys")
    return `${where}there is no ${issue.keys.map(quoted).join(", ")} here`;
  if (issue.code === "custom") return `${where}${issue.message}`;
  return `${where}expected ${expectedOf(issue)}; ${cameAt(issue.path, value)}`;
}

const quoted = (name: string): string => JSON.stringify(name.slice(0, 80));

function expectedOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return typeWords[issue.expected] ?? issue.expected;
    case "invalid_value":
      return `${issue.values.length === 1 ? "" : "one of "}${issue.values.map((each) => JSON.stringify(each)).join(", ")}`;
    case "too_big":
      return `${sized(issue.origin)}at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "too_small":
      return `${sized(issue.origin)}at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "invalid_format":
      return `a string of the form ${issue.pattern ?? issue.format}`;
    case "not_multiple_of":
      return `a multiple of ${issue.divisor}`;
    case "invalid_union": {
      const branches = issue.errors.flatMap((errors) => errors.filter(({ path }) => path.length === 0));
      const words = [...new Set(branches.map(expectedOf))];
      return words.length === 0 ? "another shape" : words.join(" or ");
    }
    default:
      return "another value";
  }
}

const sized = (origin: string): string => (origin === "number" || origin === "int" ? "a number of " : "");

function unitOf(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" || origin === "set" ? " elements" : "";
}

function cameAt(path: readonly PropertyKey[], value: unknown): string {
  const came = path.reduce<unknown>(
    (within, step) =>
      typeof within === "object" && within !== null
        ? (within as Record<PropertyKey, unknown>)[step]
        : undefined,
    value,
  );
  if (came === undefined) return "nothing came";
  if (came === null) return "null came";
  if (typeof came === "string") return `a string of ${came.length} characters came`;
  if (Array.isArray(came)) return `an array of ${came.length} came`;
  if (typeof came === "number" || typeof came === "boolean") return `${came} came`;
  return typeof came === "object" ? "an object came" : `a ${typeof came} came`;
}
