import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { lispSession } from "../library/lisp-session.ts";

const folder = new URL("../bench/", import.meta.url);

/** The programs of `npm run bench:lisp` that say what they give, as SBCL does. */
const programs = readdirSync(folder).flatMap((file) => {
  const text = readFileSync(new URL(file, folder), "utf8");
  const value = /^;=> (.*)$/m.exec(text)?.[1];
  return value === undefined ? [] : [{ name: file.replace(".lisp", ""), text, value }];
});

describe("numeric programs of the benchmark", () => {
  it("are there", () => {
    expect(programs.length).toBeGreaterThan(10);
  });

  it.each(programs)("$name gives $value", ({ text, value }) => {
    expect(lispSession(text)("(values (bench))")).toBe(`(${value})`);
  });
});
