export {
  eventCategories,
  eventCategoryOf,
  exitCodeOf,
  failureCategories,
  failureCategoryNames,
  type EventCategory,
  type FailureCategory,
  type FailureStatus,
  type RunStatus,
} from "./categories.ts";
export { childUserMessage } from "./child-message.ts";
export { readJobInputFile, readJobInputStream } from "./input-file.ts";
export { jobInputLimits, readJobInput, type JobInput, type JobInputReading } from "./job-input.ts";
export {
  resultForm,
  resultLimits,
  resultText,
  type RunOutcome,
  type RunResult,
  type RunUsage,
} from "./result-artifact.ts";
export { RunJobFailure } from "./run-job-failure.ts";
export { utcSeconds } from "./utc-time.ts";
