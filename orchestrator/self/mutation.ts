/** Changes that are made to a session's own image: what is kept of them, and what replay decides about them (manual, `self.*`). Pure. */
import { type DataForm, PlistReader, keyword } from "../../lisp/data-forms/index.ts";

/** Characters of one definition, of a commit's title, and of the observations of one mutation. */
export const definitionCharacterLimit = 100_000;
export const commitTitleCharacters = 71;
export const exerciseTextCharacters = 4_000;

/** What a definition names. */
export type DefinedName = {
  /** The defining operator: `DEFUN`; `SET` for a value given to a variable. */
  readonly operator: string;
  /** Printed with its package: `AUTOLITH::TWICE`. For a method with its qualifiers and specializers. */
  readonly name: string;
  /** Package that owns the name. */
  readonly owner: string;
};

export type Mutation = DefinedName & {
  readonly id: string;
  /** The form, read in `package`. */
  readonly source: string;
  readonly package: string;
  /** What was there before in this image, as source; undefined when nobody knows it. */
  readonly previous: string | undefined;
  /** Identity of the built-in definition that it takes the place of; undefined when it introduced the name. */
  readonly shadows: string | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly exercises: readonly string[];
};

/** What identifies a definition among those of an image: a later one replaces an earlier one. */
export function mutationKey({ operator, name }: DefinedName): string {
  return `${operator} ${name}`;
}

/** The definitions in force: the later of each name, in the order in which they were made. */
export function latestOfEach(mutations: readonly Mutation[]): readonly Mutation[] {
  const latest = new Map<string, Mutation>();
  for (const mutation of mutations) {
    latest.delete(mutationKey(mutation));
    latest.set(mutationKey(mutation), mutation);
  }
  return [...latest.values()];
}

/** Why a definition is not replayed. */
export type SkipReason = "changed" | "removed" | "appeared" | "moved" | "failed";

/** What is there now under the name of a definition, before anything is replayed. */
export type TrackedName = {
  /** Identity of what is built in; undefined when nothing is. */
  readonly identity: string | undefined;
  readonly owner: string;
};

/** Undefined: replay it. What the program itself has under the name must be what it was. */
export function skipReason(mutation: Mutation, tracked: TrackedName): SkipReason | undefined {
  if (tracked.owner !== mutation.owner) return "moved";
  if (mutation.shadows === tracked.identity) return undefined;
  if (mutation.shadows === undefined) return "appeared";
  return tracked.identity === undefined ? "removed" : "changed";
}

export function mutationForm(mutation: Mutation): DataForm {
  return [
    ...[keyword("id"), mutation.id, keyword("operator"), mutation.operator, keyword("name"), mutation.name],
    ...[keyword("owner"), mutation.owner, keyword("package"), mutation.package],
    ...[keyword("source"), mutation.source],
    ...(mutation.previous === undefined ? [] : [keyword("previous"), mutation.previous]),
    ...(mutation.shadows === undefined ? [] : [keyword("shadows"), mutation.shadows]),
    ...[keyword("at"), mutation.at, keyword("exercises"), [...mutation.exercises]],
  ];
}

/** Throws a DataFormError for anything else than {@link mutationForm} makes. */
export function mutationOf(form: DataForm): Mutation {
  const reader = PlistReader.of(form, {
    what: "a mutation",
    keys: ["id", "operator", "name", "owner", "package", "source", "previous", "shadows", "at", "exercises"],
  });
  const text = (key: string): string => reader.string(key, { minCharacters: 1 });
  return {
    id: text("id"),
    operator: text("operator"),
    name: text("name"),
    owner: text("owner"),
    package: text("package"),
    source: text("source"),
    previous: reader.has("previous") ? text("previous") : undefined,
    shadows: reader.has("shadows") ? text("shadows") : undefined,
    at: reader.integer("at", { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    exercises: reader.list("exercises").flatMap((each) => (typeof each === "string" ? [each] : [])),
  };
}
