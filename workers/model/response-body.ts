/** What is known of a response beside its events. */
export interface BodyWatch {
  /**
   * Called for every chunk of bytes, keep-alive comments included, before anybody parses it. Answers how many of them may be passed on;
   * when that is not all, the body fails behind them.
   */
  onBytes(bytes: Uint8Array): number;
  /** What the body fails with then. */
  refusal(): Error;
  /** True when the answer is whole: the rest of the body is then read to its end, so that the connection is reused. */
  isComplete(): boolean;
}

/** Most bytes that are read behind a complete answer to keep its connection. */
const drainByteLimit = 65_536;

/**
 * The same response with its body watched. The SDK stops reading at the end mark of a stream and cancels the body,
 * which would close the connection and cost a new one for each turn; this body drains what is left instead.
 */
export function watchedResponse(response: Response, watch: BodyWatch): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  let refused = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // Not before the consumer has taken what came before: an error would discard it.
      if (refused) {
        await reader.cancel();
        throw watch.refusal();
      }
      const { done, value } = await reader.read();
      if (done) {
        controller.close();
        return;
      }
      const passed = watch.onBytes(value);
      refused = passed < value.length;
      controller.enqueue(refused ? value.subarray(0, passed) : value);
    },
    async cancel(reason) {
      if (watch.isComplete()) await drain(reader);
      await reader.cancel(reason);
    },
  });
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (let bytes = 0; bytes < drainByteLimit;) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes += value.length;
  }
}
