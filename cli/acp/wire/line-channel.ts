/** Lines over a pair of byte streams: standard input and output, or a socket. */
import type { Readable, Writable } from "node:stream";
import type { FrameChannel } from "./frame-stream.ts";
import { type Frame, LineFrames } from "./line-frames.ts";
import { messageByteLimit } from "./message-limits.ts";
import { writeWhenTaken } from "./writing.ts";

/** The channel. `close` ends the connection; both streams' errors end it too. */
export function lineChannel(input: Readable, output: Writable, close: () => void): FrameChannel {
  // A broken pipe shows in the write that meets it.
  output.on("error", () => undefined);
  return { frames: () => lines(input), send: (text) => writeWhenTaken(output, `${text}\n`), close };
}

async function* lines(input: Readable): AsyncGenerator<Frame> {
  const cutter = new LineFrames(messageByteLimit);
  for await (const chunk of input) yield* cutter.push(chunk as Uint8Array);
  const last = cutter.end();
  if (last !== undefined) yield last;
}
