/** An isolated checkout of a child and the artifact that secures its work, as records (facts C.8). */
import { type ConversationId, type ExecutionId, executionIdSchema } from "../contract/identifiers.ts";
import {
  type DocumentOf,
  countField,
  optionalField,
  plistDocument,
  stringField,
  stringsField,
  wordField,
} from "../record/plist-document.ts";

/** Longest patch of an artifact, in bytes. */
export const patchLimitBytes = 16 * 1024 * 1024;
/** Names of untracked files that an artifact keeps. */
export const untrackedNameLimit = 512;
/** Most changed paths of an artifact. */
export const artifactPathLimit = 100_000;

export const artifactKinds = ["patch", "commit-range"] as const;
export type ArtifactKind = (typeof artifactKinds)[number];

const id = 256;
const path = 4_096;

const worktreeShape = {
  version: countField("version", 1),
  /** The execution id of the child. */
  id: stringField("id", id),
  /** `<root conversation>/<execution id>`. */
  owner: stringField("owner", id),
  /** Absolute top directory of the checkout it was made from. */
  source: stringField("source", path),
  /** Absolute directory of the isolated checkout. */
  path: stringField("path", path),
  /** The commit it began with. */
  baseline: stringField("baseline", 64),
  artifactKind: wordField("artifact-kind", artifactKinds),
  /** Absolute path of `worktree.sexp`. */
  metadataPath: stringField("metadata-path", path),
};

/** `worktree.sexp`, and the entry of the registry: written before the checkout is made. */
export type WorktreeRecord = DocumentOf<typeof worktreeShape>;
export const worktreeDocument = plistDocument("the worktree record", worktreeShape);

const artifactShape = {
  worktreeId: stringField("worktree-id", id),
  owner: stringField("owner", id),
  source: stringField("source", path),
  isolatedPath: stringField("isolated-path", path),
  baseline: stringField("baseline", 64),
  kind: wordField("kind", artifactKinds),
  /** The commit the checkout stood at. */
  tip: stringField("tip", 64),
  /** Paths that differ from the baseline, relative to the top directory. */
  paths: stringsField("paths", artifactPathLimit),
  /** Untracked files there were then, at most {@link untrackedNameLimit}: only the checkout has them. */
  untracked: optionalField(stringsField("untracked", untrackedNameLimit)),
  /** How many there were, when that is more than are named. */
  untrackedCount: optionalField(countField("untracked-count")),
  /** From the baseline to the files as they were, commits included; git's binary format. */
  patch: stringField("patch", 2 * patchLimitBytes),
  /** Present when the patch is not UTF-8 and so stands in base64. */
  patchEncoding: optionalField(wordField("patch-encoding", ["base64"])),
};

/** `worktree-artifact.sexp`: the secured work of a child. Written once. */
export type WorktreeArtifact = DocumentOf<typeof artifactShape>;
export const artifactDocument = plistDocument("the worktree artifact", artifactShape);

/** The patch as the artifact keeps it. */
export function encodedPatch(patch: Uint8Array): Pick<WorktreeArtifact, "patch" | "patchEncoding"> {
  const bytes = Buffer.from(patch);
  const text = bytes.toString("utf8");
  // A byte order mark must come back as it was, so the bytes are compared; no record bears a NUL.
  return !text.includes("\0") && Buffer.from(text, "utf8").equals(bytes)
    ? { patch: text }
    : { patch: bytes.toString("base64"), patchEncoding: "base64" };
}

/** The bytes of an artifact's patch. */
export function decodedPatch(artifact: Pick<WorktreeArtifact, "patch" | "patchEncoding">): Buffer {
  return Buffer.from(artifact.patch, artifact.patchEncoding === "base64" ? "base64" : "utf8");
}

/** Who owns the worktree of a child. */
export function ownerText(conversationId: ConversationId, executionId: ExecutionId): string {
  return `${conversationId}/${executionId}`;
}

/** The parts of an owner; undefined for a text that is none. */
export function ownerParts(
  owner: string,
): { readonly conversation: string; readonly executionId: ExecutionId } | undefined {
  const [conversation = "", execution = "", ...more] = owner.split("/");
  const executionId = executionIdSchema.safeParse(execution);
  if (!executionId.success || more.length > 0 || conversation === "") return undefined;
  return { conversation, executionId: executionId.data };
}

/** What git itself keeps of a checkout of ours (the reason of its lock), so that it is found when our own records are lost. */
export type WorktreeMarker = Pick<WorktreeRecord, "owner" | "baseline" | "artifactKind">;

const markerPattern =
  /^autolith task worktree 1 ([1-9A-Za-z]{7}\/[0-9a-f-]{36}) ([0-9a-f]{40,64}) (patch|commit-range)$/;

export function markerText({ owner, baseline, artifactKind }: WorktreeMarker): string {
  return `autolith task worktree 1 ${owner} ${baseline} ${artifactKind}`;
}

/** The marker that a lock's reason is; undefined for locks of other programs and people. */
export function markerOf(reason: string): WorktreeMarker | undefined {
  const [, owner, baseline, kind] = markerPattern.exec(reason) ?? [];
  const artifactKind = artifactKinds.find((each) => each === kind);
  if (owner === undefined || baseline === undefined || artifactKind === undefined) return undefined;
  return ownerParts(owner) === undefined ? undefined : { owner, baseline, artifactKind };
}
