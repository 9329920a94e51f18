import { describe, expect, it } from "vitest";
import { jsonTextToForm } from "../../lisp/data-forms/index.ts";
import {
  bundledRoleNames,
  modelAliases,
  parseRole,
  reasoningEfforts,
  roleLimits,
} from "../../roles/index.ts";
import {
  readOutputContract,
  validateOutput,
  type OutputContract,
} from "../../roles/output-contract/index.ts";
import { documentedExamples, examplesOf, pageText, tableColumn } from "./documented-examples.ts";

const page = "roles.md";

describe("docs/roles.md", () => {
  it("shows at least one of each kind of example, and no block that nothing checks", () => {
    const kinds = new Set(documentedExamples(page).map(({ language, what }) => `${language} ${what[0]}`));
    expect([...kinds].sort()).toEqual(["json accepted", "json refused", "lisp contract", "lisp role"]);
  });

  it.each(examplesOf(page, "lisp", "role"))("the role at line $line is valid", ({ text, what }) => {
    const name = what[1] as string;
    const role = parseRole(text, { source: "project", path: `${name}.sexp`, claimedName: name });
    expect(role.name).toBe(name);
  });

  it("the outputs are accepted and refused by the contract above them, as the page says", () => {
    let contract: OutputContract | undefined;
    let checked = 0;
    for (const { language, what, text } of documentedExamples(page)) {
      if (what[0] === "contract") contract = readOutputContract(text, { limits: roleLimits });
      if (language !== "json") continue;
      checked++;
      const violations = validateOutput(contract as OutputContract, jsonTextToForm(text, 10_000));
      if (what[0] === "accepted") expect(violations).toEqual([]);
      else expect(violations.length).toBeGreaterThan(0);
    }
    expect(checked).toBe(4);
  });

  it("lists the fields that the reader knows", () => {
    const fields = tableColumn(page, "field").map((field) => field.replaceAll("`", "").slice(1));
    const definition = (field: string): string =>
      `(:name "x" :description "d" :instructions "i"${["name", "description", "instructions"].includes(field) ? "" : ` :${field} nil`})`;
    for (const field of fields) {
      const read = (): unknown =>
        parseRole(definition(field), { source: "user", path: undefined, claimedName: "x" });
      try {
        read();
      } catch (error) {
        // NIL is no value for some fields; that is another complaint than not knowing the field.
        expect(String(error)).not.toMatch(/is not known|has no key/);
      }
    }
    expect(fields).toHaveLength(9);
  });

  it("names the bundled roles, efforts and aliases there are", () => {
    const text = pageText(page);
    for (const name of [...bundledRoleNames, ...modelAliases]) expect(text).toContain(`\`${name}\``);
    for (const effort of reasoningEfforts) expect(text).toContain(`\`:${effort}\``);
  });
});
