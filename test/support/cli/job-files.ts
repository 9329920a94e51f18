/** Job files, and what a run of one left behind. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { type DataForm, Keyword, readDataForm, recordLimits } from "../../../lisp/data-forms/index.ts";
import { readRunJobEvents } from "../../../orchestrator/run-job/events/index.ts";
import { type Ended, type LaunchOptions, type Running, type Sandpit, launch } from "./launch.ts";

export type JobFields = {
  readonly id?: string;
  readonly role?: string;
  readonly prompt?: string;
  readonly input?: string;
  readonly contract?: string;
  readonly timeoutSeconds?: number;
};

/** The text of a valid job file. */
export function jobText(fields: JobFields = {}): string {
  return `(:autolith-job :version 1
 :id ${JSON.stringify(fields.id ?? "job-1")}
 :role ${JSON.stringify(fields.role ?? "task")}
 :prompt ${JSON.stringify(fields.prompt ?? "Answer.")}
 :input ${fields.input ?? "nil"}
 :output-contract ${fields.contract ?? '(:type :object :properties (("answer" (:type :string))) :required ("answer"))'}
 :timeout-seconds ${fields.timeoutSeconds ?? 60})
`;
}

/** A plist form as an object with lower-case keys. */
export function fields(form: DataForm | undefined, start = 0): Record<string, DataForm | undefined> {
  if (!Array.isArray(form)) return {};
  const result: Record<string, DataForm | undefined> = {};
  for (let index = start; index < form.length; index += 2) {
    const key: unknown = form[index];
    if (key instanceof Keyword) result[key.name.toLowerCase()] = form[index + 1] as DataForm;
  }
  return result;
}

/** A keyword's lower-case name, or the value itself. */
export function plain(form: DataForm | undefined): unknown {
  return form instanceof Keyword ? form.name.toLowerCase() : form;
}

/** The artifact as an object: `status`, `category`, `message`, `result`, `usage`, `id`. */
export function readArtifact(path: string): Record<string, unknown> {
  const form = readDataForm(readFileSync(path), { limits: recordLimits });
  const artifact = fields(form, 1);
  const failure = fields(artifact["failure"]);
  return {
    id: artifact["id"],
    status: plain(artifact["status"]),
    category: plain(failure["category"]),
    message: failure["message"],
    result: artifact["result"],
    usage: fields(artifact["usage"]),
    traceId: artifact["trace-id"],
  };
}

export type FinishedRun = Ended & {
  readonly artifact: Record<string, unknown>;
  readonly events: readonly {
    readonly seq: number;
    readonly kind: string;
    readonly data: Record<string, unknown>;
  }[];
};

/** Starts run-job on a job text, with events. */
export function startRun(
  pit: Sandpit,
  job: string,
  options: LaunchOptions & { readonly argv?: readonly string[] } = {},
): Running {
  pit.write("job.sexp", job);
  return launch(
    pit,
    [
      "run-job",
      "--input",
      "job.sexp",
      "--output",
      "out/result.sexp",
      "--events",
      "sexp",
      ...(options.argv ?? []),
    ],
    options,
  );
}

/** Waits for the end and reads artifact and events; every byte of standard output must be an event. */
export async function finish(pit: Sandpit, running: Running): Promise<FinishedRun> {
  const ended = await running.ended;
  const events: { seq: number; kind: string; data: Record<string, unknown> }[] = [];
  for await (const event of readRunJobEvents(Readable.from([Buffer.from(ended.stdout)])))
    events.push({ seq: event.seq, kind: event.kind, data: event.data as Record<string, unknown> });
  return { ...ended, events, artifact: readArtifact(join(pit.workspace, "out/result.sexp")) };
}

/** Runs a job text to its end. */
export async function run(
  pit: Sandpit,
  job: string,
  options: LaunchOptions & { readonly argv?: readonly string[] } = {},
): Promise<FinishedRun> {
  return finish(pit, startRun(pit, job, options));
}
