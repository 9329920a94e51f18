/** A list to choose from, with a search: conversations, models, settings and their values, earlier input. */

export type PickerPurpose =
  | { readonly kind: "conversation" }
  | { readonly kind: "model" }
  /** Earlier input of the conversation; the chosen one goes into the composer. */
  | { readonly kind: "input" }
  | { readonly kind: "setting" }
  | { readonly kind: "setting-value"; readonly name: string };

export type PickerRow = {
  readonly id: string;
  readonly label: string;
  readonly note: string;
  /** More words that the search looks at. */
  readonly search: string;
};

export type Picker = {
  readonly purpose: PickerPurpose;
  readonly title: string;
  readonly rows: readonly PickerRow[];
  /** Rows that exist and were not loaded. */
  readonly omitted: number;
  readonly query: string;
  readonly index: number;
};

/** The rows that hold every word of the query. */
export function foundRows({ rows, query }: Picker): readonly PickerRow[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = `${row.id} ${row.label} ${row.note} ${row.search}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The row under the cursor. */
export function chosenRow(picker: Picker): PickerRow | undefined {
  return foundRows(picker)[picker.index];
}

/** Moves the cursor, staying within the found rows. */
export function movedPicker(picker: Picker, by: number): Picker {
  const last = Math.max(0, foundRows(picker).length - 1);
  return { ...picker, index: Math.min(last, Math.max(0, picker.index + by)) };
}

export function searchedPicker(picker: Picker, query: string): Picker {
  return { ...picker, query, index: 0 };
}
