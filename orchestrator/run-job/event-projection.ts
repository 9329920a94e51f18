/** What observers learn of a run, as event records: only ids, registered tool names, statuses and counters (facts A.6). */
import type { ChildObservation } from "../agents/child-service.ts";
import { usageTotals } from "../agents/agent-result.ts";
import type { AgentEvent } from "../contract/agent-thread.ts";
import type { ModelUsage } from "../contract/model.ts";
import { executionTool } from "../jobs/execution-title.ts";
import { type JobState } from "../jobs/lifecycle.ts";
import type { JobAnnouncement, JobExecution } from "../jobs/supervisor.ts";
import {
  type EventPayload,
  type EventStatus,
  eventCallId,
  eventToolName,
  publishedFileUri,
} from "./events/index.ts";

export type EventProjectionParts = {
  readonly runId: string;
  readonly emit: (payload: EventPayload) => void;
  readonly isRegisteredTool: (name: string) => boolean;
  /** The result file of an execution, absolute. */
  readonly resultPath: (executionId: string) => string;
  /** The root's own end is reported by the run itself, after its artifact is in place. */
  readonly isRoot: (executionId: string) => boolean;
};

/** The status word of a settled job. */
export function finishedStatus(state: JobState): EventStatus {
  if (state === "completed") return "succeeded";
  return state === "aborted" ? "cancelled" : "failed";
}

export class EventProjection {
  readonly #parts: EventProjectionParts;
  readonly #usages = new Map<string, ModelUsage[]>();
  readonly #requests = new Map<string, number>();

  constructor(parts: EventProjectionParts) {
    this.#parts = parts;
  }

  /** Jobs: children start and finish; a detached execution's end is announced with its durable record. */
  announce(announcement: JobAnnouncement): void {
    const { job } = announcement;
    const ids = { "job-id": job.executionId, "execution-id": job.executionId };
    if (announcement.kind === "started" && job.kind === "agent")
      this.#parts.emit({ kind: "job-started", data: { ...ids, status: "running" } });
    if (announcement.kind !== "settled") return;
    this.#usages.delete(job.executionId);
    const status = finishedStatus(announcement.outcome.state);
    const resultUri = publishedFileUri(this.#parts.resultPath(job.executionId));
    if (job.kind === "agent" && !this.#parts.isRoot(job.executionId))
      this.#parts.emit({
        kind: "job-finished",
        data: { ...ids, status, "result-uri": resultUri, "published-p": true },
      });
    if (job.kind !== "agent" && job.detached)
      this.#parts.emit({
        kind: "tool-finished",
        data: {
          ...ids,
          "tool-name": eventToolName(executionTool(job), this.#parts.isRegisteredTool),
          status,
          "result-uri": resultUri,
        },
      });
  }

  observe(observation: ChildObservation): void {
    const { job } = observation;
    switch (observation.kind) {
      case "agent-event":
        this.#agentEvent(job, observation.event);
        return;
      case "tool-started":
        this.#parts.emit({
          kind: "tool-started",
          data: { ...this.#callData(job, observation.call.callId, observation.call.tool), status: "running" },
        });
        return;
      case "tool-finished": {
        const { call, result } = observation.settled;
        this.#parts.emit({
          kind: "tool-finished",
          data: {
            ...this.#callData(job, call.callId, call.tool),
            status: result.status === "ok" ? "succeeded" : "failed",
          },
        });
      }
    }
  }

  #callData(
    job: JobExecution<"agent">,
    callId: string,
    tool: string,
  ): { "job-id": string; "execution-id": string; "call-id": string; "tool-name": string } {
    return {
      "job-id": job.executionId,
      "execution-id": job.executionId,
      "call-id": eventCallId(this.#parts.runId, callId),
      "tool-name": eventToolName(tool, this.#parts.isRegisteredTool),
    };
  }

  #agentEvent(job: JobExecution<"agent">, event: AgentEvent): void {
    const { executionId } = job;
    if (event.event === "request-started") {
      this.#requests.set(executionId, (this.#requests.get(executionId) ?? 0) + 1);
      this.#progress(executionId, "provider-request-started", event.requestNumber);
    }
    if (event.event === "progress") this.#progress(executionId, "provider-progress", event.requestNumber);
    if (event.event !== "request-completed") return;
    this.#progress(executionId, "provider-request-completed", event.requestNumber);
    this.#usage(executionId, event.usage);
  }

  #progress(executionId: string, status: EventStatus, count: number): void {
    this.#parts.emit({
      kind: "progress",
      data: { "job-id": executionId, "execution-id": executionId, count, status },
    });
  }

  /** Sums over the job's completed requests so far; counters nobody reported are left out. */
  #usage(executionId: string, usage: ModelUsage): void {
    const usages = [...(this.#usages.get(executionId) ?? []), usage];
    this.#usages.set(executionId, usages);
    const totals = usageTotals(usages, this.#requests.get(executionId) ?? usages.length);
    this.#parts.emit({
      kind: "usage",
      data: {
        "job-id": executionId,
        "input-tokens": totals.inputTokens,
        "output-tokens": totals.outputTokens,
        "total-tokens": totals.totalTokens,
        "provider-requests": totals.providerRequests,
      },
    });
  }
}
