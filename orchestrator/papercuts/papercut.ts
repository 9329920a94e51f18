/** Papercuts: concrete defects or repeated friction of the harness itself, reported by models, kept per workspace. Pure parts. */
import { countField, optionalField, plistDocument, stringField } from "../record/plist-document.ts";

/** Bounds of a report, in characters (facts E). */
export const papercutTitleLimit = 200;
export const papercutContentLimit = 8_000;

export const papercutDocument = plistDocument("a papercut", {
  id: stringField("id", 64),
  workspace: stringField("workspace", 4_096),
  title: stringField("title", papercutTitleLimit),
  content: stringField("content", papercutContentLimit),
  conversationId: stringField("conversation-id", 64),
  /** Epoch milliseconds. */
  reportedAt: countField("reported-at"),
  /** Absent while the report is active. */
  resolution: optionalField(stringField("resolution", papercutContentLimit)),
});

export type Papercut = ReturnType<typeof papercutDocument.fromForm>;

/** A day and an hour, in milliseconds: how long reports are compared by their words. */
const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Parts of the words that two reports share to count as one: in general, and from the same conversation within an hour. */
const overlap = 0.7;
const looseOverlap = 0.45;

export function isActivePapercut(papercut: Papercut): boolean {
  return papercut.resolution === undefined;
}

/** The active report of the workspace that a new one repeats, by its title or by its words. */
export function repeatedPapercut(
  known: readonly Papercut[],
  fresh: Pick<Papercut, "title" | "content" | "workspace" | "conversationId">,
  now: number,
): Papercut | undefined {
  const words = wordsOf(`${fresh.title} ${fresh.content}`);
  return known.find((each) => {
    if (!isActivePapercut(each) || each.workspace !== fresh.workspace) return false;
    if (wordsOf(each.title).join(" ") === wordsOf(fresh.title).join(" ")) return true;
    const age = now - each.reportedAt;
    if (age > dayMs) return false;
    const own = each.conversationId === fresh.conversationId && age <= hourMs;
    return sharedPart(words, wordsOf(`${each.title} ${each.content}`)) >= (own ? looseOverlap : overlap);
  });
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Shared words as a part of the smaller set. */
function sharedPart(left: readonly string[], right: readonly string[]): number {
  const [first, second] = [new Set(left), new Set(right)];
  const shared = [...first].filter((word) => second.has(word)).length;
  return shared / Math.max(1, Math.min(first.size, second.size));
}
