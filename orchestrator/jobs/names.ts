/** Visible job names (facts C.1). One counter per conversation numbers children and executions together. */
import { type JobName, jobNameSchema } from "../contract/identifiers.ts";

const adjectives = ["amber", "brisk", "calm", "clear", "keen", "quiet", "rapid", "steady", "vivid", "wise"];
const animals = ["badger", "falcon", "heron", "lynx", "otter", "raven", "sparrow", "tern", "wolf", "wren"];

/** Longest requested name that is used, in characters. */
export const requestedNameLimit = 64;

function fragment(requested: string): string {
  return requested
    .toLowerCase()
    .slice(0, requestedNameLimit)
    .replaceAll(/[^a-z0-9_-]/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

function generated(order: number): string {
  const index = order - 1;
  const adjective = adjectives[index % adjectives.length] ?? "amber";
  const animal = animals[Math.floor(index / adjectives.length) % animals.length] ?? "badger";
  return `${adjective}-${animal}`;
}

/** `clear-otter-3`, or the requested name made safe with its number. `order` counts from 1 and is never reused in a conversation. */
export function childJobName(requested: string | undefined, order: number): JobName {
  const chosen = requested === undefined ? "" : fragment(requested);
  return jobNameSchema.parse(`${chosen === "" ? generated(order) : chosen}-${order}`);
}

/** `exec:4`. */
export function executionJobName(order: number): JobName {
  return jobNameSchema.parse(`exec:${order}`);
}

export type NameMatch<Job> =
  | { readonly kind: "one"; readonly job: Job }
  | { readonly kind: "none" }
  | { readonly kind: "ambiguous"; readonly candidates: readonly string[] };

/** Finds a visible job by its name, its execution id, or a bare number while exactly one visible job ends in `:n`. */
export function findJob<Job extends { readonly name: string; readonly executionId: string }>(
  jobs: Iterable<Job>,
  reference: string,
): NameMatch<Job> {
  const all = [...jobs];
  const exact = all.find((job) => job.name === reference || job.executionId === reference.toLowerCase());
  if (exact !== undefined) return { kind: "one", job: exact };
  if (!/^\d+$/.test(reference)) return { kind: "none" };
  const candidates = all.filter((job) => job.name.endsWith(`:${reference}`));
  if (candidates.length === 0) return { kind: "none" };
  const [only] = candidates;
  if (candidates.length === 1 && only !== undefined) return { kind: "one", job: only };
  return { kind: "ambiguous", candidates: candidates.map((job) => job.name) };
}
