/** Where the conversations of a host, their jobs and their worktrees are kept. */
import { type Failure, failureOf } from "../contract/failure.ts";
import { realPath } from "../permissions/headless-authority.ts";
import type { ConversationStoreOptions } from "../record/conversation.ts";
import type { PublicationPlaces } from "../tasks/result-publication.ts";

/** Absolute directory of the data root. */
type Places = { readonly dataRoot: string };

type Reporter = {
  /** Failures that belong to no job. */
  readonly report: (failure: Failure) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** The directory of all conversations. */
export function conversationsDirectory({ dataRoot }: Places): string {
  return `${dataRoot}/conversations`;
}

/** The directory of isolated checkouts and their registry; a real path, since workspaces are compared with real paths. */
export function worktreesDirectory(dataRoot: string): string {
  return `${realPath(dataRoot)}/task-worktrees`;
}

/** Where the files of jobs and their conversations are. */
export function publicationPlaces(parts: Places & Pick<Reporter, "now">): PublicationPlaces {
  return {
    tasksDirectory: `${parts.dataRoot}/tasks`,
    conversationsDirectory: conversationsDirectory(parts),
    now: parts.now,
  };
}

/** A background sync that failed is told; the next one repairs it, and nothing acknowledged is lost while the machine runs. */
export function syncReporter(parts: Pick<Reporter, "report">): (error: unknown) => void {
  return (error) => parts.report(failureOf(error));
}

/** Where and how the conversations of a host are kept. */
export function storeOptions(parts: Places & Reporter): ConversationStoreOptions {
  return {
    directory: conversationsDirectory(parts),
    now: parts.now,
    onSyncFailure: syncReporter(parts),
  };
}
