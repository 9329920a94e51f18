/** Puts `job.continuity` of one conversation together: its service over the files, and the tool over both. */
import type { ChildService } from "../agents/child-service.ts";
import { type CheckpointImages, ContinuityService, continuityTool } from "../continuity/index.ts";
import type { ConversationId } from "../contract/identifiers.ts";
import type { ToolCaller } from "../contract/caller.ts";
import type { ToolDeclaration } from "../contract/tool.ts";
import type { JobJournal } from "../jobs/journal-records.ts";
import type { JobRequest } from "../jobs/admissions.ts";
import type { Supervisor } from "../jobs/supervisor.ts";
import type { Job } from "../jobs/job-table.ts";
import { describeJob, visibleJobs } from "../tasks/job-tools.ts";
import type { TaskToolParts } from "../tasks/task-tools.ts";
import type { JobViews } from "./job-views.ts";

export type JobContinuityParts = {
  readonly conversationId: ConversationId;
  readonly tasksDirectory: string;
  readonly journal: JobJournal;
  readonly supervisor: Supervisor;
  readonly views: JobViews;
  readonly children: () => Pick<ChildService, "revivedRequest">;
  readonly budget: TaskToolParts["budget"];
  /** Saved images that jobs can be reconstructed from. */
  readonly images: CheckpointImages;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** The service. */
export function jobContinuity(parts: JobContinuityParts): ContinuityService {
  const { conversationId, tasksDirectory, journal, supervisor, now } = parts;
  return new ContinuityService({
    rootConversationId: conversationId,
    tasksDirectory,
    journal,
    jobs: () => supervisor.jobs(conversationId),
    restart: async (specification, { completionPolicy }, context, idempotencyKey) => {
      const request = await parts.children().revivedRequest(specification, completionPolicy, context);
      return admitted({ ...request, idempotencyKey }, parts);
    },
    images: parts.images,
    now,
  });
}

/** The tool over the service. */
export function jobContinuityTool(service: ContinuityService, parts: JobContinuityParts): ToolDeclaration {
  const { conversationId, supervisor, views } = parts;
  const lookup = {
    supervisor,
    view: (job: Job) => views.whole(job),
    durable: (id: Parameters<JobViews["durable"]>[0]) => views.durable(id),
    retained: (caller: ToolCaller) => service.retainedJobs(caller),
  };
  return continuityTool({
    service,
    visible: (caller) => visibleJobs(supervisor, caller),
    admittedAs: (key) => supervisor.admittedAs(conversationId, key),
    describe: (executionId, caller) => describeJob(lookup, caller, executionId),
    pathOf: (executionId) => views.resultPath(executionId),
  });
}

async function admitted(
  request: JobRequest<"agent">,
  { budget, supervisor, conversationId }: JobContinuityParts,
): Promise<Job> {
  budget.take(1);
  try {
    const [job] = await supervisor.admit(conversationId, [request]);
    return job as Job;
  } catch (error) {
    budget.giveBack(1);
    throw error;
  }
}
