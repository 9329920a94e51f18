/** What the command `skills` shows. Pure. */
import type { SkillScan } from "./skill-scan.ts";

export function skillListing({ skills, diagnostics }: SkillScan): string {
  const rows =
    skills.length === 0
      ? [
          "There are no skills here. A skill is a directory with SKILL.md or SKILL.sexp in it, below .autolith/skills of a project, or skills in the configuration directory.",
        ]
      : skills.map(
          ({ name, origin, description, path, hasExecutable }) =>
            `${name} (${origin}${hasExecutable ? ", executable" : ""}): ${description.replaceAll(/\s+/g, " ")}\n  ${path}`,
        );
  return [...rows, ...diagnostics.map((problem) => `! ${problem}`)].join("\n");
}
