import * as fc from "fast-check";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { RoleDefinitionError, parseRole, type Role } from "../../roles/index.ts";

const bundled = resolve(dirname(fileURLToPath(import.meta.url)), "../../roles/bundled");
const valid = readdirSync(bundled).map((file) => ({
  name: file.replace(".sexp", ""),
  text: readFileSync(join(bundled, file), "utf8"),
}));

const pieces = fc.oneof(
  fc.constantFrom(
    "(",
    ")",
    '"',
    "\\",
    ":",
    " ",
    "1",
    "nil",
    ":all",
    "#|",
    "|#",
    "'",
    ";",
    "\n",
    ".",
    "é",
    "\u0000",
  ),
  fc.constantFrom(
    ":tools",
    ":output",
    '"self.*"',
    '"@none"',
    ":engineering",
    "(:type :object)",
    "(:enum nil)",
  ),
  fc.string({ maxLength: 4 }),
);
const mutations = fc.array(fc.record({ at: fc.nat(), remove: fc.nat(12), insert: pieces }), {
  minLength: 1,
  maxLength: 4,
});

/** The role, or the fault that a reader of the file would be told. */
function outcome(text: string | Uint8Array, claimedName: string): Role | RoleDefinitionError {
  try {
    return parseRole(text, { source: "project", path: `/p/${claimedName}.sexp`, claimedName });
  } catch (error) {
    if (error instanceof RoleDefinitionError) return error;
    throw error;
  }
}

describe("random mutations of valid roles", () => {
  it("never crash; what is refused is reported with path, line and cause", () => {
    fc.assert(
      fc.property(fc.constantFrom(...valid), mutations, ({ name, text }, changes) => {
        const mutated = changes.reduce((current, { at, remove, insert }) => {
          const place = at % (current.length + 1);
          return current.slice(0, place) + insert + current.slice(place + remove);
        }, text);
        const result = outcome(mutated, name);
        if (!(result instanceof RoleDefinitionError)) {
          expect(result.name).toBe(name);
          return;
        }
        expect(result).toMatchObject({ code: "task-agent-definition-error", definitionName: name });
        const lines = mutated.split("\n").length;
        expect(result.line).toBeGreaterThanOrEqual(1);
        expect(result.line).toBeLessThanOrEqual(lines);
        expect(
          result.message.startsWith(`project role "${name}" in /p/${name}.sexp, line ${result.line}`),
        ).toBe(true);
        expect(result.problem).not.toBe("");
      }),
      { numRuns: 3000 },
    );
  });

  it("of single bytes never crash either", () => {
    fc.assert(
      fc.property(fc.constantFrom(...valid), fc.nat(), fc.nat(255), ({ name, text }, at, byte) => {
        const bytes = Buffer.from(text);
        bytes[at % bytes.length] = byte;
        const result = outcome(bytes, name);
        if (result instanceof RoleDefinitionError) expect(result.line).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: 2000 },
    );
  });
});
