/** Finds the skills below the configured roots, within bounds. What is wrong with a file is told and hides nothing else. */
import { open, readdir, realpath } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { failureOf } from "../contract/failure.ts";
import { errnoOf } from "../record/failure.ts";
import { SkillError, type SkillText, skillFromForm, skillFromMarkdown, skillLimits } from "./skill.ts";

/** A directory with skills below it; earlier ones win. */
export type SkillRoot = { readonly origin: "project" | "user" | "site"; readonly path: string };

export type FoundSkill = SkillText & {
  readonly origin: SkillRoot["origin"];
  /** The file it was read from; absolute. */
  readonly path: string;
  readonly directory: string;
  /** An `EXECUTABLE.sexp` lies beside it. */
  readonly hasExecutable: boolean;
};

export type SkillScan = {
  /** By name, sorted. */
  readonly skills: readonly FoundSkill[];
  readonly diagnostics: readonly string[];
};

/** Bounds of one scan (facts K). */
export const skillScanLimits = { depth: 6, directories: 2_000, entries: 20_000, bytes: 8_388_608 } as const;
/** Diagnostics kept; the others are counted. */
const diagnosticLimit = 64;

/** Looks through the roots in order. Never rejects. */
export async function scanSkills(roots: readonly SkillRoot[]): Promise<SkillScan> {
  const scan = new Scan(await realRoots(roots));
  for (const root of roots) await scan.visit(root, root.path, 0);
  return scan.result();
}

async function realRoots(roots: readonly SkillRoot[]): Promise<readonly string[]> {
  const real = await Promise.all(roots.map(({ path }) => realpath(path).catch(() => undefined)));
  return real.filter((path) => path !== undefined);
}

class Scan {
  readonly #realRoots: readonly string[];
  readonly #skills = new Map<string, FoundSkill>();
  readonly #diagnostics: string[] = [];
  readonly #visited = new Set<string>();
  #untold = 0;
  #directories = 0;
  #entries = 0;
  #bytes = 0;
  #isOver = false;

  constructor(realRootPaths: readonly string[]) {
    this.#realRoots = realRootPaths;
  }

  result(): SkillScan {
    const more = this.#untold === 0 ? [] : [`${this.#untold} more problems with skills are not listed.`];
    return {
      skills: [...this.#skills.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1)),
      diagnostics: [...this.#diagnostics, ...more],
    };
  }

  async visit(root: SkillRoot, path: string, depth: number): Promise<void> {
    const real = await this.#within(path);
    if (real === undefined || this.#visited.has(real) || this.#isOver) return;
    this.#visited.add(real);
    this.#directories += 1;
    if (this.#directories > skillScanLimits.directories)
      return this.#stop(`${skillScanLimits.directories} directories`);
    const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      if (errnoOf(error) !== "ENOENT") this.#tell(`${path}: ${failureOf(error).message}`);
      return [];
    });
    this.#entries += entries.length;
    if (this.#entries > skillScanLimits.entries)
      return this.#stop(`${skillScanLimits.entries} directory entries`);
    const names = new Set(entries.map(({ name }) => name));
    const file = ["SKILL.sexp", "SKILL.md"].find((name) => names.has(name));
    if (file !== undefined) return this.#read(root, path, file, names.has("EXECUTABLE.sexp"));
    const below = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
    for (const { name } of below.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
      if (name.startsWith(".")) continue;
      if (depth >= skillScanLimits.depth) {
        this.#tell(
          `${join(path, name)} lies deeper than ${skillScanLimits.depth} levels and is not searched.`,
        );
        continue;
      }
      await this.visit(root, join(path, name), depth + 1);
    }
  }

  async #read(root: SkillRoot, directory: string, file: string, hasExecutable: boolean): Promise<void> {
    const path = join(directory, file);
    try {
      if ((await this.#within(path)) === undefined) return;
      const bytes = await boundedFile(path);
      this.#bytes += bytes.length;
      if (this.#bytes > skillScanLimits.bytes) return this.#stop(`${skillScanLimits.bytes} bytes of skills`);
      const text = await skillText(bytes, path);
      const known = this.#skills.get(text.name);
      if (known === undefined)
        this.#skills.set(text.name, { ...text, origin: root.origin, path, directory, hasExecutable });
      else if (known.origin === root.origin)
        this.#tell(`${path} is hidden by ${known.path}, which has the same name.`);
    } catch (error) {
      this.#tell(error instanceof SkillError ? error.message : `${path}: ${failureOf(error).message}`);
    }
  }

  /** The real path, when it stays below a root: a link must not make anything else a skill. */
  async #within(path: string): Promise<string | undefined> {
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined) return undefined;
    if (this.#realRoots.some((root) => real === root || real.startsWith(root + sep))) return real;
    this.#tell(`${path} leads out of the directories of skills and is not read.`);
    return undefined;
  }

  #stop(bound: string): void {
    this.#isOver = true;
    this.#tell(`The search for skills stopped at ${bound}, its bound.`);
  }

  #tell(problem: string): void {
    if (this.#diagnostics.length < diagnosticLimit) this.#diagnostics.push(problem);
    else this.#untold += 1;
  }
}

/** Reads the skill's file again. Rejects with `invalid-skill` and the file system's errors. */
export async function readSkillAt(path: string): Promise<SkillText> {
  return skillText(await boundedFile(path), path);
}

async function skillText(bytes: Uint8Array, path: string): Promise<SkillText> {
  if (basename(path) === "SKILL.sexp") return skillFromForm(bytes, path);
  return skillFromMarkdown(bytes, path, basename(join(path, "..")));
}

/** The bytes of a file of a skill. Rejects with `invalid-skill` when there are more than `byteLimit`, and with the file system's errors. */
export async function boundedFile(
  path: string,
  byteLimit: number = skillLimits.fileBytes,
): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const buffer = new Uint8Array(byteLimit + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (bytesRead === 0) return buffer.subarray(0, length);
      if (length > byteLimit) throw new SkillError(path, `it has more than ${byteLimit} bytes`);
    }
  } finally {
    await file.close();
  }
}
