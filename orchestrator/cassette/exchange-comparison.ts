import type { ModelItem, ModelRequest } from "../contract/model.ts";

/** Parts of a request that may differ from the recorded one. */
export type ComparedPart =
  | "assistant-text"
  | "reasoning"
  | "tool-call"
  | "result-status"
  | "item-order"
  | "model"
  | "user-message"
  | "instructions"
  | "tool-schemas"
  | "tool-output";

/** One difference, told in a sentence that names both sides in a few characters. */
export interface Difference {
  readonly part: ComparedPart;
  readonly text: string;
}

/** How a request compares with the recorded one. */
export interface Comparison {
  /** The first difference that makes the recorded answer meaningless; undefined when the answer may be given. */
  readonly fatal: Difference | undefined;
  /** Differences that are expected between two runs: they carry times, paths and ids. */
  readonly reported: readonly Difference[];
}

/**
 * Compares what is asked with what was recorded. Fatal: what the model said and called before, and whether its calls
 * succeeded. Only reported: instructions, tool schemas, tool outputs, user messages, the model's name.
 */
export function compareRequests(asked: ModelRequest, recorded: ModelRequest): Comparison {
  const reported: Difference[] = [];
  const report = (part: ComparedPart, now: string, before: string): void => {
    if (now !== before) reported.push({ part, text: sideBySide(part, now, before) });
  };
  report("model", asked.model, recorded.model);
  report("instructions", asked.instructions, recorded.instructions);
  report("tool-schemas", JSON.stringify(asked.tools), JSON.stringify(recorded.tools));
  report("user-message", userText(asked.items), userText(recorded.items));
  const [askedItems, recordedItems] = [withoutUserMessages(asked.items), withoutUserMessages(recorded.items)];
  let fatal: Difference | undefined;
  for (let index = 0; index < Math.max(askedItems.length, recordedItems.length); index += 1) {
    const [now, before] = [askedItems[index], recordedItems[index]];
    fatal ??= fatalDifference(now, before, index + 1);
    if (now?.type === "tool-result" && before?.type === "tool-result") {
      report("tool-output", now.output, before.output);
    }
  }
  return { fatal, reported };
}

function fatalDifference(
  now: ModelItem | undefined,
  before: ModelItem | undefined,
  position: number,
): Difference | undefined {
  const differs = (part: ComparedPart, left: string, right: string): Difference | undefined =>
    left === right ? undefined : { part, text: `item ${position}: ${sideBySide(part, left, right)}` };
  if (now === undefined || before === undefined || now.type !== before.type) {
    return differs("item-order", now?.type ?? "nothing", before?.type ?? "nothing");
  }
  if (now.type === "assistant-message" && before.type === now.type) {
    return differs("assistant-text", now.text, before.text);
  }
  if (now.type === "reasoning" && before.type === now.type)
    return differs("reasoning", now.text, before.text);
  if (now.type === "tool-call" && before.type === now.type) {
    return differs("tool-call", `${now.tool} ${now.arguments}`, `${before.tool} ${before.arguments}`);
  }
  if (now.type === "tool-result" && before.type === now.type) {
    return differs("result-status", successOf(now.status), successOf(before.status));
  }
  return undefined;
}

function successOf(status: string): string {
  return status === "ok" ? "success" : "failure";
}

function withoutUserMessages(items: readonly ModelItem[]): readonly ModelItem[] {
  return items.filter((item) => item.type !== "user-message");
}

function userText(items: readonly ModelItem[]): string {
  return items.flatMap((item) => (item.type === "user-message" ? item.text : [])).join("\n\n");
}

const excerptLength = 80;

/** Both texts from shortly before the place where they part. */
function sideBySide(part: ComparedPart, now: string, before: string): string {
  let at = 0;
  while (at < now.length && at < before.length && now[at] === before[at]) at += 1;
  const start = Math.max(0, at - 20);
  const excerpt = (text: string): string => {
    const cut = text.slice(start, start + excerptLength).toWellFormed();
    return JSON.stringify(`${start > 0 ? "…" : ""}${cut}${start + excerptLength < text.length ? "…" : ""}`);
  };
  return `${part} is now ${excerpt(now)}, was recorded as ${excerpt(before)}`;
}
