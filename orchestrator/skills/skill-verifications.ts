/** Which skills have passed their own tests, and for which files: a small file of the data root that hosts share. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type DataForm,
  PlistReader,
  keyword,
  listElements,
  prettyPrintDataForm,
  readDataForm,
} from "../../lisp/data-forms/index.ts";
import { AutolithError, failureOf } from "../contract/failure.ts";
import { errnoOf } from "../record/failure.ts";
import { withFileLock } from "../record/file-lock.ts";
import { publishFile } from "../record/publication.ts";
import { skillCodeLimits } from "./skill-limits.ts";

export type SkillVerification = {
  /** Path of the skill's file. */
  readonly skill: string;
  readonly operation: "self-test" | "verify";
  readonly identity: string;
  readonly isPassed: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
  /** SHA-256 over the source files that were loaded; undefined when there were too many to look at. */
  readonly sources: { readonly paths: readonly string[]; readonly digest: string } | undefined;
};

const limits = { maxBytes: 16_777_216, maxDepth: 8, maxNodes: 262_144, maxStringCharacters: 4_096 };

export class SkillVerifications {
  readonly #path: string;
  readonly #now: () => number;

  constructor(dataRoot: string, now: () => number) {
    this.#path = join(dataRoot, "skill-verifications.sexp");
    this.#now = now;
  }

  /** Keeps what came of a verification in place of the earlier one. Rejects with the file system's errors. */
  async keep(
    verification: Omit<SkillVerification, "at" | "sources">,
    sourcePaths: readonly string[],
  ): Promise<void> {
    const digest = await sourceDigest(sourcePaths);
    const sources = digest === undefined ? undefined : { paths: [...sourcePaths], digest };
    await withFileLock(this.#path, async () => {
      const others = (await this.all()).filter(
        ({ skill, operation }) => skill !== verification.skill || operation !== verification.operation,
      );
      const kept = [...others, { ...verification, at: this.#now(), sources }];
      const form = [
        keyword("skill-verifications"),
        ...[keyword("version"), 1],
        ...[keyword("entries"), kept.slice(-skillCodeLimits.verifications).map(entryForm)],
      ];
      await publishFile(this.#path, `${prettyPrintDataForm(form)}\n`);
    });
  }

  /** Rejects with `skill-verifications-unreadable`, naming the file. */
  async all(): Promise<readonly SkillVerification[]> {
    try {
      const elements = listElements(readDataForm(await readFile(this.#path), { limits })) ?? [];
      const reader = new PlistReader(elements, 1, { what: "the file", keys: ["version", "entries"] });
      reader.integer("version", { minimum: 1, maximum: 1 });
      return reader.list("entries").map(entryOf);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return [];
      throw new AutolithError(
        "skill-verifications-unreadable",
        `The verifications of skills in ${this.#path} cannot be read: ${failureOf(error).message}. Move the file away; skill.verify makes a new one.`,
        { cause: error },
      );
    }
  }
}

/** True when its files are still those that were verified. */
export async function isCurrent(verification: SkillVerification, identity: string): Promise<boolean> {
  if (verification.identity !== identity || verification.sources === undefined) return false;
  return (await sourceDigest(verification.sources.paths)) === verification.sources.digest;
}

/** Undefined when there are too many files, or one is not there. */
async function sourceDigest(paths: readonly string[]): Promise<string | undefined> {
  if (paths.length > skillCodeLimits.sources) return undefined;
  const hash = createHash("sha256");
  let room = skillCodeLimits.sourceBytes;
  try {
    for (const path of [...paths].toSorted()) {
      const { size } = await stat(path);
      room -= size;
      if (room < 0) return undefined;
      hash.update(`${path}\n${size}\n`);
      for await (const chunk of createReadStream(path, { end: size })) hash.update(chunk as Buffer);
    }
    return hash.digest("hex");
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

const entryKeys = ["skill", "operation", "identity", "passed-p", "at", "sources", "digest"];

function entryForm({ skill, operation, identity, isPassed, at, sources }: SkillVerification): DataForm {
  return [
    ...[keyword("skill"), skill],
    ...[keyword("operation"), keyword(operation)],
    ...[keyword("identity"), identity],
    ...[keyword("passed-p"), isPassed],
    ...[keyword("at"), at],
    ...(sources === undefined
      ? []
      : [keyword("sources"), [...sources.paths], keyword("digest"), sources.digest]),
  ];
}

function entryOf(form: DataForm): SkillVerification {
  const reader = PlistReader.of(form, { what: "a verification", keys: entryKeys });
  return {
    skill: reader.string("skill"),
    operation: reader.keyword("operation", ["self-test", "verify"]),
    identity: reader.string("identity"),
    isPassed: reader.boolean("passed-p"),
    at: reader.integer("at", { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    sources: reader.has("digest")
      ? {
          paths: reader.list("sources").filter((path) => typeof path === "string"),
          digest: reader.string("digest"),
        }
      : undefined,
  };
}
