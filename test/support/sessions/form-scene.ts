/** Forms in tests: evaluated to their ends, and what they show. */
import type { FormResult, Session } from "../../../orchestrator/contract/session.ts";
import { formResultText } from "../../../orchestrator/prompt/form-text.ts";
import { text } from "./composed-sessions.ts";

/** Evaluates a form and answers what came of it. */
export async function evaluated(session: Session, source: string): Promise<FormResult> {
  const submission = await session.prompt(text(source));
  if (submission.kind !== "form") throw new Error(`a form was expected, not ${JSON.stringify(submission)}`);
  return submission.finished;
}

/** As front ends without their own way to show it print it. */
export async function shown(session: Session, source: string): Promise<string> {
  return formResultText(await evaluated(session, source));
}

/** The values of a form that returns. */
export async function values(session: Session, source: string): Promise<readonly string[]> {
  const result = await evaluated(session, source);
  if (result.status !== "values") throw new Error(`${source} gave ${formResultText(result)}`);
  return result.values.map(({ text: value }) => value);
}
