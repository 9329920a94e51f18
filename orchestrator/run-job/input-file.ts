import { constants, createReadStream, fstat, open } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { ReadStream as TerminalReadStream, isatty } from "node:tty";
import { promisify } from "node:util";
import { errnoOf } from "../record/failure.ts";
import { jobInputLimits } from "./job-input.ts";
import { RunJobFailure } from "./run-job-failure.ts";

/**
 * The bytes of a job file, which may also be a FIFO or a terminal. Reads little more than a job may have at most, so
 * that the reader sees that it is too large. Aborting `signal` ends the reading at once, also of a FIFO nobody writes to.
 * @throws RunJobFailure `input-not-found` when there is nothing at `path`, `invalid-input` when it cannot be read.
 * @throws the signal's reason when it is aborted.
 */
export async function readJobInputFile(path: string, signal?: AbortSignal): Promise<Buffer> {
  try {
    const stream = await openInput(path);
    try {
      return await readJobInputStream(stream, signal);
    } finally {
      stream.destroy();
    }
  } catch (error) {
    signal?.throwIfAborted();
    const code = errnoOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new RunJobFailure("input-not-found", `there is no job file at ${path}`, { cause: error });
    }
    const reason = code ?? "unknown error";
    throw new RunJobFailure("invalid-input", `the job file ${path} cannot be read (${reason})`, {
      cause: error,
    });
  }
}

/**
 * As {@link readJobInputFile}, from a stream such as standard input. Stops reading beyond the limit; errors of the stream
 * pass through.
 * @throws the signal's reason when it is aborted, also while the stream has nothing to give.
 */
export async function readJobInputStream(
  stream: AsyncIterable<Uint8Array | string>,
  signal?: AbortSignal,
): Promise<Buffer> {
  signal?.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([collect(stream), aborted.promise]);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

async function collect(stream: AsyncIterable<Uint8Array | string>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream) {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : Buffer.from(piece);
    pieces.push(bytes);
    size += bytes.length;
    if (size > jobInputLimits.maxBytes) break;
  }
  return Buffer.concat(pieces);
}

/**
 * A stream over whatever is at the path. Opened without blocking and, where a read may wait, read by the event loop: a
 * thread that waits in the kernel for a writer could not be interrupted, and would keep the process from ending.
 */
async function openInput(path: string): Promise<Readable> {
  const descriptor = await promisify(open)(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const status = await promisify(fstat)(descriptor);
  if (status.isFIFO()) return new Socket({ fd: descriptor, readable: true, writable: false });
  if (isatty(descriptor)) return new TerminalReadStream(descriptor);
  return createReadStream(path, { fd: descriptor });
}
