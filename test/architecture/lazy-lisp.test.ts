import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** Files that loading `entry` loads: what is imported when needed, or for its types only, is not among them. */
function loadedBy(entry: string): readonly string[] {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, "utf8");
    const imports = text.matchAll(/^(?:import|export)\s+(?!type\s)[^;]*?from\s+"(\.{1,2}\/[^"]+)";/gms);
    for (const [whole, target = ""] of imports)
      if (!isTypesOnly(whole)) visit(resolve(dirname(file), target));
  };
  visit(resolve(root, entry));
  return [...seen].map((file) => relative(root, file));
}

function isTypesOnly(statement: string): boolean {
  const names = /\{([^}]*)\}/
    .exec(statement)?.[1]
    ?.split(",")
    .map((name) => name.trim());
  return names !== undefined && names.filter((name) => name !== "").every((name) => name.startsWith("type "));
}

describe("the Lisp engine is loaded when somebody evaluates", () => {
  it.each(["cli/run-job/run-job-command.ts", "cli/compose.ts", "cli/compose-session.ts"])(
    "%s loads neither the engine nor its threads",
    (entry) => {
      const loaded = loadedBy(entry);
      expect(loaded.length).toBeGreaterThan(50);
      const engine = loaded.filter((file) =>
        /^(?:workers\/image|lisp\/(?:image|compiler|runtime|host|library))\//.test(file),
      );
      expect(engine).toEqual([]);
    },
  );
});
