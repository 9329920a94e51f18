/** The mail journal of a session on disk, beside its conversation (`<conversation>.peers.sexp`). It has one writer: the conversation's. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { ConversationId } from "../contract/identifiers.ts";
import type { GroupCommitOptions } from "../record/group-commit.ts";
import { errnoOf, recordFailure } from "../record/failure.ts";
import { type Journal, openJournal } from "../record/journal.ts";
import { recordCodec } from "../record/record-codec.ts";
import { PeerMessageError } from "./peer-error.ts";
import { type PeerRecord, peerRecordSchema } from "./peer-records.ts";

/** Greatest size of a mail journal, in bytes. */
export const peerJournalLimitBytes = 64 * 1024 * 1024;

export function peerJournalPath(conversations: string, id: ConversationId): string {
  return join(conversations, `${id}.peers.sexp`);
}

export type PeerJournal = {
  /** Resolves when the records survive the death of this process. Rejects with `storage-limit` and with RecordError. */
  append(records: readonly PeerRecord[]): Promise<void>;
  close(): Promise<void>;
};

/** Opens it and tells each record that it holds, in order. A session without mail has no file: it is made with the first record. */
export async function openPeerJournal(
  path: string,
  onRecord: (record: PeerRecord) => void,
  options: Pick<GroupCommitOptions, "onSyncFailure"> & { readonly limitBytes?: number } = {},
): Promise<PeerJournal> {
  const { limitBytes = peerJournalLimitBytes, ...commits } = options;
  const open = (): Promise<Journal<PeerRecord>> =>
    openJournal<PeerRecord>({
      ...commits,
      path,
      codec: recordCodec((value) => peerRecordSchema.parse(value)),
      onLine: ({ record }) => onRecord(record),
    });
  let opened: Promise<Journal<PeerRecord>> | undefined;
  if (await isThere(path)) {
    opened = open();
    await opened;
  }
  return {
    append: async (records) => {
      if (records.length === 0) return;
      opened ??= open();
      const journal = await opened;
      if (journal.length >= limitBytes)
        throw new PeerMessageError(
          "storage-limit",
          `The mail journal ${path} has ${journal.length} bytes; at most ${limitBytes} are kept.`,
        );
      await journal.appendAll(records);
    },
    close: async () => {
      await (await opened)?.close();
    },
  };
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (errnoOf(error) === "ENOENT") return false;
      throw recordFailure(error, path, "open");
    },
  );
}
