import type { Writable } from "node:stream";

/** Where event text goes. */
export interface EventSink {
  /** Settles when the text has been taken by the operating system; rejects when it never will be. One call at a time. */
  write(text: string): Promise<void>;
}

/**
 * A sink over a Node stream such as `process.stdout`. A write is complete when the stream says so, which for a pipe is
 * when its reader has made room. Errors of the stream (a reader that left) reject the write in flight and all later ones,
 * and never become uncaught.
 */
export function streamEventSink(stream: Writable): EventSink {
  let failure: Error | undefined;
  stream.on("error", (error) => {
    failure ??= error;
  });
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) {
          reject(failure);
          return;
        }
        stream.write(text, (error) => {
          if (error === null || error === undefined) resolve();
          else reject(error);
        });
      }),
  };
}
