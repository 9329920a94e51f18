/** `fetch` over cleartext HTTP/2, as far as the protocol library's HTTP client needs it. */
import { type ClientHttp2Session, connect } from "node:http2";
import { Readable } from "node:stream";

export type H2Fetch = { readonly fetch: typeof globalThis.fetch; close(): void };

export function h2Fetch(origin: string): H2Fetch {
  const session: ClientHttp2Session = connect(origin);
  session.on("error", () => undefined);
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
    const stream = session.request(
      { ":method": request.method, ":path": pathname + search, ...Object.fromEntries(request.headers) },
      { endStream: body === undefined },
    );
    if (body !== undefined) stream.end(body);
    request.signal.addEventListener("abort", () => stream.close());
    return new Promise((resolve, reject) => {
      stream.once("error", reject);
      stream.once("response", (headers) => {
        const plain = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
        const status = headers[":status"] ?? 0;
        const content = [202, 204].includes(status) ? null : (Readable.toWeb(stream) as ReadableStream);
        if (content === null) stream.resume();
        resolve(
          new Response(content, {
            status,
            headers: plain.map(([name, value]) => [name, String(value)] as [string, string]),
          }),
        );
      });
    });
  };
  return { fetch, close: () => session.destroy() };
}
