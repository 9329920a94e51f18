/**
 * `_autolith/event`: what a client is told besides the standard `session/update`. A client that subscribed to native updates gets everything as
 * these notifications, content too, numbered as the session numbers its events; any other client gets content as `session/update`, and the
 * rest here with numbers of its own from 1. Either way the numbers have no gap unless events were lost, which a `gap` tells beforehand.
 */
import { z } from "zod";
import { AutolithError } from "../failure.ts";
import { issuesText } from "../issue-words.ts";
import { conversationIdSchema } from "../identifiers.ts";
import { type SessionEvent, sessionEventSchema } from "../session/events.ts";
import { extensionPrefix } from "./envelope.ts";

export const eventMethod = `${extensionPrefix}event`;

/** A notification as it is on the wire. `at` is epoch milliseconds; `data` holds the event's other fields. */
export const eventNotificationSchema = z.object({
  sessionId: conversationIdSchema,
  sequence: z.int().positive(),
  at: z.number(),
  kind: z.string(),
  data: z.record(z.string(), z.unknown()),
});
export type EventNotification = z.infer<typeof eventNotificationSchema>;

/** The client read too slowly: `lost` events before this one were dropped for it. Fetch the state, and the history with `_autolith/page`. */
const gapSchema = z.object({
  kind: z.literal("gap"),
  lost: z.int().positive(),
  /** The last event that was delivered before the gap; 0 when there was none. */
  deliveredThrough: z.int().nonnegative(),
});

/** This client's view was ended by somebody else: no more events of the session. */
const detachedSchema = z.object({
  kind: z.literal("detached"),
  reason: z.enum(["taken-over", "asked"]),
});

const connectionEventSchema = z.intersection(
  z.object({ seq: z.int().positive(), at: z.number() }),
  z.discriminatedUnion("kind", [gapSchema, detachedSchema]),
);

/** Events that the connection itself adds. */
export type ConnectionEvent = z.infer<typeof connectionEventSchema>;

/** Everything that can come to a client that subscribed to native updates. */
export type ClientEvent = SessionEvent | ConnectionEvent;

/** The notification of an event of a session. */
export function eventNotification(
  sessionId: z.infer<typeof conversationIdSchema>,
  event: ClientEvent,
): EventNotification {
  const { seq, at, kind, ...data } = event;
  return { sessionId, sequence: seq, at, kind, data };
}

/** The event of a notification. Throws `malformed` for what is none. */
export function clientEventOf({ sequence, at, kind, data }: EventNotification): ClientEvent {
  const event = { ...data, kind, at, seq: sequence };
  const schema = kind === "gap" || kind === "detached" ? connectionEventSchema : sessionEventSchema;
  const parsed = schema.safeParse(event);
  if (parsed.success) return parsed.data;
  throw new AutolithError(
    "malformed",
    `An _autolith/event of kind ${kind} has another shape than its schema: ${issuesText(parsed.error, event)}`,
  );
}
