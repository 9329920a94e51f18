/** The tools of a conversation that start work and look after it: commands, Lisp, children, jobs. */
import { agentEntries } from "../agents/role-directory.ts";
import type { ChildService } from "../agents/child-service.ts";
import { type RoleCatalog, roleWarnings } from "../../roles/index.ts";
import type { ContinuityService } from "../continuity/index.ts";
import type { LispImage } from "../contract/lisp-image.ts";
import type { ToolDeclaration } from "../contract/tool.ts";
import { shellTool } from "../executions/shell-tool.ts";
import type { Job } from "../jobs/job-table.ts";
import type { Supervisor } from "../jobs/supervisor.ts";
import type { ModelDirectory } from "../models/model-directory.ts";
import type { HostLisp } from "../repls/lisp-executor.ts";
import { lispTools } from "../repls/lisp-tools.ts";
import { type WorkflowToolParts, workflowTools } from "../skills/workflow-tools.ts";
import type { JobView } from "../tasks/job-record.ts";
import { jobTools } from "../tasks/job-tools.ts";
import { type TaskToolParts, taskTools } from "../tasks/task-tools.ts";
import type { JobViews } from "./job-views.ts";

/** Time a blocking tool call waits before its job is handed off (facts C.3). */
export const blockingGraceMs = 10_000;

export type WorkToolParts = {
  readonly supervisor: Supervisor;
  readonly views: JobViews;
  readonly continuity: Pick<ContinuityService, "retainedJobs">;
  readonly lisp: Pick<HostLisp, "repls" | "hostTools">;
  readonly activeImage?: () => Promise<LispImage> | undefined;
  /** A skill with its code; absent where there are no skills. */
  readonly executableSkill?: WorkflowToolParts["executable"];
  readonly children: () => Pick<ChildService, "prepareTask" | "steer">;
  readonly roles: () => RoleCatalog;
  readonly models: Pick<ModelDirectory, "knows">;
  readonly budget: TaskToolParts["budget"];
  /** Where results of children are. */
  readonly artifactRoot: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export function workTools(parts: WorkToolParts): readonly ToolDeclaration[] {
  const {
    supervisor,
    views,
    lisp,
    activeImage,
    executableSkill,
    children,
    models,
    budget,
    artifactRoot,
    now,
  } = parts;
  const view = (job: Job): Promise<JobView> => views.whole(job);
  const supervised = { supervisor, view, graceMs: blockingGraceMs };
  return [
    shellTool(supervised),
    ...lispTools({ ...lisp, ...supervised, ...(activeImage === undefined ? {} : { activeImage }) }),
    ...(executableSkill === undefined
      ? []
      : workflowTools({ ...supervised, hostTools: lisp.hostTools, executable: executableSkill })),
    ...taskTools({
      ...supervised,
      prepare: (item, context, index) => children().prepareTask(item, context, index),
      agents: (caller) => {
        const roles = parts.roles();
        const warnings = roleWarnings(roles, (id) => models.knows(id));
        const role = caller.kind === "primary" ? undefined : caller.role;
        return Promise.resolve(agentEntries(roles, role, warnings));
      },
      budget,
      artifactRoot,
      now,
    }),
    ...jobTools({
      supervisor,
      view,
      durable: (executionId) => views.durable(executionId),
      retained: (caller) => parts.continuity.retainedJobs(caller),
      steer: (job, message) => children().steer(job, message),
    }),
  ];
}
