/** What lists show of a conversation, kept beside it in `conversation-picker/<id>.sexp` so that listing reads no conversations. */
import { prettyPrintDataForm, readDataForm } from "../../../lisp/data-forms/index.ts";
import type { ConversationId } from "../../contract/identifiers.ts";
import { readIfPresent } from "../../record/present-file.ts";
import { countField, plistDocument, stringField } from "../../record/plist-document.ts";
import { publishFile } from "../../record/publication.ts";

const document = plistDocument("the picker entry", {
  title: stringField("title", 1_000),
  directory: stringField("directory", 4_096),
  createdAt: countField("created-at"),
  lastActivityAt: countField("last-activity-at"),
  userTurns: countField("user-turn-count"),
  preview: stringField("picker-preview", 1_000),
});

export type PickerEntry = ReturnType<typeof document.fromForm>;

const limits = { maxBytes: 65_536, maxDepth: 8, maxNodes: 256, maxStringCharacters: 16_384 };

function pathOf(dataRoot: string, id: ConversationId): string {
  return `${dataRoot}/conversation-picker/${id}.sexp`;
}

/** Replaces the entry. It can be made again from the conversation, so it is not synced. */
export async function writePickerEntry(
  dataRoot: string,
  id: ConversationId,
  entry: PickerEntry,
): Promise<void> {
  const text = prettyPrintDataForm(document.toForm(entry));
  await publishFile(pathOf(dataRoot, id), text, { durable: false });
}

/** The entry; undefined when there is none, or none that can be read. */
export async function readPickerEntry(
  dataRoot: string,
  id: ConversationId,
): Promise<PickerEntry | undefined> {
  const bytes = await readIfPresent(pathOf(dataRoot, id));
  if (bytes === undefined) return undefined;
  try {
    return document.fromForm(readDataForm(bytes, { limits }));
  } catch {
    // A damaged sidecar is made again from the conversation.
    return undefined;
  }
}
