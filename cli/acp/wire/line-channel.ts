/** Lines over a pair of byte streams: standard input and output, or a socket. */
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { FrameChannel } from "./frame-stream.ts";
import { type Frame, LineFrames } from "./line-frames.ts";
import { messageByteLimit } from "./message.ts";

/** The channel. `close` ends the connection; both streams' errors end it too. */
export function lineChannel(input: Readable, output: Writable, close: () => void): FrameChannel {
  // A broken pipe shows in the write that meets it.
  output.on("error", () => undefined);
  return { frames: () => lines(input), send: (text) => writeLine(output, text), close };
}

async function* lines(input: Readable): AsyncGenerator<Frame> {
  const cutter = new LineFrames(messageByteLimit);
  for await (const chunk of input) yield* cutter.push(chunk as Uint8Array);
  const last = cutter.end();
  if (last !== undefined) yield last;
}

/** Resolves when the stream takes more. */
async function writeLine(output: Writable, text: string): Promise<void> {
  if (output.destroyed || output.writableEnded) throw new Error("the client's connection has ended");
  if (output.write(`${text}\n`)) return;
  const gone = new AbortController();
  const end = (): void => gone.abort(new Error("the client's connection has ended"));
  output.once("close", end);
  try {
    await once(output, "drain", { signal: gone.signal });
  } finally {
    output.off("close", end);
  }
}
