/** Reading a session's events in tests: waits for what is asked for, never for time. */
import type { Attachment, SessionEvent } from "../../../orchestrator/contract/session.ts";

/** Collects events of an attachment until `enough` says so of the last one; rejects when the session ends before. */
export async function eventsUntil(
  attachment: Pick<Attachment, "read">,
  enough: (event: SessionEvent, all: readonly SessionEvent[]) => boolean,
): Promise<readonly SessionEvent[]> {
  const seen: SessionEvent[] = [];
  for (;;) {
    const { events, ended } = await attachment.read();
    seen.push(...events);
    if (seen.some((event, index) => enough(event, seen.slice(0, index + 1)))) return seen;
    if (ended) throw new Error(`The session ended before: ${JSON.stringify(seen).slice(0, 2_000)}`);
  }
}

/** True for the end of a turn. */
export function isTurnEnd(event: SessionEvent): boolean {
  return event.kind === "turn" && event.state === "idle";
}

/** The joined text of the model in these events. */
export function textOf(events: readonly SessionEvent[]): string {
  return events
    .map((event) =>
      event.kind === "update" && event.update.type === "message-chunk" ? event.update.text : "",
    )
    .join("");
}
