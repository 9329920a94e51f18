/** The scheme `conversation:`: the durable records of this conversation, or of another one, in windows and by search (manual). */
import { type ConversationId, conversationIdSchema } from "../../contract/identifiers.ts";
import { conversationsDirectory } from "../../host/conversation-places.ts";
import { loadConversation } from "../../record/conversation.ts";
import type { StoredRecord } from "../../record/conversation-record.ts";
import { extensionField, sessionRecords } from "../view/session-records.ts";
import { turnEndOf } from "../view/turn-ends.ts";
import {
  ResourceError,
  type ResourceRead,
  type ResourceScheme,
  refuseOthers,
} from "../../resources/resource-scheme.ts";

/** Characters of one window. */
export const windowCharacters = 7_000;
/** Records of a window when nothing is said. */
const defaultRecords = 20;
/** Places that a query shows when nothing is said. */
const defaultResults = 20;
/** Characters of an excerpt around a found term. */
const excerptCharacters = 160;

export function conversationScheme(parts: {
  readonly dataRoot: string;
  readonly current: ConversationId;
}): ResourceScheme {
  return {
    scheme: "conversation",
    read: async (request) => {
      refuseOthers(request, ["query", "max-results", "start-sequence", "record-count"]);
      const id = conversationOf(request.uri, parts.current);
      const { records } = await loadConversation({ directory: conversationsDirectory(parts) }, id);
      const content =
        request.query === undefined
          ? windowText(records, request)
          : searchText(records, request, request.query);
      return { status: "ok", content: `${request.uri} · ${records.length} records\n${content}` };
    },
  };
}

function conversationOf(uri: string, current: ConversationId): ConversationId {
  const name = uri.slice("conversation:".length);
  if (name === "current") return current;
  const id = conversationIdSchema.safeParse(name.startsWith("id/") ? name.slice(3).replaceAll("-", "") : "");
  const asIs = conversationIdSchema.safeParse(name.slice(3));
  if (name.startsWith("id/") && asIs.success) return asIs.data;
  if (id.success) return id.data;
  throw new ResourceError(
    "malformed-uri",
    `${JSON.stringify(uri.slice(0, 200))} names no conversation: use conversation:current or conversation:id/ID.`,
  );
}

/** A window: the newest records, or those from a sequence on. Long records are cut so that all have room. */
function windowText(records: readonly StoredRecord[], request: ResourceRead): string {
  const count = request["record-count"] ?? defaultRecords;
  const start = request["start-sequence"];
  const chosen =
    start === undefined ? records.slice(-count) : records.filter(({ seq }) => seq >= start).slice(0, count);
  if (chosen.length === 0) return "There are no records there.";
  const room = Math.max(80, Math.floor(windowCharacters / chosen.length) - 40);
  const lines = chosen.map((stored) => `${heading(stored)} ${cut(recordText(stored), room)}`);
  const last = chosen.at(-1)?.seq ?? 0;
  const more = (records.at(-1)?.seq ?? 0) > last ? `\n[more: start-sequence ${last + 1}]` : "";
  return cut(lines.join("\n"), windowCharacters) + more;
}

/** The newest records that hold every term. */
function searchText(records: readonly StoredRecord[], request: ResourceRead, query: string): string {
  const terms = query
    .split(/\s+/)
    .filter((term) => term !== "")
    .map(asciiLower);
  const limit = request["max-results"] ?? defaultResults;
  const found: string[] = [];
  for (let index = records.length - 1; index >= 0 && found.length < limit; index -= 1) {
    const stored = records[index];
    if (stored === undefined) continue;
    const text = recordText(stored);
    const folded = asciiLower(text);
    if (terms.length > 0 && terms.every((term) => folded.includes(term)))
      found.push(`${heading(stored)} ${excerpt(text, folded.indexOf(terms[0] ?? ""))}`);
  }
  if (found.length === 0) return `No record holds all of: ${terms.join(" ")}`;
  return cut(found.join("\n"), windowCharacters);
}

/** ASCII letters without case; others stay as they are. */
function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function heading({ seq, at, record }: StoredRecord): string {
  const kind = record.kind === "provider-item" ? record.item.type : record.kind;
  return `${seq} ${new Date(at).toISOString().slice(0, 19)}Z ${kind === "extension" && record.kind === "extension" ? record.name : kind}:`;
}

/** What of a record can be read and searched. */
function recordText({ record }: StoredRecord): string {
  switch (record.kind) {
    case "message":
    case "summary":
      return record.content;
    case "tool-result":
      return `${record.tool} ${record.status} ${record.output}`;
    case "provider-item":
      return record.item.type === "tool-call"
        ? `${record.item.tool} ${record.item.arguments}`
        : record.item.text;
    case "configuration":
      return `${record.model} ${record.reasoningEffort}`;
    case "extension": {
      const title = record.name === sessionRecords.title ? extensionField(record, "title") : undefined;
      return turnEndOf(record)?.outcome ?? (typeof title === "string" ? title : "");
    }
    case "provider":
      return "";
  }
}

function cut(text: string, limit: number): string {
  const line = text.length <= limit ? text : `${text.slice(0, limit)}… [${text.length} characters]`;
  return line.toWellFormed();
}

function excerpt(text: string, place: number): string {
  const from = Math.max(0, place - excerptCharacters / 2);
  const piece = text.slice(from, from + excerptCharacters).replaceAll(/\s+/g, " ");
  return `${from > 0 ? "…" : ""}${piece}${from + excerptCharacters < text.length ? "…" : ""}`.toWellFormed();
}
