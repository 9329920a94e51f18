/** The durable conversations of a data root, newest activity first, in pages. */
import { readdir } from "node:fs/promises";
import { AutolithError } from "../../contract/failure.ts";
import type { ConversationId } from "../../contract/identifiers.ts";
import { conversationIdSchema } from "../../contract/identifiers.ts";
import type { ConversationPage, ConversationRow } from "../../contract/session/catalogs.ts";
import type { ConversationQuery } from "../../contract/session/service.ts";
import type { StoredRecord } from "../../record/conversation-record.ts";
import { type LoadedConversation, loadConversation } from "../../record/conversation.ts";
import { RecordError, errnoOf } from "../../record/failure.ts";
import { extensionField, sessionRecords } from "../view/session-records.ts";
import { type PickerEntry, readPickerEntry, writePickerEntry } from "./picker-entry.ts";

/** Seven characters: a root conversation. Children's are named by their execution. */
const rootIdPattern = /^[1-9A-HJ-NP-Za-km-z]{7}$/;

/** Conversations read at once. */
const readAtOnce = 16;

/** The page that a query asks for. Conversations without a user message are not listed. Rejects with `invalid-argument`. */
export async function conversationPage(
  dataRoot: string,
  query: ConversationQuery,
  isOpen: (id: ConversationId) => boolean,
): Promise<ConversationPage> {
  const limit = query.limit ?? 50;
  const from = Number(query.cursor ?? "0");
  if (!Number.isInteger(limit) || limit < 1 || limit > 200)
    throw new AutolithError("invalid-argument", `limit is a whole number from 1 to 200, not ${limit}.`);
  if (!Number.isSafeInteger(from) || from < 0)
    throw new AutolithError("invalid-argument", "The cursor is not one that a page gave.");
  const rows = (await allRows(dataRoot, isOpen))
    .filter((row) => query.workingDirectory === undefined || row.workingDirectory === query.workingDirectory)
    .sort((left, right) => right.lastActivityAt - left.lastActivityAt);
  const conversations = rows.slice(from, from + limit);
  const next = from + conversations.length;
  return { conversations, nextCursor: next < rows.length ? String(next) : null, total: rows.length };
}

async function allRows(
  dataRoot: string,
  isOpen: (id: ConversationId) => boolean,
): Promise<readonly ConversationRow[]> {
  const ids = (await namesIn(`${dataRoot}/conversations`)).filter((name) => rootIdPattern.test(name));
  const rows: ConversationRow[] = [];
  for (let index = 0; index < ids.length; index += readAtOnce) {
    const batch = ids.slice(index, index + readAtOnce).map(async (name) => {
      const id = conversationIdSchema.parse(name);
      const entry = await entryOf(dataRoot, id);
      return entry === undefined || entry.userTurns === 0 ? [] : [rowOf(id, entry, isOpen(id))];
    });
    rows.push(...(await Promise.all(batch)).flat());
  }
  return rows;
}

function rowOf(id: ConversationId, entry: PickerEntry, open: boolean): ConversationRow {
  const { title, directory, createdAt, lastActivityAt, userTurns, preview } = entry;
  return {
    sessionId: id,
    title,
    workingDirectory: directory,
    createdAt,
    lastActivityAt,
    userTurns,
    preview,
    open,
  };
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

async function entryOf(dataRoot: string, id: ConversationId): Promise<PickerEntry | undefined> {
  const known = await readPickerEntry(dataRoot, id);
  if (known !== undefined) return known;
  try {
    const entry = pickerEntryOf(await loadConversation({ directory: `${dataRoot}/conversations` }, id));
    await writePickerEntry(dataRoot, id, entry);
    return entry;
  } catch (error) {
    // What cannot be opened cannot be resumed either; opening it says why.
    if (error instanceof RecordError) return undefined;
    throw error;
  }
}

/** The entry that a conversation's own records give. */
export function pickerEntryOf({
  header,
  records,
}: Pick<LoadedConversation, "header" | "records">): PickerEntry {
  const messages = records.filter(({ record }) => record.kind === "message" && record.automatic !== true);
  const [first] = messages;
  const preview = first?.record.kind === "message" ? first.record.content : "";
  return {
    title: lastText(records, sessionRecords.title, "title") ?? "",
    directory: lastText(records, sessionRecords.directory, "path") ?? header.directory,
    createdAt: header.createdAt,
    lastActivityAt: records.at(-1)?.at ?? header.createdAt,
    userTurns: messages.length,
    preview: preview.replaceAll(/\s+/g, " ").slice(0, 200).toWellFormed(),
  };
}

function lastText(records: readonly StoredRecord[], name: string, field: string): string | undefined {
  const found = records.findLast(({ record }) => record.kind === "extension" && record.name === name)?.record;
  const value = found?.kind === "extension" ? extensionField(found, field) : undefined;
  return typeof value === "string" ? value : undefined;
}
