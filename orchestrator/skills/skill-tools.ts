/** The tools of skills. */
import { z } from "zod";
import { AutolithError, failureOf } from "../contract/failure.ts";
import { type ToolDeclaration, declareTool } from "../contract/tool.ts";
import type { SessionSkills } from "./session-skills.ts";

/** `skill.load`. `skills` is asked at each call: the session is opened after its tools are declared. */
export function skillTools(skills: () => SessionSkills | undefined): readonly ToolDeclaration[] {
  return [
    declareTool({
      name: "skill.load",
      description:
        "Takes up a skill of the catalogue by its exact name: its instructions hold until this turn ends. Do so before work that its description fits.",
      arguments: z.strictObject({ name: z.string().min(1).max(256) }),
      effects: "none",
      concurrency: "barrier",
      audience: "primary",
      execute: async ({ name }) => {
        try {
          const here = skills();
          if (here === undefined) throw new AutolithError("session-closed", "The session is not open.");
          return { status: "ok", content: await here.load(name) };
        } catch (error) {
          const { code, message } = failureOf(error);
          return { status: "error", code, content: message };
        }
      },
    }),
  ];
}
