import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  OutputContractError,
  contractJsonSchema,
  describeViolations,
  engineeringContract,
  maxViolations,
  readOutputContract,
  validateOutput,
  type OutputContract,
} from "../../../roles/output-contract/index.ts";
import { double, jsonTextToForm, jsonToForm, type JsonValue } from "../../../lisp/data-forms/index.ts";

const limits = { maxBytes: 1 << 20, maxDepth: 128, maxNodes: 65_536, maxStringCharacters: 524_288 };

function contract(text: string): OutputContract {
  return readOutputContract(text, { limits });
}

function problems(schema: OutputContract, json: string): string[] {
  return validateOutput(schema, jsonTextToForm(json, 1 << 20)).map(
    ({ path, problem }) => `${path}: ${problem}`,
  );
}

function refusal(text: string): OutputContractError {
  try {
    contract(text);
  } catch (error) {
    if (error instanceof OutputContractError) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
}

describe("the grammar", () => {
  it.each([
    ["(:type :strin)", "$", "must be one of :object, :array, :string, :number, :integer, :boolean, :null"],
    ["()", "$", "the schema needs the key :type"],
    ["12", "$", "must be a property list, got an integer"],
    [":object", "$", "must be a property list, got the keyword :OBJECT"],
    ["(:type :string :items (:type :string))", "$", ":items is not a key of a :string schema"],
    ["(:type :object :enum (1))", "$", ":enum is not a key of an :object schema"],
    ["(:type :array :items (:type :string) :enum (1))", "$", ":enum is not a key of an :array schema"],
    ["(:type :array)", "$", "the schema needs the key :items"],
    [
      "(:type :array :items (:type :string) :min-items 3 :max-items 2)",
      "$",
      "must not exceed :max-items, got 3 and 2",
    ],
    ["(:type :array :items (:type :string) :min-items -1)", "$", ":min-items must be an integer from 0"],
    ["(:type :string :enum nil)", "$", "must list at least one value"],
    ['(:type :string :enum ("a" "a"))', "$", '"a" twice'],
    ["(:enum (1 1.0))", "$", "1.0 twice"],
    ["(:type :integer :enum (1.0))", "$", "must fit :type :integer, got 1.0"],
    ["(:type :boolean :enum (:null))", "$", "must fit :type :boolean, got null"],
    ["(:enum (:other))", "$", "must list strings, numbers, T, NIL or :null"],
    ["(:enum ((1)))", "$", "got a list"],
    ["(:enum (1) :properties nil)", "$", ":properties is not a key of a schema without :type"],
    ["(:type :object :properties (a))", "", ""],
    ['(:type :object :properties ("a"))', "$", '("name" schema) pairs, got a string'],
    ['(:type :object :properties (("a")))', "$", "pairs, got a list"],
    ['(:type :object :properties (("" (:type :null))))', "$", "a property's name is empty"],
    ['(:type :object :properties (("a" (:type :null)) ("a" (:type :null))))', "$", '"a" is declared twice'],
    ['(:type :object :properties (("__proto__" (:type :null))))', "$", "choose another name"],
    ['(:type :object :required ("a"))', "$", '"a", which :properties does not declare'],
    ['(:type :object :properties (("a" (:type :null))) :required ("a" "a"))', "$", '"a" twice'],
    ["(:type :object :required (1))", "$", "property names, got an integer"],
    ["(:type :object :additional-properties 1)", "$", "must be T or NIL, got an integer"],
    ["(:type :object :type :object)", "$", "has the key :type twice"],
    ["(:type :object :typo 1)", "$", "the schema has no key :typo"],
    ['(:type :object :properties (("a" (:type :array :items (:type :x)))))', "$.a[]", "must be one of"],
    [
      '(:type :engineering :properties (("paths" (:type :null))))',
      "$",
      "belongs to the engineering contract",
    ],
    ['(:type :engineering :required ("paths"))', "$", '"paths", which :properties does not declare'],
    ["(:type :engineering :items (:type :null))", "$", "the schema has no key :items"],
    ['(:type :object :properties (("a" (:type :engineering))))', "$.a", "must be one of"],
  ])("refuses %s", (text, path, message) => {
    if (path === "") {
      expect(() => contract(text)).toThrow(expect.objectContaining({ code: "invalid-syntax" }));
      return;
    }
    const error = refusal(text);
    expect(error.code).toBe("invalid-contract");
    expect(error.path).toBe(path);
    expect(error.message).toContain(message);
    expect(error.position?.line).toBe(1);
  });

  it("names the line of the part concerned", () => {
    const text = '(:type :object\n :properties\n (("a" (:type :string))\n  ("b" (:type :text))))';
    expect(refusal(text)).toMatchObject({ path: "$.b", position: { line: 4, column: 15 } });
    expect(
      refusal('(:type :object\n :properties (("a" (:type :string))\n  ("b" (:enum nil))))').position?.line,
    ).toBe(3);
    expect(refusal('(:type :object :properties\n (("a"\n  (:min-items 1))))')).toMatchObject({
      position: { line: 3, column: 3 },
    });
  });
});

describe("validation", () => {
  const answer = contract(`(:type :object
    :properties (("answer" (:type :string)) ("score" (:type :number)) ("tags" (:type :array
                  :items (:type :string :enum ("a" "b")) :min-items 1 :max-items 2)) ("n" (:type :integer)))
    :required ("answer") :additional-properties nil)`);

  it.each([
    ['{"answer":"x"}', []],
    ['{"answer":"","score":1.5,"tags":["a","b"],"n":12345678901234567890}', []],
    ["{}", ["$.answer: is required and missing"]],
    ["[]", ["$: must be an object, got an array"]],
    ["null", ["$: must be an object, got null"]],
    ["false", ["$: must be an object, got false"]],
    [
      '{"answer":1,"other":2}',
      [
        "$.answer: must be a string, got 1",
        "$.other: is not allowed; the properties are: answer, score, tags, n",
      ],
    ],
    ['{"answer":"x","n":3.0}', ["$.n: must be an integer, got 3.0"]],
    ['{"answer":"x","score":"1"}', ['$.score: must be a number, got "1"']],
    ['{"answer":"x","score":{}}', ["$.score: must be a number, got an object"]],
    ['{"answer":"x","tags":[]}', ["$.tags: must have at least 1 items, got 0"]],
    [
      '{"answer":"x","tags":["a","c","b"]}',
      ["$.tags: must have at most 2 items, got 3", '$.tags[1]: must be one of "a", "b", got "c"'],
    ],
    ['{"answer":"x","tags":{}}', ["$.tags: must be an array, got an object"]],
  ])("of %s", (json, expected) => {
    expect(problems(answer, json)).toEqual(expected);
  });

  it.each([
    ["(:type :boolean)", ["true", "false"], ["null", "0", '""', "[]", "{}"]],
    ["(:type :null)", ["null"], ["false", "0", "[]"]],
    ["(:type :number)", ["1", "1.0", "-1e9"], ["true", '"1"', "null"]],
    ["(:type :integer)", ["1", "-123456789012345678901234567890"], ["1.0", "1e2", "true"]],
    ["(:type :array :items (:type :null))", ["[]", "[null]"], ["[1]", "{}", "false"]],
    ["(:type :object)", ["{}", '{"a":{"b":1}}'], ["[]", "false", "null"]],
    ["(:enum (1 nil :null))", ["1", "1.0", "false", "null"], ["2", "true", '"1"', "[]"]],
    ["(:type :number :enum (1.5 2))", ["1.5", "2", "2.0"], ["1", "1.50001"]],
    ["(:type :boolean :enum (nil))", ["false"], ["true", "null"]],
  ])("%s accepts and refuses the right values", (schema, accepted, refused) => {
    for (const json of accepted) expect(problems(contract(schema), json)).toEqual([]);
    for (const json of refused) expect(problems(contract(schema), json)).toHaveLength(1);
  });

  it("reports a bounded number of violations", () => {
    const schema = contract("(:type :array :items (:type :null))");
    const violations = validateOutput(schema, jsonToForm(Array.from({ length: 99 }, () => 1)));
    expect(violations).toHaveLength(maxViolations);
    expect(describeViolations(violations.slice(0, 2))).toBe(
      "$[0]: must be null, got 1\n$[1]: must be null, got 1",
    );
  });

  it("refuses what is outside the portable mapping", () => {
    expect(validateOutput(contract("(:type :string)"), double(1))).toHaveLength(1);
    expect(validateOutput(contract("(:type :object)"), [1, 2])).toEqual([
      { path: "$", problem: "must be an object, got a list" },
    ]);
  });
});

describe("the engineering contract", () => {
  const result = {
    schemaVersion: 1,
    baseline: { kind: "git", workspace: "w", revision: "r" },
    change: { kind: "none", reference: "" },
    paths: ["a"],
    checks: [{ command: "c", status: "passed", summary: "s", evidence: ["e"] }],
    evidence: [],
    issues: [],
    integrationNotes: "",
  };
  const check = (schema: OutputContract, value: JsonValue): string[] =>
    validateOutput(schema, jsonToForm(value)).map(({ path }) => path);

  it("accepts a complete result, with and without symbols", () => {
    expect(check(engineeringContract, result)).toEqual([]);
    expect(check(engineeringContract, { ...result, symbols: ["f"] })).toEqual([]);
    expect(contract(":engineering")).toBe(engineeringContract);
    expect(contract("(:type :engineering)")).toEqual(engineeringContract);
  });

  it.each(Object.keys(result))("requires %s", (name) => {
    const rest = Object.fromEntries(Object.entries(result).filter(([key]) => key !== name)) as JsonValue;
    expect(check(engineeringContract, rest)).toEqual([`$.${name}`]);
  });

  it.each([
    [{ schemaVersion: 2 }, "$.schemaVersion"],
    [{ baseline: { kind: "svn", workspace: "", revision: "" } }, "$.baseline.kind"],
    [{ change: { kind: "none" } }, "$.change.reference"],
    [{ change: { kind: "none", reference: "", more: 1 } }, "$.change.more"],
    [{ checks: [{ command: "c", status: "ok", summary: "" }] }, "$.checks[0].status"],
    [{ paths: Array.from({ length: 513 }, () => "p") }, "$.paths"],
    [{ checks: Array.from({ length: 129 }, () => result.checks[0]) }, "$.checks"],
    [{ evidence: Array.from({ length: 129 }, () => "e") }, "$.evidence"],
    [{ issues: Array.from({ length: 65 }, () => "i") }, "$.issues"],
    [{ review: "x" }, "$.review"],
  ] as [Record<string, JsonValue>, string][])("refuses %j", (change, path) => {
    expect(check(engineeringContract, { ...result, ...change })).toEqual([path]);
  });

  it("is extended by a role's own properties", () => {
    const extended = contract(
      '(:type :engineering :properties (("review" (:type :string))) :required ("review") :additional-properties nil)',
    );
    expect(check(extended, result)).toEqual(["$.review"]);
    expect(check(extended, { ...result, review: "r" })).toEqual([]);
    expect(check(extended, { ...result, review: "r", more: 1 })).toEqual(["$.more"]);
    const open = contract("(:type :engineering :additional-properties t)");
    expect(check(open, { ...result, more: 1 })).toEqual([]);
    expect(check(contract("(:type :engineering :properties nil)"), { ...result, more: 1 })).toEqual([
      "$.more",
    ]);
  });
});

describe("the JSON Schema projection", () => {
  it("has the words models know", () => {
    const schema = contract(`(:type :object
      :properties (("a" (:type :array :items (:type :string) :min-items 1 :max-items 9))
                   ("b" (:type :integer :enum (1 2))) ("c" (:enum (t nil :null "x"))) ("d" (:type :object)))
      :required ("a") :additional-properties nil)`);
    expect(contractJsonSchema(schema)).toEqual({
      type: "object",
      properties: {
        a: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 9 },
        b: { type: "integer", enum: [1, 2] },
        c: { enum: [true, false, null, "x"] },
        d: { type: "object", properties: {}, additionalProperties: true },
      },
      required: ["a"],
      additionalProperties: false,
    });
  });
});

describe("any value against any contract", () => {
  it("never throws and gives no path outside the value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const schema = contract('(:type :array :items (:type :object :properties (("a" (:type :string)))))');
        for (const { path, problem } of validateOutput(schema, jsonToForm(value as JsonValue))) {
          expect(path.startsWith("$")).toBe(true);
          expect(problem).not.toBe("");
        }
      }),
    );
  });
});
