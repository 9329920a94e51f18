/** What a person is told of a handed-off execution that was ended with the child that it belonged to. Pure. */
import { executionText, executionTool } from "../jobs/execution-title.ts";
import type { JobAnnouncement } from "../jobs/supervisor.ts";

/** Characters of a command that are shown. */
const shownCommand = 200;

/** One line; undefined for everything else, also for what somebody cancelled. */
export function endedExecutionText(announcement: JobAnnouncement): string | undefined {
  if (announcement.kind !== "settled") return undefined;
  const { job, outcome } = announcement;
  if (job.kind === "agent" || !job.detached || outcome.state !== "aborted") return undefined;
  if (outcome.reason === "user" || outcome.reason === "timeout") return undefined;
  const text = executionText(job.payload).replaceAll(/\s+/g, " ");
  const more = text.length > shownCommand ? `… (${text.length - shownCommand} more characters)` : "";
  return `run-job: ${job.name} was still running when its agent ended and was ended with it: ${executionTool(job)} ${text.slice(0, shownCommand).toWellFormed()}${more}`;
}
