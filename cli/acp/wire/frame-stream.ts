/** Makes the message stream of the protocol library out of a channel of frames. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import type { Frame } from "./line-frames.ts";
import { decodeMessage, oversizedAnswer } from "./message.ts";

/** A connection that carries whole frames both ways. */
export interface FrameChannel {
  /** Frames in order; ends when the client has said its last. Read once. */
  frames(): AsyncIterable<Frame>;
  /** Hands over one message; resolves when the next may come, rejects when the connection is gone. */
  send(text: string): Promise<void>;
  /** Ends the connection. */
  close(): void;
}

/**
 * The stream of a channel. Frames that are no messages are answered here. Messages come one a turn of the event loop, so that each has
 * begun to be handled before the next one is seen.
 */
export function frameStream(channel: FrameChannel): Stream {
  const write = (message: AnyMessage): Promise<void> => channel.send(JSON.stringify(message));
  return {
    readable: new ReadableStream<AnyMessage>(
      {
        start: (controller) => {
          void pump(channel, controller, write);
        },
        cancel: () => channel.close(),
      },
      { highWaterMark: 0 },
    ),
    writable: new WritableStream<AnyMessage>({
      write,
      close: () => channel.close(),
      abort: () => channel.close(),
    }),
  };
}

async function pump(
  channel: FrameChannel,
  controller: ReadableStreamDefaultController<AnyMessage>,
  write: (message: AnyMessage) => Promise<void>,
): Promise<void> {
  try {
    for await (const frame of channel.frames()) {
      const decoded = frame.kind === "bytes" ? decodeMessage(frame.bytes) : undefined;
      if (decoded?.kind === "message") controller.enqueue(decoded.message);
      else await write(decoded?.answer ?? oversizedAnswer());
      await nextTurn();
    }
    controller.close();
  } catch (error) {
    // The channel broke, or the reader has been cancelled: for the library both are the end of the connection.
    failQuietly(controller, error);
  }
}

function failQuietly(controller: ReadableStreamDefaultController<AnyMessage>, error: unknown): void {
  try {
    controller.error(error);
  } catch {
    // It was closed or cancelled before.
  }
}
