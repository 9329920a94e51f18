/** The composer: text, pastes, kill ring of one, recall and completion, changed by edits. Pure. */
import type { Completion } from "../../../orchestrator/contract/session.ts";
import { cursorPlace, inputRows, offsetAt } from "./input-rows.ts";
import type { AttachedImage } from "./attached-image.ts";
import { type Chips, imagesIn, pasted, unfolded, usedChips, withChip, withoutChips } from "./pasted-chips.ts";
import {
  type Motion,
  type TextBuffer,
  bufferOf,
  emptyBuffer,
  inserted,
  moved,
  removed,
  replaced,
} from "./text-buffer.ts";
import { previousGrapheme } from "../text/text-width.ts";

/** Candidates on show, with the text as it was before one of them was put in. */
export type CompletionMenu = {
  readonly original: TextBuffer;
  readonly completion: Completion;
  /** The candidate that stands in the text; undefined before the first Tab chose one. */
  readonly index: number | undefined;
};

export type Composer = {
  readonly buffer: TextBuffer;
  readonly chips: Chips;
  readonly killed: string;
  /** Earlier input, oldest first. */
  readonly recall: readonly string[];
  /** Place in {@link recall}, with what was being written when it began. */
  readonly recalled: { readonly index: number; readonly draft: TextBuffer } | undefined;
  readonly menu: CompletionMenu | undefined;
};

export type Edit =
  /** `typed`: one key; brackets come in pairs. */
  | { readonly type: "insert"; readonly text: string; readonly typed: boolean }
  | { readonly type: "paste"; readonly text: string }
  /** An image in place of the text that named it, or at the cursor. */
  | { readonly type: "image"; readonly image: AttachedImage; readonly insteadOf: string }
  | { readonly type: "move"; readonly motion: Motion }
  | { readonly type: "remove"; readonly motion: Motion; readonly keep: boolean }
  | { readonly type: "yank" }
  /** Up or down a row of `width` columns, and from the first and last one into the recall. */
  | { readonly type: "vertical"; readonly by: -1 | 1; readonly width: number }
  | { readonly type: "recall"; readonly by: -1 | 1 }
  | { readonly type: "set"; readonly text: string };

/** Inputs that are kept for recall. */
export const recallLimit = 1_000;

export const emptyComposer: Composer = {
  buffer: emptyBuffer,
  chips: new Map(),
  killed: "",
  recall: [],
  recalled: undefined,
  menu: undefined,
};

/** The whole input, pastes included. */
export function composedText({ buffer, chips }: Composer): string {
  return unfolded(buffer.text, chips);
}

/** The images that go with the text. */
export function composedImages({ buffer, chips }: Composer): readonly AttachedImage[] {
  return imagesIn(buffer.text, chips);
}

export function isEmpty({ buffer }: Composer): boolean {
  return buffer.text === "";
}

/** Empties the composer; what was in it can be recalled. */
export function taken(composer: Composer): Composer {
  const text = composedText(composer);
  return {
    ...withRecall(composer, text),
    buffer: emptyBuffer,
    chips: new Map(),
    menu: undefined,
    recalled: undefined,
  };
}

/** Adds an input to the recall. */
export function withRecall(composer: Composer, text: string): Composer {
  if (text.trim() === "" || composer.recall.at(-1) === text) return composer;
  return { ...composer, recall: [...composer.recall, text].slice(-recallLimit) };
}

/** Applies an edit. Every edit closes the completion menu. */
export function edited(composer: Composer, edit: Edit): Composer {
  const base = composer.menu === undefined ? composer : { ...composer, menu: undefined };
  switch (edit.type) {
    case "insert":
      return {
        ...base,
        buffer: typed(base.buffer, withoutChips(edit.text), edit.typed),
        recalled: undefined,
      };
    case "paste": {
      const { text, chips } = pasted(usedChips(base.buffer.text, base.chips), edit.text);
      return { ...base, buffer: inserted(base.buffer, text), chips, recalled: undefined };
    }
    case "image":
      return withImage(base, edit.image, edit.insteadOf);
    case "move":
      return { ...base, buffer: moved(base.buffer, edit.motion) };
    case "remove":
      return removal(base, edit.motion, edit.keep);
    case "yank":
      return { ...base, buffer: inserted(base.buffer, base.killed) };
    case "vertical":
      return vertical(base, edit.by, edit.width);
    case "recall":
      return recall(base, edit.by);
    case "set":
      return { ...base, buffer: bufferOf(edit.text), chips: new Map(), recalled: undefined };
  }
}

function withImage(composer: Composer, image: AttachedImage, insteadOf: string): Composer {
  const { buffer } = composer;
  const { text, chips } = withChip(usedChips(buffer.text, composer.chips), image);
  const from = insteadOf === "" ? -1 : buffer.text.lastIndexOf(insteadOf);
  if (from < 0) return { ...composer, buffer: inserted(buffer, text), chips, recalled: undefined };
  const to = from + insteadOf.length;
  const cursor = buffer.cursor >= to ? buffer.cursor - insteadOf.length + text.length : buffer.cursor;
  const replacedText = replaced(buffer, from, to, text).text;
  return {
    ...composer,
    buffer: { text: replacedText, cursor: Math.min(cursor, replacedText.length) },
    chips,
    recalled: undefined,
  };
}

const pairs: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
const closers: ReadonlySet<string> = new Set(Object.values(pairs));

/** A typed opening bracket brings its closing one; a typed closing one moves over one that stands there. */
function typed(buffer: TextBuffer, text: string, isTyped: boolean): TextBuffer {
  const next = buffer.text[buffer.cursor];
  if (isTyped && closers.has(text) && next === text) return moved(buffer, "right");
  const closer = isTyped && Object.hasOwn(pairs, text) && comesInPairs(buffer) ? pairs[text] : undefined;
  if (closer === undefined || (next !== undefined && !/[\s)\]}]/.test(next))) return inserted(buffer, text);
  const both = inserted(buffer, text + closer);
  return { ...both, cursor: both.cursor - closer.length };
}

/** In a form, a bracket in a string or behind `#\` is a character and has no partner. */
function comesInPairs({ text, cursor }: TextBuffer): boolean {
  const before = text.slice(0, cursor);
  if (!/^\s*(?:\(|\?\s)/.test(before)) return true;
  if (before.endsWith("#\\")) return false;
  const quotes = before.replaceAll(/#\\.|\\./gsu, "").split('"').length - 1;
  return quotes % 2 === 0;
}

function removal(composer: Composer, motion: Motion, keep: boolean): Composer {
  const { text, cursor } = composer.buffer;
  const isEmptyPair = motion === "left" && cursor > 0 && pairs[text[cursor - 1] ?? ""] === text[cursor];
  if (isEmptyPair && text[cursor] !== undefined)
    return { ...composer, buffer: replaced(composer.buffer, cursor - 1, cursor + 1, "") };
  const { buffer, cut } = removed(composer.buffer, motion);
  return { ...composer, buffer, recalled: undefined, ...(keep && cut !== "" ? { killed: cut } : {}) };
}

function vertical(composer: Composer, by: -1 | 1, width: number): Composer {
  const { buffer, chips } = composer;
  const rows = inputRows(buffer.text, width, chips);
  const { row, column } = cursorPlace(rows, buffer.text, buffer.cursor, chips);
  const wanted = rows[row + by];
  if (wanted === undefined) return recall(composer, by);
  let cursor = offsetAt(wanted, buffer.text, column, chips);
  // The end of a wrapped row is the beginning of the next one.
  if (by === -1 && rows[row]?.from === cursor) cursor = previousGrapheme(buffer.text, cursor);
  if (by === 1 && rows[row + 2]?.from === cursor && cursor > wanted.from)
    cursor = previousGrapheme(buffer.text, cursor);
  return { ...composer, buffer: { ...buffer, cursor } };
}

function recall(composer: Composer, by: -1 | 1): Composer {
  const { recall: entries, recalled, buffer } = composer;
  const index = (recalled?.index ?? entries.length) + by;
  if (index < 0 || index > entries.length || (recalled === undefined && by === 1)) return composer;
  const draft = recalled?.draft ?? buffer;
  if (index === entries.length) return { ...composer, buffer: draft, recalled: undefined };
  // A recalled input is plain text: long ones fold again like a paste.
  const { text, chips } = pasted(usedChips(draft.text, composer.chips), entries[index] ?? "");
  return { ...composer, buffer: bufferOf(text), chips, recalled: { index, draft } };
}

/** Shows what completion found: a single candidate is put in at once. */
export function withCompletion(composer: Composer, completion: Completion): Composer {
  const { candidates } = completion;
  if (candidates.length === 0) return { ...composer, menu: undefined };
  const menu: CompletionMenu = { original: composer.buffer, completion, index: undefined };
  if (candidates.length > 1) {
    const common = commonStart(candidates.map(({ text }) => text));
    const present = composer.buffer.text.slice(completion.from, completion.to);
    if (common.length <= present.length || !common.startsWith(present)) return { ...composer, menu };
    const buffer = replaced(composer.buffer, completion.from, completion.to, common);
    return {
      ...composer,
      buffer,
      menu: {
        original: buffer,
        completion: { ...completion, to: completion.from + common.length },
        index: undefined,
      },
    };
  }
  return { ...composer, buffer: withCandidate(menu, 0), menu: undefined };
}

/** The next or previous candidate stands in the text. */
export function steppedMenu(composer: Composer, by: -1 | 1): Composer {
  const { menu } = composer;
  if (menu === undefined) return composer;
  const count = menu.completion.candidates.length;
  const index = menu.index === undefined ? (by === 1 ? 0 : count - 1) : (menu.index + by + count) % count;
  return { ...composer, buffer: withCandidate(menu, index), menu: { ...menu, index } };
}

/** Ends completion; `keep` leaves the candidate in the text. */
export function closedMenu(composer: Composer, keep: boolean): Composer {
  const { menu } = composer;
  if (menu === undefined) return composer;
  return { ...composer, menu: undefined, ...(keep ? {} : { buffer: menu.original }) };
}

function withCandidate({ original, completion }: CompletionMenu, index: number): TextBuffer {
  const { from, to, candidates } = completion;
  return replaced(original, from, to, withoutChips(candidates[index]?.text ?? ""));
}

function commonStart(texts: readonly string[]): string {
  const [first = "", ...rest] = texts;
  let length = first.length;
  for (const text of rest) {
    let same = 0;
    while (same < length && text[same] === first[same]) same += 1;
    length = same;
  }
  return first.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}
