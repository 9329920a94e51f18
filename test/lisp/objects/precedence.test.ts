import { describe, expect, it } from "vitest";
import { InstanceLayout } from "../../../lisp/data/instance.ts";
import { NIL } from "../../../lisp/data/symbol.ts";
import { LString } from "../../../lisp/data/string.ts";
import { LClass } from "../../../lisp/objects/class.ts";
import { classPrecedenceList, PrecedenceConflict } from "../../../lisp/objects/precedence.ts";

const layout = new InstanceLayout(NIL, [], 0);

/** Classes from lines `name: superclass…`. */
function classes(text: string): (name: string) => LClass {
  const made = new Map<string, LClass>();
  const get = (name: string): LClass => {
    const known = made.get(name) ?? new LClass(layout, LString.from(name), "standard");
    made.set(name, known);
    return known;
  };
  for (const line of text.trim().split("\n")) {
    const [name = "", supers = ""] = line.trim().split(":");
    get(name).directSupers = supers.trim() === "" ? [] : supers.trim().split(" ").map(get);
  }
  return get;
}

function names(list: LClass[]): string[] {
  return list.map((cls) => (cls.name as LString).toJS());
}

describe("class precedence lists", () => {
  it("agrees with the examples of section 4.3.5.2", () => {
    const get = classes(`
      standard-object:
      pie: apple cinnamon
      apple: fruit
      cinnamon: spice
      fruit: food
      spice: food
      food: standard-object
      pastry: cinnamon apple`);
    expect(names(classPrecedenceList(get("pie")))).toEqual([
      "pie",
      "apple",
      "fruit",
      "cinnamon",
      "spice",
      "food",
      "standard-object",
    ]);
    expect(names(classPrecedenceList(get("pastry")))).toEqual([
      "pastry",
      "cinnamon",
      "spice",
      "apple",
      "fruit",
      "food",
      "standard-object",
    ]);
  });

  it("refuses orders that contradict each other", () => {
    const get = classes(`
      a:
      b:
      x: a b
      y: b a
      z: x y`);
    expect(() => classPrecedenceList(get("z"))).toThrow(PrecedenceConflict);
  });
});
