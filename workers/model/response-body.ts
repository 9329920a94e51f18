/** What is known of a response beside its events. */
export interface BodyWatch {
  /** Called for every chunk of bytes, keep-alive comments included, before anybody parses it. What it throws ends the body. */
  onBytes(bytes: Uint8Array): void;
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
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) {
        controller.close();
        return;
      }
      watch.onBytes(value);
      controller.enqueue(value);
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
