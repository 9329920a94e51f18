/** The small debugger of a replay: one line of input in, text out. Knows no terminal. */
import type { StoredRecord } from "../../orchestrator/record/conversation-record.ts";
import { rawRecord, recordText } from "./record-text.ts";
import { type SelectorKind, locate, selectorExamples, selectorKinds } from "./replay-cursor.ts";

export type ReplayAnswer = { readonly text: string; readonly isOver: boolean };

export const replayVerbs = ["next", "previous", ...selectorKinds, "raw", "help", "quit"] as const;

const help =
  "next, previous step; turn N, date YYYY-MM-DD, time YYYY-MM-DDTHH:MM:SS, sequence N jump; raw shows the stored form; quit ends. An empty line is next.";

export class ReplaySession {
  readonly #records: readonly StoredRecord[];
  #index: number;

  /** `index`: the place to begin at. */
  constructor(records: readonly StoredRecord[], index: number) {
    this.#records = records;
    this.#index = index;
  }

  /** The record at the present place. */
  here(): string {
    const stored = this.#records[this.#index];
    return stored === undefined ? "The conversation has no records." : recordText(stored);
  }

  /** Executes one line. Verbs may be shortened as long as they are clear. */
  execute(line: string): ReplayAnswer {
    const [word = "", ...rest] = line.trim().split(/\s+/);
    const verb = word === "" ? "next" : word.toLowerCase();
    const matching = replayVerbs.filter((each) => each.startsWith(verb));
    const [found] = matching;
    if (found === undefined || (matching.length > 1 && !matching.includes(verb as never)))
      return said(
        found === undefined
          ? `There is no ${JSON.stringify(word)}. ${help}`
          : `${word} may be ${matching.join(" or ")}.`,
      );
    const chosen = matching.find((each) => each === verb) ?? found;
    switch (chosen) {
      case "quit":
        return { text: "", isOver: true };
      case "help":
        return said(help);
      case "next":
        return this.#step(1, "This is the last record.");
      case "previous":
        return this.#step(-1, "This is the first record.");
      case "raw": {
        const stored = this.#records[this.#index];
        return said(stored === undefined ? this.here() : rawRecord(stored));
      }
      default:
        return this.#jump(chosen, rest.join(" "));
    }
  }

  #step(by: 1 | -1, atEnd: string): ReplayAnswer {
    if (this.#records[this.#index + by] === undefined) return said(atEnd);
    this.#index += by;
    return said(this.here());
  }

  #jump(kind: SelectorKind, value: string): ReplayAnswer {
    if (value === "") return said(`${kind} needs a value: ${kind} ${selectorExamples[kind]}.`);
    const place = locate(this.#records, kind, value);
    if (place.kind === "none") return said(place.reason);
    this.#index = place.index;
    return said(this.here());
  }
}

function said(text: string): ReplayAnswer {
  return { text, isOver: false };
}
