/** The skills of one session: which there are, which the turn has taken up, and what the model is told of them. */
import { stat } from "node:fs/promises";
import type { AnchoredSource, AnchoredText } from "../advice/advice-board.ts";
import { AutolithError } from "../contract/failure.ts";
import { type ExecutableSkill, readExecutableSkill } from "./executable-skill.ts";
import { type FoundSkill, type SkillRoot, type SkillScan, readSkillAt, scanSkills } from "./skill-scan.ts";

/** Characters of the list of skills that the model is sent. */
export const skillCatalogCharacterLimit = 3_500;
/** What one turn may take up. */
export const skillSelectionLimits = { count: 32, characters: 131_072 } as const;

type Selected = { readonly skill: FoundSkill; readonly stamp: string; readonly instructions: string };

export class SessionSkills implements AnchoredSource {
  readonly name = "skills";
  readonly #roots: () => readonly SkillRoot[];
  readonly #selected = new Map<string, Selected>();
  #scan: Promise<SkillScan> | undefined;

  /** `roots` is asked for each scan: the working directory may change. */
  constructor(roots: () => readonly SkillRoot[]) {
    this.#roots = roots;
  }

  /** A turn begins: the selection ends, and files are looked at anew. */
  turnBegan(): void {
    this.#selected.clear();
    this.#scan = undefined;
  }

  scan(): Promise<SkillScan> {
    this.#scan ??= scanSkills(this.#roots());
    return this.#scan;
  }

  /** Looks at the files as they are now, for people; the turn that runs keeps what it found. */
  scanAgain(): Promise<SkillScan> {
    return scanSkills(this.#roots());
  }

  /** The catalogue, then the instructions of each skill that this turn has taken up, as their files are now. */
  async texts(): Promise<readonly AnchoredText[]> {
    const { skills } = await this.scan();
    const texts: AnchoredText[] = skills.length === 0 ? [] : [{ name: "skills", text: catalogText(skills) }];
    for (const [name, selected] of this.#selected) {
      const fresh = await refreshed(selected);
      this.#selected.set(name, fresh);
      texts.push({ name: `skill:${name}`, text: instructionText(fresh) });
    }
    return texts;
  }

  /** Takes a skill up for the turn; answers what the model is told. Rejects with `unknown-skill`, `skill-selection-limit`, `invalid-skill`. */
  async load(name: string): Promise<string> {
    const skill = named(name, await this.scan());
    if (this.#selected.has(name)) return `The skill ${name} is in force already, until this turn ends.`;
    this.#checkRoom(skill);
    this.#selected.set(name, { skill, stamp: await stampOf(skill.path), instructions: skill.instructions });
    return `The skill ${name} is in force until this turn ends; its instructions (${skill.instructions.length} characters, from ${skill.path}) stand beside the conversation.`;
  }

  /**
   * The skill with its code, as its files are now. Rejects with `unknown-skill`, `skill-not-executable`, `invalid-skill-executable` and the
   * file system's errors.
   */
  async executable(name: string): Promise<ExecutableSkill> {
    return readExecutableSkill(name, named(name, await this.scanAgain()).path);
  }

  #checkRoom({ name, instructions }: FoundSkill): void {
    const all = [...this.#selected.values()];
    const characters = all.reduce((sum, each) => sum + each.instructions.length, instructions.length);
    if (all.length < skillSelectionLimits.count && characters <= skillSelectionLimits.characters) return;
    throw new AutolithError(
      "skill-selection-limit",
      `${name} cannot be taken up: ${all.length} skills are in force, with ${characters} characters together with it; a turn may have ${skillSelectionLimits.count} with ${skillSelectionLimits.characters}.`,
    );
  }
}

function named(name: string, { skills }: SkillScan): FoundSkill {
  const skill = skills.find((each) => each.name === name);
  if (skill !== undefined) return skill;
  const there = skills.map((each) => each.name).join(", ");
  throw new AutolithError(
    "unknown-skill",
    `There is no skill ${JSON.stringify(name.slice(0, 80))}. ${
      there === "" ? "None are installed here." : `There are: ${there.slice(0, 2_000)}.`
    }`,
  );
}

async function stampOf(path: string): Promise<string> {
  const { mtimeNs, size, ino } = await stat(path, { bigint: true });
  return `${ino}:${size}:${mtimeNs}`;
}

/** As the file is now; what was read before stays in force when the file cannot be read any more. */
async function refreshed(selected: Selected): Promise<Selected> {
  try {
    const stamp = await stampOf(selected.skill.path);
    if (stamp === selected.stamp) return selected;
    const { instructions } = await readSkillAt(selected.skill.path);
    return { ...selected, stamp, instructions };
  } catch {
    return selected;
  }
}

function catalogText(skills: readonly FoundSkill[]): string {
  const head = "Skills that can be taken up with skill.load when a task fits their description:";
  const lines: string[] = [head];
  let room = skillCatalogCharacterLimit - head.length - 80;
  for (const { name, description, hasExecutable } of skills) {
    const code = hasExecutable ? " (with code, see skill.invoke)" : "";
    const line = `- ${name}${code}: ${description.replaceAll(/\s+/g, " ")}`;
    if (line.length > room) break;
    room -= line.length + 1;
    lines.push(line);
  }
  const omitted = skills.length - (lines.length - 1);
  return omitted === 0
    ? lines.join("\n")
    : `${lines.join("\n")}\n(${omitted} more are not listed; the command skills lists all.)`;
}

function instructionText({ skill, instructions }: Selected): string {
  return `Instructions of the skill ${skill.name} (${skill.directory}), in force for this turn:\n${instructions}`;
}
