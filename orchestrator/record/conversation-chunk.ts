import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type DataForm, PlistReader, keyword } from "../../lisp/data-forms/index.ts";
import { type ConversationId, conversationIdSchema } from "../contract/identifiers.ts";
import {
  type ConversationRecord,
  type StoredRecord,
  formToRecord,
  instantOf,
  recordToForm,
  universalTime,
} from "./conversation-record.ts";
import { recordFailure } from "./failure.ts";
import type { JournalCodec } from "./journal.ts";
import { formToLine, lineToForm } from "./line-form.ts";

/** What every chunk of a conversation begins with. */
export interface ConversationHeader {
  readonly id: ConversationId;
  /** Epoch milliseconds, whole seconds. */
  readonly createdAt: number;
  /** Absolute directory the conversation was started in. */
  readonly directory: string;
  readonly model: string;
  readonly reasoningEffort: string;
  readonly promptCacheKey?: string;
}

/** A line of a chunk: its header, or a record. */
export type ChunkLine =
  | { readonly kind: "header"; readonly header: ConversationHeader }
  | { readonly kind: "record"; readonly stored: StoredRecord };

/** What is appended to a chunk. */
export interface ChunkAppend {
  readonly record: ConversationRecord;
  /** Epoch milliseconds. */
  readonly at: number;
}

const headerKeys = [
  "version",
  "id",
  "created-at",
  "directory",
  "model",
  "reasoning-effort",
  "prompt-cache-key",
  "chunk-start-sequence",
] as const;

const conversationHead = keyword("conversation");
const headerVersion = 2;

/** Codec of a chunk's lines. Only records are appended; the header is written with the file. */
export const chunkCodec: JournalCodec<ChunkLine, ChunkAppend> = {
  encode: ({ record, at }, seq) => formToLine(recordToForm(record, seq, at)),
  decode: (line) => {
    const form = lineToForm(line);
    if (Array.isArray(form) && form[0] === conversationHead) {
      return { seq: undefined, record: { kind: "header", header: headerOf(form as readonly DataForm[]) } };
    }
    const stored = formToRecord(form);
    return { seq: stored.seq, record: { kind: "record", stored } };
  },
};

function headerOf(list: readonly DataForm[]): ConversationHeader {
  const reader = new PlistReader(list, 1, { what: "the conversation header", keys: headerKeys });
  reader.integer("version", { minimum: headerVersion, maximum: headerVersion });
  const promptCacheKey = reader.has("prompt-cache-key")
    ? reader.string("prompt-cache-key", { minCharacters: 1, maxCharacters: 256 })
    : undefined;
  return {
    id: conversationIdSchema.parse(reader.string("id", { maxCharacters: 64 })),
    createdAt: instantOf(reader.integer("created-at", { minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    directory: reader.string("directory", { maxCharacters: 4096 }),
    model: reader.string("model", { maxCharacters: 256 }),
    reasoningEffort: reader.string("reasoning-effort", { maxCharacters: 32 }),
    ...(promptCacheKey === undefined ? {} : { promptCacheKey }),
  };
}

function headerForm(header: ConversationHeader, firstSeq: number): DataForm {
  const { promptCacheKey } = header;
  return [
    conversationHead,
    ...[keyword("version"), headerVersion],
    ...[keyword("id"), header.id],
    ...[keyword("created-at"), universalTime(header.createdAt)],
    ...[keyword("directory"), header.directory],
    ...(promptCacheKey === undefined ? [] : [keyword("prompt-cache-key"), promptCacheKey]),
    ...[keyword("model"), header.model],
    ...[keyword("reasoning-effort"), header.reasoningEffort],
    ...[keyword("chunk-start-sequence"), firstSeq],
  ];
}

const chunkNamePattern = /^(\d{20})\.sexp$/;

/** A file of a conversation. */
export interface Chunk {
  readonly path: string;
  /** Sequence number of its first record. */
  readonly firstSeq: number;
}

/** The chunk of the conversation directory that begins with `firstSeq`. */
export function chunkAt(directory: string, firstSeq: number): Chunk {
  return { path: join(directory, `${String(firstSeq).padStart(20, "0")}.sexp`), firstSeq };
}

/**
 * The chunks of a conversation in order.
 *
 * @throws RecordError `not-found` when there is no such conversation.
 */
export async function chunksOf(directory: string): Promise<readonly Chunk[]> {
  let names: readonly string[];
  try {
    names = await readdir(directory);
  } catch (error) {
    throw recordFailure(error, directory, "read the conversation");
  }
  return names
    .flatMap((name) => {
      const match = chunkNamePattern.exec(name);
      return match === null ? [] : [chunkAt(directory, Number(match[1]))];
    })
    .toSorted((left, right) => left.firstSeq - right.firstSeq);
}

/** The line that a chunk begins with. */
export function headerLine(chunk: Chunk, conversation: ConversationHeader): string {
  return formToLine(headerForm(conversation, chunk.firstSeq));
}
