/** What killed hosts leave among the records: their locks, and files that were being put in place. */
import { basename, join } from "node:path";
import { type ConversationId, conversationIdSchema } from "../contract/identifiers.ts";
import { directoriesIn } from "../record/execution-directory.ts";
import { removeAbandonedTemporaries } from "../record/publication.ts";
import { releaseStaleLocks } from "../record/stale-locks.ts";

export type LeftoverReport = { readonly locks: number; readonly temporaries: number };

/**
 * Removes the locks of dead writers and the temporary files in what those locks protected. A live host's conversations are not looked
 * into, so the work grows with what died and not with what is stored; `served`, which this host took over from a dead one by opening it,
 * is. `report` is told what could not be cleaned.
 */
export async function removeRecordLeftovers(
  dataRoot: string,
  served: ConversationId | undefined,
  report: (error: unknown) => void,
): Promise<LeftoverReport> {
  const conversations = join(dataRoot, "conversations");
  let temporaries = 0;
  let contextCleaned = false;
  const clean = async (directory: string): Promise<void> => {
    temporaries += await removeAbandonedTemporaries(directory);
  };
  const cleanConversation = async (id: ConversationId): Promise<void> => {
    temporaries += await removeConversationTemporaries(dataRoot, id);
  };
  const locks = await releaseStaleLocks(
    conversations,
    async (path) => {
      const id = conversationIdSchema.safeParse(basename(path));
      if (id.success) await cleanConversation(id.data);
      // Which of them a dead host was writing is not known, so all of this small tree is looked at, once.
      if (!contextCleaned) await cleanBelow(join(dataRoot, "context"), clean);
      contextCleaned = true;
    },
    report,
  );
  if (served !== undefined) await cleanConversation(served);
  await clean(conversations);
  return { locks, temporaries };
}

/** Removes the temporary files of dead hosts in what one conversation's lock protects; answers how many there were. */
export async function removeConversationTemporaries(dataRoot: string, id: ConversationId): Promise<number> {
  let removed = 0;
  const clean = async (directory: string): Promise<void> => {
    removed += await removeAbandonedTemporaries(directory);
  };
  await clean(join(dataRoot, "conversations", id));
  await clean(join(dataRoot, "tasks", id));
  await cleanBelow(join(dataRoot, "tasks", id), clean);
  return removed;
}

async function cleanBelow(root: string, clean: (directory: string) => Promise<void>): Promise<void> {
  for (const name of await directoriesIn(root)) await clean(join(root, name));
}
