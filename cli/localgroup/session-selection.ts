/** Which session of the running hosts a person means: by id, by a prefix that fits one, or the only one there is. */
import { AutolithError } from "../../orchestrator/contract/failure.ts";
import type { ValueOf } from "../../orchestrator/contract/acp/method-table.ts";
import { conversationName } from "../terminal/screen/conversation-name.ts";

export type SessionRow = ValueOf<"sessions">["sessions"][number];

/** A session with the host it is open in. */
export type Reachable<Host> = { readonly session: SessionRow; readonly host: Host };

/** Codes: `no-session`, `unknown-session`, `ambiguous-session`. */
export function selectSession<Host>(
  reachable: readonly Reachable<Host>[],
  wanted: string | undefined,
): Reachable<Host> {
  if (wanted === undefined) return onlySession(reachable);
  const exact = reachable.filter(({ session }) => matches(session.sessionId, wanted, isEqual));
  const found =
    exact.length > 0
      ? exact
      : reachable.filter(({ session }) => matches(session.sessionId, wanted, isPrefix));
  const [first, second] = found;
  if (first === undefined)
    throw new AutolithError(
      "unknown-session",
      `No session has the id ${JSON.stringify(wanted)} or begins with it. ${present(reachable)}`,
    );
  if (second === undefined) return first;
  throw new AutolithError(
    "ambiguous-session",
    `${JSON.stringify(wanted)} fits ${found.length} sessions: ${names(found)}. Give a longer prefix.`,
  );
}

function onlySession<Host>(reachable: readonly Reachable<Host>[]): Reachable<Host> {
  const [first, second] = reachable;
  if (first === undefined)
    throw new AutolithError(
      "no-session",
      "No session is running. autolith starts one; autolith resume lists those that are stored.",
    );
  if (second === undefined) return first;
  throw new AutolithError(
    "ambiguous-session",
    `${reachable.length} sessions are running: ${names(reachable)}. Say which one by its id or a prefix of it.`,
  );
}

function present<Host>(reachable: readonly Reachable<Host>[]): string {
  return reachable.length === 0 ? "No session is running." : `Running: ${names(reachable)}.`;
}

/** At most twenty, so that a message stays one. */
function names<Host>(reachable: readonly Reachable<Host>[]): string {
  const shown = reachable.slice(0, 20).map(({ session }) => conversationName(session.sessionId));
  const more = reachable.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

type Comparison = (id: string, wanted: string) => boolean;

function isEqual(id: string, wanted: string): boolean {
  return id === wanted;
}

function isPrefix(id: string, wanted: string): boolean {
  return wanted !== "" && id.startsWith(wanted);
}

/** With or without the display hyphen. Hexadecimal ids are taken in either case; the others are case-sensitive. */
function matches(id: string, wanted: string, compare: Comparison): boolean {
  if (compare(id, wanted) || compare(conversationName(id), wanted)) return true;
  return /^[0-9a-f-]{36}$/.test(id) && compare(id, wanted.toLowerCase());
}
