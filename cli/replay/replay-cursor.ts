/** Places in a stored conversation: found by turn, date, time or sequence, and stepped from one to the next. Pure. */
import type { StoredRecord } from "../../orchestrator/record/conversation-record.ts";

export const selectorKinds = ["turn", "date", "time", "sequence"] as const;
export type SelectorKind = (typeof selectorKinds)[number];

/** A value of each, as people write it. */
export const selectorExamples: Readonly<Record<SelectorKind, string>> = {
  turn: "12",
  date: "2026-08-28",
  time: "2026-08-28T10:30:00",
  sequence: "1200",
};

/** The index of a record, or why there is none. */
export type Located =
  | { readonly kind: "at"; readonly index: number }
  | { readonly kind: "none"; readonly reason: string };

/**
 * Finds a place. `turn N`: the N-th message of the person, from 1. `date D` (2026-08-28) and `time T` (2026-08-28T10:30:00, or the time of
 * a day of the last record) are local unless they say their zone: the first record then or later. `sequence N`: that record, or the next one
 * that is there.
 */
export function locate(records: readonly StoredRecord[], kind: SelectorKind, value: string): Located {
  switch (kind) {
    case "turn":
      return turn(records, value);
    case "sequence": {
      const wanted = wholeNumber(value);
      if (wanted === undefined) return none(`sequence takes a number from 1, not ${JSON.stringify(value)}.`);
      return first(records, ({ seq }) => seq >= wanted, `The last record is #${records.at(-1)?.seq ?? 0}.`);
    }
    case "date":
    case "time": {
      const at = instant(kind, value, records.at(-1)?.at ?? 0);
      if (at === undefined)
        return none(
          kind === "date"
            ? `date takes a day such as 2026-08-28, not ${JSON.stringify(value)}.`
            : `time takes an instant such as 2026-08-28T10:30:00, not ${JSON.stringify(value)}.`,
        );
      const last = records.at(-1);
      const lastText = last === undefined ? "nothing" : new Date(last.at).toISOString();
      return first(records, (stored) => stored.at >= at, `The last record is of ${lastText}.`);
    }
  }
}

function turn(records: readonly StoredRecord[], value: string): Located {
  const wanted = wholeNumber(value);
  if (wanted === undefined) return none(`turn takes a number from 1, not ${JSON.stringify(value)}.`);
  let count = 0;
  for (const [index, { record }] of records.entries()) {
    if (record.kind !== "message" || record.automatic === true) continue;
    count += 1;
    if (count === wanted) return { kind: "at", index };
  }
  return none(`There is no turn ${wanted}: the conversation has ${count}.`);
}

function first(
  records: readonly StoredRecord[],
  accepts: (stored: StoredRecord) => boolean,
  otherwise: string,
): Located {
  const index = records.findIndex(accepts);
  return index < 0 ? none(`There is no record there or later. ${otherwise}`) : { kind: "at", index };
}

function none(reason: string): Located {
  return { kind: "none", reason };
}

function wholeNumber(text: string): number | undefined {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  return number > 0 ? number : undefined;
}

const datePattern = /^\d{4}-\d{2}-\d{2}$/;
const clockPattern = /^\d{2}:\d{2}(?::\d{2})?$/;
const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/;

/** Epoch milliseconds; undefined for a text that is none. */
function instant(kind: "date" | "time", value: string, lastAt: number): number | undefined {
  const clock = kind === "time" && clockPattern.test(value) ? `${localDay(lastAt)}T${value}` : value;
  const isDay = datePattern.test(clock);
  if (!(isDay || (kind === "time" && instantPattern.test(clock)))) return undefined;
  // A day alone would be read as of Greenwich.
  const at = Date.parse(isDay ? `${clock}T00:00:00` : clock);
  return Number.isNaN(at) ? undefined : at;
}

function localDay(at: number): string {
  const day = new Date(at);
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
