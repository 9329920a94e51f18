import * as fc from "fast-check";
import { expect, it } from "vitest";
import { jsonFault } from "../../../orchestrator/contract/json-fault.ts";

it.each([
  ["{a:1}", "at character 1 a name in double quotes or } was expected, not a:1}"],
  ['{"a" 1}', "at character 5 a colon was expected, not 1}"],
  ["[1 2]", "at character 3 a comma or ] was expected, not 2]"],
  ["[1,]", "at character 3 a value was expected, not ]"],
  ["{} x", "at character 3 the end of the text was expected, not x"],
  ['{"a": "b', 'at character 6 a value was expected, not "b'],
  [" ", "it ends at character 1, where a value was expected"],
])("says where and why %j is no JSON", (text, fault) => {
  expect(jsonFault(text)).toBe(fault);
});

it("finds no surplus in the beginning of a JSON text, whatever was cut off", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, place) => {
      const cut = json.slice(0, place % json.length);
      fc.pre(/^[[{]/.test(json));
      expect(jsonFault(cut)).not.toContain("the end of the text");
    }),
  );
});
