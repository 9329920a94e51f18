import { createReadStream } from "node:fs";
import { errnoOf } from "../record/failure.ts";
import { jobInputLimits } from "./job-input.ts";
import { RunJobFailure } from "./run-job-failure.ts";

/**
 * The bytes of a job file, which may also be a FIFO or another stream. Reads one byte more than a job may have at most,
 * so that the reader sees that it is too large.
 * @throws RunJobFailure `input-not-found` when there is nothing at `path`, `invalid-input` when it cannot be read.
 */
export async function readJobInputFile(path: string, signal?: AbortSignal): Promise<Buffer> {
  const stream = createReadStream(path, { ...(signal === undefined ? {} : { signal }) });
  try {
    return await readJobInputStream(stream);
  } catch (error) {
    if (signal?.aborted === true) throw error;
    const code = errnoOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new RunJobFailure("input-not-found", `there is no job file at ${path}`, { cause: error });
    }
    throw new RunJobFailure(
      "invalid-input",
      `the job file ${path} cannot be read (${code ?? "unknown error"})`,
      {
        cause: error,
      },
    );
  }
}

/** As {@link readJobInputFile}, from a stream such as standard input. Stops reading beyond the limit; read errors pass through. */
export async function readJobInputStream(stream: AsyncIterable<Uint8Array | string>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream) {
    const bytes = Buffer.from(piece as Uint8Array);
    pieces.push(bytes);
    size += bytes.length;
    if (size > jobInputLimits.maxBytes) break;
  }
  return Buffer.concat(pieces);
}
