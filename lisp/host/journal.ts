/** One definition made in an image: what kind, its name as printed, the source of its form and where that was read. */
export interface DefinitionEntry {
  readonly kind: string;
  readonly name: string;
  readonly source: string;
  readonly file: string | null;
  readonly sequence: number;
}

/** Most entries kept; older ones are dropped, counted in `dropped`. */
const maximumEntries = 10_000;
/** Most characters of one entry's source. */
const maximumSource = 100_000;

/** The definitions made in an image, newest last: at most one entry for each kind and name. */
export class DefinitionJournal {
  private readonly byKey = new Map<string, DefinitionEntry>();
  private sequence = 0;
  /** Entries lost to the bound. */
  dropped = 0;

  record(kind: string, name: string, source: string, file: string | null): void {
    const key = `${kind} ${name}`;
    this.byKey.delete(key);
    this.byKey.set(key, {
      kind,
      name,
      source: source.trim().slice(0, maximumSource),
      file,
      sequence: ++this.sequence,
    });
    if (this.byKey.size <= maximumEntries) return;
    this.byKey.delete(this.byKey.keys().next().value!);
    this.dropped++;
  }

  entries(): readonly DefinitionEntry[] {
    return [...this.byKey.values()];
  }
}
