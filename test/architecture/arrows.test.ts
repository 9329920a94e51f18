import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/**
 * The rooms and their arrows (design.md section 2). A room may import itself and the rooms named here, type-only
 * imports included. `redis` and `workers` meet only in `cli/compose.ts`, through ports that `orchestrator` declares.
 */
const allowed: Record<string, readonly string[]> = {
  lisp: [],
  roles: ["lisp"],
  orchestrator: ["roles", "lisp"],
  redis: ["orchestrator", "roles", "lisp"],
  workers: ["orchestrator", "roles", "lisp"],
  cli: ["redis", "workers", "orchestrator", "roles", "lisp"],
};

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const importPattern = /(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

function sourceFiles(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : sourceFiles(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

const files = Object.keys(allowed).flatMap((room) => sourceFiles(join(root, room)));
const sources = new Map(files.map((file) => [file, readFileSync(file, "utf8")]));

function imports(file: string): string[] {
  const text = sources.get(file) ?? "";
  return [...text.matchAll(importPattern)].map((match) => resolve(dirname(file), match[1] ?? ""));
}

function room(file: string): string {
  return relative(root, file).split("/")[0] ?? "";
}

/** Strongly connected components with more than one module (Tarjan). */
function cycles(): string[][] {
  const indexOf = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): void => {
    indexOf.set(file, indexOf.size);
    low.set(file, indexOf.get(file) ?? 0);
    stack.push(file);
    for (const target of imports(file).filter((name) => sources.has(name))) {
      if (!indexOf.has(target)) {
        visit(target);
        low.set(file, Math.min(low.get(file) ?? 0, low.get(target) ?? 0));
      } else if (stack.includes(target)) {
        low.set(file, Math.min(low.get(file) ?? 0, indexOf.get(target) ?? 0));
      }
    }
    if (low.get(file) !== indexOf.get(file)) return;
    const component = stack.splice(stack.indexOf(file));
    if (component.length > 1) found.push(component.map((name) => relative(root, name)));
  };
  for (const file of files) if (!indexOf.has(file)) visit(file);
  return found;
}

describe("the arrows between rooms", () => {
  it("every import follows an allowed arrow", () => {
    const wrong = files.flatMap((file) =>
      imports(file)
        .filter((target) => {
          const [from, to] = [room(file), room(target)];
          return from !== to && !(allowed[from] ?? []).includes(to);
        })
        .map(
          (target) =>
            `${relative(root, file)} imports ${relative(root, target)}: ${room(file)} may import only ` +
            `${(allowed[room(file)] ?? []).join(", ") || "nothing of ours"} (design.md section 2)`,
        ),
    );
    expect(wrong).toEqual([]);
  });

  it("no import cycle exists, type-only imports included", () => {
    expect(cycles()).toEqual([]);
  });

  it("every relative import names a file that exists", () => {
    const missing = files.flatMap((file) =>
      imports(file)
        .filter((target) => !statSync(target, { throwIfNoEntry: false })?.isFile())
        .map((target) => `${relative(root, file)} -> ${relative(root, target)}`),
    );
    expect(missing).toEqual([]);
  });
});

describe("rules of the source", () => {
  const offences = (pattern: RegExp, exempt: (file: string) => boolean): string[] =>
    files.flatMap((file) =>
      exempt(relative(root, file))
        ? []
        : (sources.get(file) ?? "")
            .split("\n")
            .flatMap((line, index) => (pattern.test(line) ? [`${relative(root, file)}:${index + 1}`] : [])),
    );

  it("no default exports: a thing is imported by the name it was given", () => {
    expect(offences(/^export default /, () => false)).toEqual([]);
  });

  it("no export *: the surface of a module is what it lists", () => {
    expect(offences(/^export \*/, () => false)).toEqual([]);
  });

  it("no console outside cli: diagnostics go through a port", () => {
    expect(offences(/\bconsole\./, (file) => file.startsWith("cli/"))).toEqual([]);
  });

  it("no folder is named for a kind of declaration", () => {
    const banned = /\/(types|utils|helpers|common|misc|managers?)(\/|\.tsx?$)/;
    expect(files.map((file) => relative(root, file)).filter((file) => banned.test(file))).toEqual([]);
  });
});
