/** What a session's mail journal holds (`<conversation>.peers.sexp`): grants and the life of each message, in order. */
import { z } from "zod";
import { endpointSchema, peerIdLimit } from "./endpoint.ts";

/** Longest text of a message, in characters. */
export const peerTextLimit = 8_192;

const id = z.string().min(1).max(peerIdLimit);
/** Epoch milliseconds. */
const at = z.number().int().nonnegative();

/** `local`: within the session. `outgoing`, `incoming`: the other side is another session. */
export const peerScopes = ["local", "outgoing", "incoming"] as const;
const scope = z.enum(peerScopes);
export type PeerScope = z.infer<typeof scope>;

const granted = z.strictObject({
  kind: z.literal("granted"),
  at,
  id,
  sender: endpointSchema,
  receiver: endpointSchema,
  /** Messages are handed to the receiver at its safe boundaries. */
  context: z.boolean(),
  scope,
});
const revoked = z.strictObject({ kind: z.literal("revoked"), at, id });
const posted = z.strictObject({
  kind: z.literal("posted"),
  at,
  id,
  sender: endpointSchema,
  receiver: endpointSchema,
  payload: z.string().min(1).max(peerTextLimit),
  scope,
  /** When the sender made it; epoch milliseconds. */
  createdAt: at,
});
/** The other session has it. */
const accepted = z.strictObject({ kind: z.literal("accepted"), at, id });
/** Its receiver in the other session is a child that has ended. */
const receiverEnded = z.strictObject({ kind: z.literal("receiver-ended"), at, id });
const claimed = z.strictObject({ kind: z.literal("claimed"), at, id, token: z.number().int().positive() });
/** Whoever claimed it is gone; whether it was handled is not known. */
const uncertain = z.strictObject({ kind: z.literal("uncertain"), at, id });
const acknowledged = z.strictObject({ kind: z.literal("acknowledged"), at, id });
const cancelled = z.strictObject({
  kind: z.literal("cancelled"),
  at,
  id,
  /** Why, such as `refused: grant`. */
  result: z.string().max(256),
});
/** Waits for its receiver again, or for the other session. */
const requeued = z.strictObject({ kind: z.literal("requeued"), at, id });

export const peerRecordSchema = z.discriminatedUnion("kind", [
  granted,
  revoked,
  posted,
  accepted,
  receiverEnded,
  claimed,
  uncertain,
  acknowledged,
  cancelled,
  requeued,
]);

export type PeerRecord = z.infer<typeof peerRecordSchema>;
export type GrantedRecord = z.infer<typeof granted>;
export type PostedRecord = z.infer<typeof posted>;
