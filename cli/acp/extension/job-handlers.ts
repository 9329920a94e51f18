/** The methods about a session's jobs. */
import { AutolithError } from "../../../orchestrator/contract/failure.ts";
import { envelopeByteLimit } from "../../../orchestrator/contract/acp/envelope.ts";
import { pageDefault } from "../../../orchestrator/contract/acp/session-methods.ts";
import type { ParsedParamsOf, ValueOf } from "../../../orchestrator/contract/acp/method-table.ts";
import type { JobTranscript } from "../../../orchestrator/contract/session.ts";
import { acpUpdates } from "../translation/acp-updates.ts";
import type { Handlers } from "./handlers.ts";
import { countWithin, listPage } from "./response-bounds.ts";

/** Room for what stands around the updates of an answer, in bytes. */
const envelopeRoom = 1_024;

export const jobHandlers: Handlers<"jobs" | "job" | "job-transcript" | "job-send" | "job-cancel"> = {
  jobs: async ({ sessionId, limit, cursor }, { sessions }) => {
    const page = listPage(sessions.find(sessionId).jobs(), cursor, limit ?? pageDefault);
    return Promise.resolve({ jobs: [...page.rows], nextCursor: page.nextCursor, total: page.total });
  },
  job: async ({ sessionId, jobId }, { sessions }) => sessions.find(sessionId).job(jobId),
  "job-transcript": async (params, { sessions }) => {
    const { sessionId, jobId, offset, limit, output } = params;
    const transcript = await sessions.find(sessionId).jobTranscript({
      jobId,
      output: output ?? "text",
      ...(offset === undefined ? {} : { offset }),
      ...(limit === undefined ? {} : { limit }),
    });
    return transcript.output === "text" ? transcript : structuredTranscript(transcript, params);
  },
  "job-send": async ({ sessionId, jobId, text }, { sessions }) => ({
    waiting: await sessions.writable(sessionId).sendToJob(jobId, text),
  }),
  "job-cancel": async ({ sessionId, jobId }, { sessions }) => {
    await sessions.writable(sessionId).cancelJob(jobId);
    return { jobId };
  },
};

/** The updates as ACP has them, as many as one answer holds. Throws `answer-limit` when the first alone is too long. */
function structuredTranscript(
  transcript: Extract<JobTranscript, { output: "structured" }>,
  { native }: ParsedParamsOf<"job-transcript">,
): ValueOf<"job-transcript"> {
  const { updates, offset, total, nextOffset, complete } = transcript;
  const bodies = updates.map((update) => ({
    native: native === true ? [update] : [],
    acp: acpUpdates(update, { notices: false }),
  }));
  const limit = envelopeByteLimit - envelopeRoom;
  const count = countWithin(bodies, limit);
  const [first] = bodies;
  if (first !== undefined && Buffer.byteLength(JSON.stringify(first)) > limit)
    throw new AutolithError(
      "answer-limit",
      `Update ${offset} alone has more than the ${limit} bytes of an answer; read the job with output text.`,
    );
  const taken = bodies.slice(0, count);
  const isCut = count < bodies.length;
  return {
    output: "structured",
    updates: taken.flatMap(({ acp }) => acp),
    offset,
    total,
    nextOffset: isCut ? offset + count : nextOffset,
    complete: isCut ? false : complete,
    ...(native === true ? { native: taken.flatMap((each) => each.native) } : {}),
  };
}
