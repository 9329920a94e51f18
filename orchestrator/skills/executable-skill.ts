/** A skill with code, as its files declare it; no code of it is loaded here. */
import { createHash } from "node:crypto";
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AutolithError } from "../contract/failure.ts";
import { errnoOf } from "../record/failure.ts";
import {
  type ExecutableManifest,
  ManifestError,
  manifestLimits,
  readManifest,
} from "./executable-manifest.ts";
import { boundedFile } from "./skill-scan.ts";
import { skillLimits } from "./skill.ts";

export const manifestFile = "EXECUTABLE.sexp";

export type ExecutableSkill = {
  readonly name: string;
  /** Real path of the skill's file, `SKILL.md` or `SKILL.sexp`. */
  readonly path: string;
  readonly directory: string;
  /** SHA-256 over the skill's file and its manifest. */
  readonly identity: string;
  readonly manifest: ExecutableManifest;
};

/**
 * Reads what lies beside a skill's file. Rejects with `skill-not-executable` when there is no manifest, with `invalid-skill-executable` when
 * it is none or a link that leads elsewhere, and with the file system's errors.
 */
export async function readExecutableSkill(name: string, skillPath: string): Promise<ExecutableSkill> {
  const path = await realpath(skillPath);
  const directory = dirname(path);
  const manifestPath = join(directory, manifestFile);
  await checkManifestFile(name, manifestPath);
  const manifestBytes = await boundedFile(manifestPath, manifestLimits.fileBytes);
  const skillBytes = await boundedFile(path, skillLimits.fileBytes);
  return {
    name,
    path,
    directory,
    identity: identityOf(basename(path), skillBytes, manifestBytes),
    manifest: readManifest(manifestBytes, manifestPath),
  };
}

async function checkManifestFile(name: string, path: string): Promise<void> {
  try {
    const found = await lstat(path);
    if (!found.isFile()) throw new ManifestError(path, "it is no regular file");
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    throw new AutolithError(
      "skill-not-executable",
      `The skill ${name} has no code: there is no ${path}. skill.load takes up its instructions.`,
      { cause: error },
    );
  }
}

function identityOf(file: string, skill: Uint8Array, manifest: Uint8Array): string {
  const parts = [skill, manifest].map((bytes) => createHash("sha256").update(bytes).digest("hex"));
  return createHash("sha256")
    .update([file, ...parts].join("\n"))
    .digest("hex");
}
