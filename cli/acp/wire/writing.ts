/** Writing to a stream no faster than it is taken. */
import { once } from "node:events";
import type { Writable } from "node:stream";

/** Writes and resolves when the stream takes more; rejects when it has ended. */
export async function writeWhenTaken(output: Writable, data: string | Uint8Array): Promise<void> {
  if (output.destroyed || output.writableEnded) throw ended();
  if (output.write(data)) return;
  const gone = new AbortController();
  const end = (): void => gone.abort(ended());
  output.once("close", end);
  try {
    await once(output, "drain", { signal: gone.signal });
  } finally {
    output.off("close", end);
  }
}

function ended(): Error {
  return new Error("the client's connection has ended");
}
