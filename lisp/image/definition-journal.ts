/** One definition made in an image: which form made it, where that was read, and in which package. */
export interface DefinitionEntry {
  /** Name of the defining operator, e.g. "DEFUN". */
  readonly kind: string;
  /** The defined name as printed in `package`; for a method the name of the generic function. */
  readonly name: string;
  /** Text of the form, its first 100,000 characters when it is longer. */
  readonly source: string;
  /** The text was longer than that, so it does not make the definition again. */
  readonly cut: boolean;
  /** File it was read from, or a description in angle brackets; null when unknown. */
  readonly file: string | null;
  /** Line of the form in the file, from 1; null when unknown. */
  readonly line: number | null;
  /** Package the form was read in: reading `source` there again gives the same form. */
  readonly package: string;
  /** Place in the order of definitions, from 1. */
  readonly sequence: number;
}

/** What is known of a definition before it has its place. */
type NewDefinition = Omit<DefinitionEntry, "sequence" | "cut">;

/** Most entries kept; older ones are dropped, counted in `dropped`. */
const maximumEntries = 10_000;
/** Most characters of one entry's source. */
const maximumSource = 100_000;

/** Definers that make one of several things of a name: each form counts for itself. */
const manifold: ReadonlySet<string> = new Set(["DEFMETHOD"]);

/**
 * The definitions made in an image, newest last. A new definition of a name replaces the one before it, so that what is here,
 * read and evaluated in order, gives the present definitions; methods of one name are all kept, each text once.
 */
export class DefinitionJournal {
  private readonly byKey = new Map<string, DefinitionEntry>();
  private sequence = 0;
  /** Entries lost to the bound. */
  dropped = 0;

  record(definition: NewDefinition): void {
    const source = definition.source.trim();
    this.put({
      ...definition,
      source: source.slice(0, maximumSource),
      cut: source.length > maximumSource,
      sequence: ++this.sequence,
    });
  }

  private put(entry: DefinitionEntry): void {
    const { kind, name } = entry;
    const head = `${entry.package} ${kind} ${name}`;
    const key = manifold.has(kind) ? `${head} ${entry.source}` : head;
    this.byKey.delete(key);
    this.byKey.set(key, entry);
    if (this.byKey.size <= maximumEntries) return;
    this.byKey.delete(this.byKey.keys().next().value!);
    this.dropped++;
  }

  entries(): readonly DefinitionEntry[] {
    return [...this.byKey.values()];
  }

  /** Takes over the entries of a saved image. */
  restore(entries: readonly DefinitionEntry[], dropped: number): void {
    this.byKey.clear();
    for (const entry of entries) this.put(entry);
    this.sequence = entries.at(-1)?.sequence ?? 0;
    this.dropped = dropped;
  }
}
