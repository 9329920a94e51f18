/**
 * The transcript as a pure function of updates. Entries that can change are *live*; {@link settle} takes those that cannot from the front,
 * to be printed into the scrollback once. What was printed is remembered by its ids, so that a history that is read again after a lost
 * connection shows nothing twice.
 */
import { finishedCut } from "../markdown/stream-blocks.ts";
import { checksum } from "./text-checksum.ts";
import { type TurnEndUpdate, turnText } from "./turn-text.ts";
import {
  type Entry,
  type EntryUpdate,
  type FormEntry,
  type NoticeEntry,
  type TextEntry,
  type ToolEntry,
  hasGap,
  isFinished,
} from "./entries.ts";

/** An entry for the scrollback. */
export type PrintedEntry = { readonly entry: Entry; readonly gap: boolean };

/** How much of a message was printed, and a checksum of it; both 0 for what is printed whole. */
type Printed = { readonly length: number; readonly sum: number };

export type Transcript = {
  readonly live: readonly Entry[];
  /** The entry that was printed last. */
  readonly last: Entry | undefined;
  /** What was printed, by the ids of messages, calls and notices. The oldest ones are forgotten. */
  readonly printed: ReadonlyMap<string, Printed>;
  /** Jobs of `? form` that run: what they were asked, by the ids of their forms. */
  readonly background: ReadonlyMap<string, FormEntry>;
  /** While history is read again: characters of a message that came so far. */
  readonly replayed: ReadonlyMap<string, number> | undefined;
};

/** Ids that are remembered. */
const rememberedIds = 2_048;
/** Entries that may be live; older ones are printed as they are. */
export const liveEntryLimit = 256;

export const emptyTranscript: Transcript = {
  live: [],
  last: undefined,
  printed: new Map(),
  background: new Map(),
  replayed: undefined,
};

/** Before history comes again: what was live comes with it, but for the answers of commands. */
export function beginReplay(transcript: Transcript): Transcript {
  const live = transcript.live.filter(
    (entry) => entry.kind === "notice" && (entry.code === "typed" || entry.code === "command"),
  );
  return { ...transcript, live, replayed: new Map() };
}

/**
 * Behind the replay: what is live now goes on by events. Answers that the history does not have were never recorded, and their ids will
 * be given to others.
 */
export function endReplay(transcript: Transcript): Transcript {
  const { replayed } = transcript;
  if (replayed === undefined) return transcript;
  const isLost = (id: string): boolean => id.startsWith("r:") && !replayed.has(id);
  return { ...forgotten(transcript, isLost), replayed: undefined };
}

/** Applies one update. */
export function withUpdate(transcript: Transcript, update: EntryUpdate): Transcript {
  switch (update.type) {
    case "user-message":
      return wasShown(transcript, update.messageId)
        ? transcript
        : withEntry(transcript, {
            kind: "user",
            messageId: update.messageId,
            text: update.text,
            origin: update.origin,
            images: update.images ?? 0,
            at: update.at,
          });
    case "message-chunk":
      return withChunk(transcript, "message", update.messageId, update.text, update.final === true);
    case "thought-chunk":
      return withChunk(transcript, "thought", update.messageId, update.text, update.final === true);
    case "output-discarded":
      return withoutOutput(transcript, update.prefix);
    case "tool-call":
      return withToolCall(transcript, update);
    case "tool-call-update":
      return withToolNews(transcript, update);
    case "form":
    case "form-output":
    case "form-result":
      return withForm(transcript, update);
    case "notice":
      return withNotice(transcript, update);
    case "turn-end":
      return withTurnEnd(transcript, update);
  }
}

/** Adds an entry behind all others. */
export function withEntry(transcript: Transcript, entry: Entry): Transcript {
  return { ...transcript, live: [...closedTexts(transcript.live), entry] };
}

/** Adds what has nothing to do with a text that still grows: it stands behind it, and the text goes on. */
export function withBesideEntry(transcript: Transcript, entry: Entry): Transcript {
  return { ...transcript, live: [...transcript.live, entry] };
}

/** The end of a turn, once: a history that is read again has it too. */
function withTurnEnd(transcript: Transcript, update: TurnEndUpdate): Transcript {
  const { turnId, outcome } = update;
  const text = turnText(update);
  if (text === "" || wasShown(transcript, turnId))
    return { ...transcript, live: closedTexts(transcript.live) };
  const base = outcome === "end-turn" ? transcript : withCutMark(transcript, turnId);
  return withEntry(base, { kind: "turn", turnId, outcome, text });
}

/** Says behind an answer without an end that it has none, and that the conversation does not have its beginning. */
function withCutMark(transcript: Transcript, turnId: string): Transcript {
  const { live } = transcript;
  const open = live.findLastIndex(
    (entry) => isOpenText(entry) && entry.kind === "message" && (!entry.isFirst || entry.text.trim() !== ""),
  );
  if (open < 0) return transcript;
  const mark: NoticeEntry = {
    kind: "notice",
    level: "warning",
    code: `cut-off:${turnId}`,
    text: "The answer was cut off here. Its beginning above is not kept: it is not in the record, and the model does not see it again.",
  };
  return { ...transcript, live: live.toSpliced(open + 1, 0, mark) };
}

function isOpenText(entry: Entry): entry is TextEntry {
  return (entry.kind === "message" || entry.kind === "thought") && !entry.isFinal;
}

/** Whatever of the turn comes behind a text ends it: chunks of one message are not interleaved with others'. */
function closedTexts(live: readonly Entry[]): readonly Entry[] {
  return live.some(isOpenText)
    ? live.map((entry) => (isOpenText(entry) ? { ...entry, isFinal: true } : entry))
    : live;
}

/** Takes the finished entries from the front: what is to be printed now, in order. */
export function settle(transcript: Transcript): {
  readonly transcript: Transcript;
  readonly printed: readonly PrintedEntry[];
} {
  const printed: PrintedEntry[] = [];
  let { last } = transcript;
  const ids = new Map<string, Printed>(transcript.printed);
  let live = [...transcript.live];
  const print = (entry: Entry): void => {
    if (!isBlank(entry)) {
      printed.push({ entry, gap: hasGap(last, entry) });
      last = entry;
    }
    remember(ids, entry);
  };
  for (;;) {
    const [first] = live;
    if (first === undefined) break;
    if (isFinished(first) || live.length > liveEntryLimit) {
      print(first);
      live = live.slice(1);
      continue;
    }
    const parts = first.kind === "message" || first.kind === "thought" ? divided(first) : undefined;
    if (parts === undefined) break;
    print(parts.finished);
    live = [parts.rest, ...live.slice(1)];
  }
  if (printed.length === 0 && live.length === transcript.live.length) return { transcript, printed };
  return { transcript: { ...transcript, live, last, printed: ids }, printed };
}

/** A text in its finished blocks and the rest, or undefined when no block is finished. */
function divided(entry: TextEntry): { readonly finished: TextEntry; readonly rest: TextEntry } | undefined {
  const cut = finishedCut(entry.text, entry.fence);
  if (cut.length === 0) return undefined;
  const rest: TextEntry = {
    ...entry,
    text: entry.text.slice(cut.length),
    isFirst: false,
    fence: cut.fence,
    joins: cut.joins,
  };
  return { finished: { ...entry, text: entry.text.slice(0, cut.length), isFinal: true }, rest };
}

function isBlank(entry: Entry): boolean {
  return (entry.kind === "message" || entry.kind === "thought") && entry.text.trim() === "";
}

function idOf(entry: Entry): string | undefined {
  if (entry.kind === "tool") return entry.callId;
  if (entry.kind === "form") return entry.isEnd === true ? endKey(entry.formId) : entry.formId;
  if (entry.kind === "notice") return noticeKey(entry);
  return entry.kind === "turn" ? entry.turnId : entry.messageId;
}

/** The id of the result of `? form`, which stands by itself. */
function endKey(formId: string): string {
  return `end:${formId}`;
}

function noticeKey({ code, text }: { readonly code: string; readonly text: string }): string {
  return `notice:${code}:${text.slice(0, 200)}`;
}

const nothing: Printed = { length: 0, sum: 0 };

function remember(ids: Map<string, Printed>, entry: Entry): void {
  const id = idOf(entry);
  if (id === undefined) return;
  const before = ids.get(id) ?? nothing;
  ids.delete(id);
  const isText = entry.kind === "message" || entry.kind === "thought";
  ids.set(
    id,
    isText ? { length: before.length + entry.text.length, sum: checksum(entry.text, before.sum) } : nothing,
  );
  for (const oldest of ids.keys()) {
    if (ids.size <= rememberedIds) break;
    ids.delete(oldest);
  }
}

/** True when the thing with that id stands in the transcript already. */
function wasShown(transcript: Transcript, id: string): boolean {
  return transcript.printed.has(id) || transcript.live.some((entry) => idOf(entry) === id);
}

function withChunk(
  transcript: Transcript,
  kind: "message" | "thought",
  messageId: string,
  text: string,
  isFinal: boolean,
): Transcript {
  const { fresh, base } = unseenPart(transcript, messageId, text);
  const at = base.live.findLastIndex((entry) => entry.kind === kind && entry.messageId === messageId);
  const found = base.live[at];
  if (found !== undefined && (found.kind === "message" || found.kind === "thought")) {
    const next = { ...found, text: found.text + fresh, isFinal: found.isFinal || isFinal };
    return { ...base, live: base.live.with(at, next) };
  }
  const isKnown = base.printed.has(messageId);
  if (isKnown && fresh === "") return base;
  const entry: TextEntry = {
    kind,
    messageId,
    text: fresh,
    isFinal,
    isFirst: !isKnown,
    fence: undefined,
    joins: isKnown,
  };
  return { ...base, live: [...closedTexts(base.live), entry] };
}

/** While history is read again, the part of a chunk that lies behind what was printed of its message. */
function unseenPart(
  transcript: Transcript,
  messageId: string,
  text: string,
): { readonly fresh: string; readonly base: Transcript } {
  const { printed, replayed } = transcript;
  const known = printed.get(messageId);
  if (replayed === undefined || known === undefined) return { fresh: text, base: transcript };
  const before = replayed.get(messageId) ?? 0;
  if (before === 0 && text.length >= known.length && checksum(text.slice(0, known.length), 0) !== known.sum)
    // Another text under the same id: a host that died gave the id to an answer that it never recorded.
    return { fresh: text, base: forgotten(transcript, (id) => id === messageId) };
  const next = new Map(replayed).set(messageId, before + text.length);
  return { fresh: text.slice(Math.max(0, known.length - before)), base: { ...transcript, replayed: next } };
}

function forgotten(transcript: Transcript, isForgotten: (id: string) => boolean): Transcript {
  const printed = new Map([...transcript.printed].filter(([id]) => !isForgotten(id)));
  return printed.size === transcript.printed.size ? transcript : { ...transcript, printed };
}

/** The output of a failed attempt: what is live goes; for what was printed a line says that it is void. */
function withoutOutput(transcript: Transcript, prefix: string): Transcript {
  const isVoid = (entry: Entry): boolean =>
    (entry.kind === "message" || entry.kind === "thought") && entry.messageId.startsWith(prefix);
  const live = transcript.live.filter((entry) => !isVoid(entry));
  const { printed } = forgotten(transcript, (id) => id.startsWith(prefix));
  const next = { ...transcript, live, printed };
  if (printed.size === transcript.printed.size || transcript.replayed !== undefined) return next;
  return withEntry(next, {
    kind: "notice",
    level: "warning",
    code: "output-discarded",
    text: "The answer broke off; it is made again from its beginning.",
  });
}

type ToolCall = Extract<EntryUpdate, { type: "tool-call" }>;
type ToolNews = Extract<EntryUpdate, { type: "tool-call-update" }>;

function withToolCall(transcript: Transcript, update: ToolCall): Transcript {
  if (transcript.printed.has(update.callId)) return transcript;
  const at = transcript.live.findIndex((entry) => entry.kind === "tool" && entry.callId === update.callId);
  const entry: ToolEntry = {
    kind: "tool",
    callId: update.callId,
    tool: update.tool,
    title: update.title,
    toolKind: update.kind,
    status: update.status,
    content: [],
    resourceUris: [],
    durationMs: undefined,
  };
  return at < 0 ? withEntry(transcript, entry) : { ...transcript, live: transcript.live.with(at, entry) };
}

function withToolNews(transcript: Transcript, update: ToolNews): Transcript {
  const at = transcript.live.findIndex((entry) => entry.kind === "tool" && entry.callId === update.callId);
  const found = transcript.live[at];
  if (found?.kind !== "tool") return transcript;
  const next: ToolEntry = {
    ...found,
    status: update.status ?? found.status,
    content: update.content ?? found.content,
    resourceUris: update.resourceUris ?? found.resourceUris,
    durationMs: update.durationMs ?? found.durationMs,
  };
  return { ...transcript, live: transcript.live.with(at, next) };
}

type FormNews = Extract<EntryUpdate, { type: "form" | "form-output" | "form-result" }>;

function withForm(transcript: Transcript, update: FormNews): Transcript {
  const { formId } = update;
  if (update.type === "form") {
    const { source, job } = update;
    const entry: FormEntry = { kind: "form", formId, source, job, output: "", result: undefined };
    return job === undefined ? withFormEntry(transcript, entry) : withSubmission(transcript, entry);
  }
  const submitted = transcript.background.get(formId);
  if (submitted !== undefined) return withBackgroundNews(transcript, submitted, update);
  if (transcript.printed.has(formId)) return transcript;
  const at = transcript.live.findIndex((entry) => entry.kind === "form" && entry.formId === formId);
  const found = transcript.live[at];
  if (found?.kind !== "form" || found.job !== undefined) return transcript;
  const next =
    update.type === "form-output"
      ? { ...found, output: found.output + update.text }
      : { ...found, output: update.output, result: update };
  return { ...transcript, live: transcript.live.with(at, next) };
}

function withFormEntry(transcript: Transcript, entry: FormEntry): Transcript {
  if (transcript.printed.has(entry.formId)) return transcript;
  const at = transcript.live.findIndex((each) => each.kind === "form" && each.formId === entry.formId);
  return at < 0
    ? withBesideEntry(transcript, entry)
    : { ...transcript, live: transcript.live.with(at, entry) };
}

/** `? form` holds nothing up: what was submitted is finished at once, and its result stands where it ends. */
function withSubmission(transcript: Transcript, entry: FormEntry): Transcript {
  const { formId } = entry;
  const next = wasShown(transcript, formId) ? transcript : withBesideEntry(transcript, entry);
  if (wasShown(transcript, endKey(formId))) return next;
  return { ...next, background: new Map(next.background).set(formId, entry) };
}

/** The output of a job comes with its result. */
function withBackgroundNews(
  transcript: Transcript,
  submitted: FormEntry,
  update: Exclude<FormNews, { type: "form" }>,
): Transcript {
  if (update.type === "form-output") return transcript;
  const background = new Map(transcript.background);
  background.delete(submitted.formId);
  const end: FormEntry = { ...submitted, output: update.output, result: update, isEnd: true };
  return withBesideEntry({ ...transcript, background }, end);
}

function withNotice(transcript: Transcript, update: Extract<EntryUpdate, { type: "notice" }>): Transcript {
  const { level, code, text } = update;
  if (transcript.replayed !== undefined && transcript.printed.has(noticeKey({ code, text })))
    return transcript;
  const entry: NoticeEntry = { kind: "notice", level, code, text };
  return withBesideEntry(transcript, entry);
}
