/** What programs may import: running a job, and reading the events of one. */
export { runJob, type RunJobOptions } from "./run-job/run-job.ts";
export { readRunJobEvents } from "../orchestrator/run-job/events/index.ts";
