/** The first request on a local endpoint: `_autolith/authenticate` with the token of the endpoint's record, as the server meets it. */
import { z } from "zod";
import { extensionMethods, wireMethod } from "../../orchestrator/contract/acp/method-table.ts";
import { parseForeignJson } from "../../orchestrator/contract/json-nesting.ts";
import { withinDeadline } from "../../orchestrator/queue/deadline.ts";
import { sameSecret } from "../acp/secret-comparison.ts";
import type { FrameChannel } from "../acp/wire/frame-stream.ts";
import type { Frame } from "../acp/wire/line-frames.ts";

/** Time that a client gets to say who it is, in milliseconds. */
export const authenticationMs = 10_000;

const requestSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string().max(64), z.number()]),
  method: z.literal(wireMethod("authenticate")),
  params: extensionMethods.authenticate.params,
});

/** A client that proved itself: its name, and the rest of its channel. */
export type AuthenticatedClient = { readonly name: string; readonly channel: FrameChannel };

/** Reads the first frame and answers it. Undefined, after an answer that says so, for a client that is not let in. */
export async function authenticateClient(
  channel: FrameChannel,
  token: string,
  hostId: string,
): Promise<AuthenticatedClient | undefined> {
  const frames = channel.frames()[Symbol.asyncIterator]();
  const first = await firstWithin(frames, authenticationMs);
  const request = first === undefined ? undefined : parsedRequest(first);
  if (request === undefined || !sameSecret(request.params.token, token)) {
    const error = { code: -32_000, message: "authentication required: the token of the endpoint's record" };
    await channel.send(JSON.stringify({ jsonrpc: "2.0", id: request?.id ?? null, error }));
    return undefined;
  }
  const result = { outcome: "ok", value: { hostId } };
  await channel.send(JSON.stringify({ jsonrpc: "2.0", id: request.id, result }));
  const rest = { ...channel, frames: () => ({ [Symbol.asyncIterator]: () => frames }) };
  return { name: request.params.client ?? "local", channel: rest };
}

async function firstWithin(frames: AsyncIterator<Frame>, ms: number): Promise<Frame | undefined> {
  let first: Frame | undefined;
  const taken = frames.next().then((next) => {
    if (next.done !== true) first = next.value;
  });
  await withinDeadline(taken, ms);
  return first;
}

function parsedRequest(frame: Frame): z.infer<typeof requestSchema> | undefined {
  if (frame.kind !== "bytes") return undefined;
  try {
    return requestSchema.parse(parseForeignJson(Buffer.from(frame.bytes).toString("utf8")));
  } catch {
    return undefined;
  }
}
