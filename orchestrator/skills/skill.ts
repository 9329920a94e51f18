/** What a skill is: prose instructions that an agent takes up for one turn, kept as `SKILL.sexp` or `SKILL.md` in a directory of their own. */
import {
  DataFormError,
  PlistReader,
  keyword,
  listElements,
  readDataForm,
} from "../../lisp/data-forms/index.ts";
import { z } from "zod";
import { AutolithError, failureOf } from "../contract/failure.ts";
import { issuesText } from "../contract/issue-words.ts";

/** Bounds of a skill's file (facts K). */
export const skillLimits = {
  fileBytes: 65_536,
  instructionCharacters: 65_536,
  descriptionCharacters: 1_024,
  nameCharacters: 64,
  formDepth: 32,
  formNodes: 128,
} as const;

export type SkillText = {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
};

/** A file that is no skill: names the file, what is expected and what came. Code `invalid-skill`. */
export class SkillError extends AutolithError {
  constructor(path: string, problem: string, options: { readonly cause?: unknown } = {}) {
    super("invalid-skill", `${path} is no skill: ${problem}`, options);
  }
}

const namePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const nameRule = "lower-case letters and digits in words joined by single hyphens, at most 64 characters";

/** Reads `SKILL.sexp`: `(:autolith-skill :version 1 :name … :description … :instructions …)`. Throws {@link SkillError}. */
export function skillFromForm(bytes: Uint8Array, path: string): SkillText {
  try {
    const form = readDataForm(bytes, {
      limits: {
        maxBytes: skillLimits.fileBytes,
        maxDepth: skillLimits.formDepth,
        maxNodes: skillLimits.formNodes,
        maxStringCharacters: skillLimits.instructionCharacters,
      },
    });
    const elements = listElements(form) ?? [];
    if (elements[0] !== keyword("autolith-skill"))
      throw new SkillError(path, "its form begins with :autolith-skill");
    const reader = new PlistReader(elements, 1, {
      what: "a skill",
      keys: ["version", "name", "description", "instructions"],
    });
    reader.integer("version", { minimum: 1, maximum: 1 });
    return checkedSkill(
      {
        name: reader.string("name", { minCharacters: 1, maxCharacters: skillLimits.nameCharacters }),
        description: reader.string("description", {
          minCharacters: 1,
          maxCharacters: skillLimits.descriptionCharacters,
        }),
        instructions: reader.string("instructions", { minCharacters: 1 }),
      },
      path,
    );
  } catch (error) {
    if (!(error instanceof DataFormError)) throw error;
    throw new SkillError(path, error.message, { cause: error });
  }
}

const frontMatterSchema = z.strictObject({
  name: z.string().min(1).max(skillLimits.nameCharacters),
  description: z.string().trim().min(1).max(skillLimits.descriptionCharacters),
  license: z.string().max(1_024).optional(),
  compatibility: z.string().max(1_024).optional(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  "allowed-tools": z.union([z.string(), z.array(z.string()).max(128)]).optional(),
});

/** Reads `SKILL.md`: YAML front matter, then the instructions as Markdown. `directoryName` must be the skill's name. Throws {@link SkillError}. */
export async function skillFromMarkdown(
  bytes: Uint8Array,
  path: string,
  directoryName: string,
): Promise<SkillText> {
  const text = utf8(bytes, path).replace(/^\uFEFF/, "");
  const matter = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  if (matter === null)
    throw new SkillError(path, "it begins with YAML front matter between two lines of ---");
  const front = await frontMatter(matter[1] ?? "", path);
  const parsed = frontMatterSchema.safeParse(front);
  if (!parsed.success) throw new SkillError(path, `its front matter: ${issuesText(parsed.error, front)}`);
  const { name, description } = parsed.data;
  if (name !== directoryName)
    throw new SkillError(
      path,
      `its name ${JSON.stringify(name)} is not that of its directory, ${JSON.stringify(directoryName)}`,
    );
  return checkedSkill({ name, description, instructions: text.slice(matter[0].length).trim() }, path);
}

async function frontMatter(text: string, path: string): Promise<unknown> {
  // Loaded for the first skill.
  const { parseDocument } = await import("yaml");
  try {
    const document = parseDocument(text, { schema: "core", uniqueKeys: true });
    const [error] = document.errors;
    if (error !== undefined) throw new SkillError(path, `its front matter is no YAML: ${error.message}`);
    return document.toJS({ maxAliasCount: 0 }) as unknown;
  } catch (error) {
    if (error instanceof SkillError) throw error;
    throw new SkillError(path, `its front matter is no YAML: ${failureOf(error).message}`, { cause: error });
  }
}

function checkedSkill(skill: SkillText, path: string): SkillText {
  if (!namePattern.test(skill.name))
    throw new SkillError(path, `its name is ${nameRule}, not ${JSON.stringify(skill.name)}`);
  if (skill.instructions === "") throw new SkillError(path, "it has no instructions");
  if (skill.instructions.length > skillLimits.instructionCharacters)
    throw new SkillError(
      path,
      `its instructions have ${skill.instructions.length} characters; at most ${skillLimits.instructionCharacters} are read`,
    );
  return skill;
}

function utf8(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new SkillError(path, "it is not UTF-8", { cause: error });
  }
}
