/** What a screen must show of a conversation at rest: everything that is recorded, in its order, and nothing twice. Pure. */
import type { SessionUpdate } from "../../../orchestrator/contract/session.ts";

/** Names that the script makes unique: a thing that stands on a screen by it. */
const answerMark = /\b(?:answer-\d+-\d+|before-\d+)\b/g;
const commandMark = /echo (\w+-\w+) >>/;

/** The marks of what the record shows, in order. */
export function recordedMarks(shown: readonly SessionUpdate[]): readonly string[] {
  return shown.flatMap((update) => {
    switch (update.type) {
      case "user-message":
        return update.origin === "automatic" ? [] : [update.text];
      case "message-chunk":
        return [...update.text.matchAll(answerMark)].map(([mark]) => mark);
      case "tool-call":
        return commandMark.exec(update.title)?.[1] ?? [];
      default:
        return [];
    }
  });
}

/** The marks that stand in the rows of a terminal, from top to bottom. */
export function screenMarks(rows: readonly string[]): readonly string[] {
  return rows.flatMap((row) => {
    const typed = /^ {2}(typed-\w+)$/.exec(row)?.[1];
    if (typed !== undefined) return [typed];
    const command = /^[✓✗⊘?◌◐] shell\.run echo (\w+-\w+) >>/.exec(row)?.[1];
    if (command !== undefined) return [command];
    // What the model wrote stands alone in its line.
    const written = /^ {2}(answer-\d+-\d+|before-\d+)$/.exec(row)?.[1];
    return written === undefined ? [] : [written];
  });
}

/**
 * Rows of the scrollback and the screen against the record. Words of an answer that broke off with its host may stand there although no record
 * has them; once.
 */
export function screenViolations(
  rows: readonly string[],
  shown: readonly SessionUpdate[],
): readonly string[] {
  const [wanted, seen] = [recordedMarks(shown), screenMarks(rows)];
  const count = (mark: string): number => seen.filter((each) => each === mark).length;
  const twice = [...new Set(seen)].filter((mark) => count(mark) > 1);
  const missing = wanted.filter((mark) => count(mark) === 0);
  const known = new Set(wanted);
  const order = seen.filter((mark) => known.has(mark));
  const isInOrder = twice.length > 0 || missing.length > 0 || order.every((mark, at) => mark === wanted[at]);
  const strangers = seen.filter((mark) => !known.has(mark) && !answerMarkOf(mark));
  const open = rows.filter((row) => /^[◌◐] /.test(row));
  return [
    ...twice.map((mark) => `on the screen twice: ${mark}`),
    ...missing.map((mark) => `not on the screen: ${mark}`),
    ...strangers.map((mark) => `on the screen and not in the record: ${mark}`),
    ...(isInOrder
      ? []
      : [`on the screen in another order: ${order.join(" ")}; recorded: ${wanted.join(" ")}`]),
    ...open.map((row) => `shown as unfinished: ${row}`),
  ];
}

function answerMarkOf(mark: string): boolean {
  return /^(?:answer|before)-/.test(mark);
}
