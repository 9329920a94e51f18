/** Mail between sessions: what travels, and the port that carries it. The journals of both sessions are the truth; what travels may come twice. */
import { z } from "zod";
import { endpointSchema, peerIdLimit } from "./endpoint.ts";
import { peerTextLimit } from "./peer-records.ts";

const id = z.string().min(1).max(peerIdLimit);

const message = z.strictObject({
  kind: z.literal("message"),
  version: z.literal(1),
  id,
  sender: endpointSchema,
  receiver: endpointSchema,
  payload: z.string().min(1).max(peerTextLimit),
  /** Epoch milliseconds. */
  createdAt: z.number().int().nonnegative(),
});

/** What the receiving session says of a message. */
const receipt = z.strictObject({
  kind: z.literal("receipt"),
  version: z.literal(1),
  id,
  /** Those of the message, so that nobody else's receipt is believed. */
  sender: endpointSchema,
  receiver: endpointSchema,
  /** `queued`: it is in the receiver's mailbox, claimed or not. */
  state: z.enum(["queued", "acknowledged", "cancelled"]),
  /** With `queued`: its receiver is a child that has ended, so only the primary there can still settle it. */
  receiverEnded: z.literal(true).optional(),
  /** Why it is cancelled: `refused: REASON` when it never came into the mailbox. */
  result: z.string().max(256).optional(),
  /** For people, beside a refusal. */
  explanation: z.string().max(1_024).optional(),
});

export const peerLetterSchema = z.discriminatedUnion("kind", [message, receipt]);
export type PeerLetter = z.infer<typeof peerLetterSchema>;
export type MessageLetter = z.infer<typeof message>;
export type ReceiptLetter = z.infer<typeof receipt>;

export interface PeerTransport {
  /**
   * Puts a letter into the box of a session, where it waits while nobody attends it. Rejects with `mail-unavailable` when that is not
   * certain, `mail-full` when too many letters wait.
   */
  post(session: string, letter: PeerLetter): Promise<void>;
  /**
   * Attends the box of a session: `take` gets what waits and what comes, one after the other in order; a letter whose `take` rejects is
   * offered again. Letters may be offered more than once.
   */
  attend(session: string, take: (letter: PeerLetter) => Promise<void>): Promise<{ close(): Promise<void> }>;
  /** Told when the carrier is there again after it was away: what it had may be lost. Returns the function that ends the subscription. */
  onReturn(listener: () => void): () => void;
}
