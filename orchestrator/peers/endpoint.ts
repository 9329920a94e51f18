/** Who can send and receive mail: the primary of a session, or one exact execution of a child. A replacement is somebody else. */
import { z } from "zod";
import type { ToolCaller } from "../contract/caller.ts";
import { executionIdSchema } from "../contract/identifiers.ts";
import { PeerMessageError } from "./peer-error.ts";

/** Longest id of a grant, message or endpoint, in characters. */
export const peerIdLimit = 256;

const part = z.string().min(1).max(128);

/** Without `child`: the primary. */
export const endpointSchema = z.strictObject({
  /** Root conversation of the session. */
  session: part,
  child: z.strictObject({ job: part, execution: executionIdSchema }).optional(),
});

export type Endpoint = z.infer<typeof endpointSchema>;

/** `P7:abcdefg`, or `C7:abcdefg12:keen-heron-336:<execution>`: each part behind its length in characters. */
export function endpointId({ session, child }: Endpoint): string {
  const counted = (text: string): string => `${text.length}:${text}`;
  return child === undefined
    ? `P${counted(session)}`
    : `C${counted(session)}${counted(child.job)}${counted(child.execution)}`;
}

/** The endpoint that an id names. Throws `identity` with what was expected. */
export function parseEndpointId(id: string): Endpoint {
  const parts = id.length > peerIdLimit ? undefined : countedParts(id.slice(1));
  const [session, job, execution] = parts ?? [];
  const isPrimary = id.startsWith("P") && parts?.length === 1;
  const isChild = id.startsWith("C") && parts?.length === 3;
  const endpoint = endpointSchema.safeParse(isPrimary ? { session } : { session, child: { job, execution } });
  if ((isPrimary || isChild) && endpoint.success) return endpoint.data;
  throw new PeerMessageError(
    "identity",
    `${JSON.stringify(id.slice(0, 80))} is no endpoint id; take one exactly as peer.discover shows it.`,
  );
}

function countedParts(text: string): readonly string[] | undefined {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const [head, count] = /^([0-9]{1,3}):/.exec(text.slice(at)) ?? [];
    if (head === undefined) return undefined;
    const start = at + head.length;
    const end = start + Number(count);
    if (end > text.length) return undefined;
    parts.push(text.slice(start, end));
    at = end;
  }
  return parts;
}

export function sameEndpoint(left: Endpoint, right: Endpoint): boolean {
  return endpointId(left) === endpointId(right);
}

/** The endpoint of whoever calls a tool. */
export function callerEndpoint(caller: ToolCaller): Endpoint {
  const session = caller.rootConversationId;
  return caller.executionId === undefined
    ? { session }
    : { session, child: { job: caller.jobName, execution: caller.executionId } };
}
