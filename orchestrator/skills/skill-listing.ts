/** What the command `skills` shows. */
import { failureOf } from "../contract/failure.ts";
import { skillOperations } from "./executable-manifest.ts";
import { readExecutableSkill } from "./executable-skill.ts";
import type { FoundSkill, SkillScan } from "./skill-scan.ts";
import { type SkillVerification, type SkillVerifications, isCurrent } from "./skill-verifications.ts";

/** What is known of a skill's code, in a few words, or what is wrong with its manifest. */
type CodeState =
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "broken"; readonly problem: string };

/** The list: each skill with its code and what that has passed, and then what is wrong. Never rejects. */
export async function skillListing(
  { skills, diagnostics }: SkillScan,
  verifications: Pick<SkillVerifications, "all">,
): Promise<string> {
  const problems = [...diagnostics];
  const known = await verifications.all().catch((error: unknown): readonly SkillVerification[] => {
    problems.push(failureOf(error).message);
    return [];
  });
  const rows: string[] = [];
  for (const skill of skills) {
    const code = skill.hasExecutable ? await codeState(skill, known) : undefined;
    if (code?.kind === "broken") problems.push(code.problem);
    rows.push(row(skill, code));
  }
  if (rows.length === 0)
    rows.push(
      "There are no skills here. A skill is a directory with SKILL.md or SKILL.sexp in it, below .autolith/skills of a project, or skills in the configuration directory.",
    );
  return [...rows, ...problems.map((problem) => `! ${problem}`)].join("\n");
}

function row({ name, origin, description, path }: FoundSkill, code: CodeState | undefined): string {
  const words = code === undefined ? "" : `, ${code.kind === "code" ? code.text : "its code cannot be used"}`;
  return `${name} (${origin}${words}): ${description.replaceAll(/\s+/g, " ")}\n  ${path}`;
}

async function codeState(
  { name, path }: FoundSkill,
  known: readonly SkillVerification[],
): Promise<CodeState> {
  try {
    const skill = await readExecutableSkill(name, path);
    const own = known.filter((each) => each.skill === skill.path);
    const words = [`executable ${skill.manifest.skillVersion}`];
    for (const operation of skillOperations) {
      const last = own.find((each) => each.operation === operation);
      if (last !== undefined) words.push(verificationText(last, await isCurrent(last, skill.identity)));
    }
    if (words.length === 1) words.push("not verified");
    return { kind: "code", text: words.join(", ") };
  } catch (error) {
    return { kind: "broken", problem: failureOf(error).message };
  }
}

/** Pure. */
export function verificationText({ operation, isPassed, at }: SkillVerification, isSame: boolean): string {
  const when = new Date(at).toISOString().slice(0, 16).replace("T", " ");
  if (!isSame) return `changed since its ${operation} of ${when}`;
  return `${operation} ${isPassed ? "passed" : "failed"} ${when}`;
}
