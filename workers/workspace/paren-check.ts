/** `lisp.paren-check`: whether the parentheses of a Lisp file match. Nothing of it is read or evaluated. */
import { z } from "zod";
import { type ParenCheck, checkParens, parenProblemLimit } from "../../lisp/reader/parentheses.ts";
import { AutolithError } from "../../orchestrator/contract/failure.ts";
import {
  type ToolContext,
  type ToolDeclaration,
  type ToolOutcome,
  declareTool,
} from "../../orchestrator/contract/tool.ts";
import { allowedPath } from "./confined-file.ts";
import { pathOfName } from "./view-image.ts";
import { readWholeFile } from "./whole-file.ts";

/** Largest file that is checked, in bytes. */
export const checkedFileByteLimit = 2 * 1024 * 1024;

export function parenCheckTool(): ToolDeclaration {
  return declareTool({
    name: "lisp.paren-check",
    description:
      "Checks whether the parentheses of a Lisp file match, and says where they do not. Evaluates nothing.",
    arguments: z.strictObject({
      path: z.string().min(1).max(4_096).describe("The file, relative to the working directory."),
    }),
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    execute: ({ path }, context) => checkFile(path, context),
  });
}

async function checkFile(name: string, context: ToolContext): Promise<ToolOutcome> {
  const { path } = await allowedPath(pathOfName(name, context.workspace), "read", context);
  const bytes = await readWholeFile(
    path,
    checkedFileByteLimit,
    (size) =>
      new AutolithError(
        "too-large",
        `${path} has ${size} bytes; files of at most ${checkedFileByteLimit} are checked.`,
      ),
  );
  const check = checkParens(bytes.toString("utf8"));
  const content = checkText(name, check);
  return check.problems.length === 0
    ? { status: "ok", content }
    : { status: "error", code: "unbalanced", content };
}

function checkText(name: string, { forms, problems }: ParenCheck): string {
  if (problems.length === 0) return `${name}: the parentheses match; ${forms} form(s) at the top level.`;
  const lines = problems.map(({ line, column, message }) => `${name}:${line}:${column} ${message}`);
  if (problems.length === parenProblemLimit) lines.push(`[at most ${parenProblemLimit} are shown]`);
  return lines.join("\n");
}
