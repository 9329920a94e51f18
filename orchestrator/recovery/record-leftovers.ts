/** What killed hosts leave among the records: their locks, and files that were being put in place. */
import { basename, join } from "node:path";
import { conversationIdSchema } from "../contract/identifiers.ts";
import { directoriesIn, executionsOf } from "../record/execution-directory.ts";
import { removeAbandonedTemporaries } from "../record/publication.ts";
import { releaseStaleLocks } from "../record/stale-locks.ts";

export type LeftoverReport = { readonly locks: number; readonly temporaries: number };

/**
 * Removes the locks of dead writers and the temporary files in what those locks protected. A live host's conversations are not looked
 * into, so the work grows with what died and not with what is stored. `report` is told what could not be cleaned.
 */
export async function removeRecordLeftovers(
  dataRoot: string,
  report: (error: unknown) => void,
): Promise<LeftoverReport> {
  const conversations = join(dataRoot, "conversations");
  const tasks = join(dataRoot, "tasks");
  let temporaries = 0;
  let contextCleaned = false;
  const clean = async (directory: string): Promise<void> => {
    temporaries += await removeAbandonedTemporaries(directory);
  };
  const locks = await releaseStaleLocks(
    conversations,
    async (path) => {
      await clean(path);
      // Which of them a dead host was writing is not known, so all of this small tree is looked at, once.
      if (!contextCleaned) await cleanTree(join(dataRoot, "context"), clean);
      contextCleaned = true;
      const id = conversationIdSchema.safeParse(basename(path));
      if (!id.success) return;
      for (const execution of await executionsOf(tasks, id.data))
        await clean(join(tasks, id.data, execution));
    },
    report,
  );
  await clean(conversations);
  return { locks, temporaries };
}

async function cleanTree(root: string, clean: (directory: string) => Promise<void>): Promise<void> {
  for (const name of await directoriesIn(root)) await clean(join(root, name));
}
