/** Declarative advice: a rule is given while its conditions hold (manual, `register-context-rule`; facts J). */
import {
  type DataForm,
  DataFormError,
  Keyword,
  PlistReader,
  keyword,
  listElements,
} from "../../lisp/data-forms/index.ts";
import { AutolithError } from "../contract/failure.ts";
import { type Contribution, identifierCharacterLimit, instructionCharacterLimit } from "./contribution.ts";
import type { RequestSnapshot } from "./request-snapshot.ts";

const conditionNames = [
  "paths",
  "languages",
  "tools",
  "namespaces",
  "roles",
  "diagnostics",
  "events",
  "output-contains",
] as const;
type ConditionName = (typeof conditionNames)[number];

/** Alternatives of one condition, at most; characters of one. */
export const conditionValueLimit = 64;
export const conditionCharacterLimit = 512;

export type ContextRule = {
  readonly id: string;
  /** All must hold; of the values of each one must. A rule without conditions always holds. */
  readonly when: Readonly<Partial<Record<ConditionName, readonly string[]>>>;
  /** Absolute directory outside which the rule does not hold. */
  readonly workspace: string | undefined;
  readonly instruction: string;
  readonly priority: number;
  readonly lifetime: "turn" | "next-request" | "while-relevant";
};

/** Thrown for a rule that is none: says what is expected and what came. */
export class ContextRuleError extends AutolithError {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super("invalid-context-rule", message, options);
  }
}

/** A rule from its property list. Throws {@link ContextRuleError}. */
export function contextRuleOf(form: DataForm): ContextRule {
  try {
    const reader = PlistReader.of(form, {
      what: "a context rule",
      keys: ["id", "when", "instruction", "priority", "lifetime", "workspace"],
    });
    const conditions = reader.has("when") ? reader.form("when") : false;
    const { when, workspace: inside } = conditionsOf(conditions ?? false);
    const beside = reader.has("workspace") ? reader.string("workspace", { minCharacters: 1 }) : undefined;
    return {
      id: reader.string("id", { minCharacters: 1, maxCharacters: identifierCharacterLimit }),
      when,
      workspace: absoluteOrNone(inside ?? beside),
      instruction: reader.string("instruction", {
        minCharacters: 1,
        maxCharacters: instructionCharacterLimit,
      }),
      priority: reader.has("priority") ? reader.integer("priority", { minimum: -1_000, maximum: 1_000 }) : 0,
      lifetime: reader.has("lifetime")
        ? reader.keyword("lifetime", ["turn", "next-request", "while-relevant"])
        : "while-relevant",
    };
  } catch (error) {
    if (!(error instanceof DataFormError)) throw error;
    throw new ContextRuleError(error.message, { cause: error });
  }
}

function conditionsOf(form: DataForm): Pick<ContextRule, "when" | "workspace"> {
  const elements = listElements(form) ?? [];
  const reader = new PlistReader(elements, 0, {
    what: "the :when of a context rule",
    keys: [...conditionNames, "workspace"],
  });
  const when: Partial<Record<ConditionName, readonly string[]>> = {};
  for (const name of conditionNames) if (reader.has(name)) when[name] = reader.list(name).map(wordOf(name));
  for (const name of conditionNames) {
    const count = when[name]?.length ?? 1;
    if (count < 1 || count > conditionValueLimit)
      throw new ContextRuleError(
        `:${name} of a context rule has 1 to ${conditionValueLimit} values, not ${count}.`,
      );
  }
  return {
    when,
    workspace: reader.has("workspace") ? reader.string("workspace", { minCharacters: 1 }) : undefined,
  };
}

/** A value is a string or a keyword, which stands for its lower-case name. */
function wordOf(name: string): (form: DataForm) => string {
  return (form) => {
    const word = form instanceof Keyword ? form.name.toLowerCase() : form;
    if (typeof word === "string" && word !== "" && word.length <= conditionCharacterLimit) return word;
    throw new ContextRuleError(
      `A value of :${name} in a context rule is a string of 1 to ${conditionCharacterLimit} characters or a keyword.`,
    );
  };
}

function absoluteOrNone(path: string | undefined): string | undefined {
  if (path === undefined || path.startsWith("/")) return path?.replace(/(?<=.)\/+$/, "");
  throw new ContextRuleError(
    `:workspace of a context rule is an absolute directory, not ${JSON.stringify(path.slice(0, 200))}.`,
  );
}

/** The rule as its property list. */
export function contextRuleForm(rule: ContextRule): DataForm {
  const conditions = conditionNames.flatMap((name): DataForm[] => {
    const values = rule.when[name];
    return values === undefined ? [] : [keyword(name), [...values]];
  });
  const workspace: DataForm[] = rule.workspace === undefined ? [] : [keyword("workspace"), rule.workspace];
  return [
    ...[keyword("id"), rule.id],
    ...[keyword("when"), [...conditions, ...workspace]],
    ...[keyword("instruction"), rule.instruction],
    ...[keyword("priority"), rule.priority],
    ...[keyword("lifetime"), keyword(rule.lifetime)],
  ];
}

/** True when every condition of the rule holds for the request. */
export function ruleHolds(rule: ContextRule, request: RequestSnapshot): boolean {
  if (rule.workspace !== undefined && !isWithin(request.workspace, rule.workspace)) return false;
  return conditionNames.every((name) => {
    const wanted = rule.when[name];
    return wanted === undefined || wanted.some((value) => conditionHolds(name, value, request));
  });
}

function conditionHolds(name: ConditionName, value: string, request: RequestSnapshot): boolean {
  switch (name) {
    case "paths":
      return request.paths.some((path) => path.startsWith(value));
    case "output-contains":
      return request.recentOutput.toLowerCase().includes(value.toLowerCase());
    case "roles":
      return request.role === value;
    case "events":
      return request.events.some((event) => event === value);
    default:
      return request[name].includes(value);
  }
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`);
}

/** What those of the rules give that hold for the request. */
export function contributionsOf(
  rules: readonly ContextRule[],
  request: RequestSnapshot,
): readonly Contribution[] {
  return rules.filter((rule) => ruleHolds(rule, request)).map(ruleContribution);
}

/** What the rule gives while it holds. */
function ruleContribution(rule: ContextRule): Contribution {
  return {
    identifier: rule.id,
    instruction: rule.instruction,
    evidence: "",
    lifetime: rule.lifetime,
    priority: rule.priority,
    supersedes: [],
    conflicts: [],
    mandatory: false,
  };
}
