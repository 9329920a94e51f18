/** What events of the session do to the screen. */
import type { ClientEvent } from "../../../orchestrator/contract/acp/events.ts";
import type {
  HistoryPage,
  Diagnosis,
  PermissionRequest,
  RestartRequest,
  SessionEvent,
  SessionState,
  SessionUpdate,
} from "../../../orchestrator/contract/session.ts";
import { withRecall } from "../composer/composer.ts";
import { type EntryUpdate, isEntryUpdate, isFinished } from "../transcript/entries.ts";
import {
  type Transcript,
  beginReplay,
  emptyTranscript,
  endReplay,
  settle,
  withEntry,
  withUpdate,
} from "../transcript/transcript.ts";
import { openedReview } from "./correction-update.ts";
import { openedDialog } from "./restart-dialog.ts";
import {
  type Action,
  type Command,
  type ScreenState,
  type Step,
  flashed,
  isFormRunning,
  step,
} from "./screen-state.ts";
import { conversationName } from "./conversation-name.ts";
import { type OlderHistory, looseResults } from "./history-viewer.ts";
import { clientCommands } from "./client-commands.ts";

/** Applies a batch of events; what is finished by them is printed at once. */
export function withEvents(state: ScreenState, events: readonly ClientEvent[], at: number): Step {
  let next: ScreenState = { ...state, now: at };
  const commands: Command[] = [];
  for (const event of events) {
    const done = withEvent(next, event);
    next = done.state;
    commands.push(...done.commands);
  }
  const settled = settledScreen(next);
  return step(settled.state, ...settled.commands, ...uniqueCommands(commands));
}

/** Prints what is finished. */
function settledScreen(state: ScreenState): Step {
  const { transcript, printed } = settle(state.transcript);
  const next = transcript === state.transcript ? state : { ...state, transcript };
  return printed.length === 0 ? step(next) : step(next, { type: "print", entries: printed });
}

function uniqueCommands(commands: readonly Command[]): readonly Command[] {
  const seen = new Set<string>();
  return commands.filter((command) => {
    const key = JSON.stringify(command);
    return !seen.has(key) && seen.add(key);
  });
}

function withEvent(state: ScreenState, event: ClientEvent): Step {
  switch (event.kind) {
    case "update":
      return step(withSessionUpdate(state, event.update));
    case "turn":
      return withTurn(state, event);
    case "permission-requested":
      return step(withRequests(state, [...state.requests, event.request]));
    case "permission-resolved":
      return step(
        withRequests(
          state,
          state.requests.filter(({ requestId }) => requestId !== event.requestId),
        ),
      );
    case "pending-input":
      return step({ ...state, pending: event.inputs, isPaused: event.paused });
    case "job":
      return step(state, { type: "fetch", what: "jobs" });
    case "activity":
      return step({ ...state, activity: event });
    case "state":
      return step(state, { type: "fetch", what: "state" });
    case "catalog":
      return withCatalog(state, event.catalog);
    case "switched":
      return step(state, { type: "open", sessionId: event.to });
    case "form-action":
      // Of the form that this terminal submitted; others' are theirs.
      if (event.inputId?.includes(state.clientId) !== true) return step(state);
      return event.action === "review-correction"
        ? openedReview(state, event.complaint)
        : step(state, ...clientCommands(event.action));
    case "restarts-requested":
      return step(withRestarts(state, [...state.restarts, event.request]), { type: "fetch", what: "state" });
    case "restarts-resolved":
      return step(
        withRestarts(
          // What was said about the choices is over with them.
          { ...state, flash: undefined },
          state.restarts.filter(({ requestId }) => requestId !== event.requestId),
        ),
        { type: "fetch", what: "state" },
      );
    case "diagnosis":
      return step(withDiagnosing(state, event.requestId, event.state === "running"));
    case "closed":
      return withClosed(state, event);
    case "gap":
      return step(state, { type: "reattach" });
    case "detached":
      return step(state, { type: "leave", reason: "detached" });
  }
}

function withCatalog(state: ScreenState, catalog: string): Step {
  if (catalog === "jobs") return step(state, { type: "fetch", what: "jobs" });
  return catalog === "settings" ? step(state, { type: "fetch", what: "settings" }) : step(state);
}

function withClosed(state: ScreenState, event: Extract<SessionEvent, { kind: "closed" }>): Step {
  const text = event.failure === undefined ? "" : `: ${event.failure.message}`;
  const next = withEntry(state.transcript, {
    kind: "notice",
    level: event.reason === "failed" ? "error" : "info",
    code: "closed",
    text: `The session was closed (${event.reason})${text}.`,
  });
  const ended: ScreenState = {
    ...state,
    transcript: next,
    link: "ended",
    requests: [],
    approval: undefined,
    restarts: [],
    restart: undefined,
    correction: undefined,
  };
  return step(ended, { type: "leave", reason: event.reason === "quit" ? "quit" : "ended" });
}

/** The open requests; the dialog shows the first one. */
function withRequests(state: ScreenState, requests: readonly PermissionRequest[]): ScreenState {
  const [first] = requests;
  if (first === undefined || state.isReadOnly) return { ...state, requests, approval: undefined };
  if (state.approval?.requestId === first.requestId) return { ...state, requests };
  const approval = { requestId: first.requestId, shownAt: state.now, option: 0, scroll: 0 } as const;
  return { ...state, requests, approval };
}

/** The conditions that wait; the dialog shows the first one. */
function withRestarts(state: ScreenState, restarts: readonly RestartRequest[]): ScreenState {
  const [first] = restarts;
  if (first === undefined || state.isReadOnly) return { ...state, restarts, restart: undefined };
  if (state.restart?.requestId === first.requestId) return { ...state, restarts };
  return { ...state, restarts, restart: openedDialog(first, state.now) };
}

/** What a model says; undefined when it said nothing. The first way out that it proposes is the chosen row. */
export function withDiagnosis(
  state: ScreenState,
  requestId: string,
  diagnosis: Diagnosis | undefined,
): ScreenState {
  if (state.restart?.requestId !== requestId) return state;
  return { ...state, restart: { ...state.restart, diagnosis, isDiagnosing: false, index: 0 } };
}

function withDiagnosing(state: ScreenState, requestId: string, isDiagnosing: boolean): ScreenState {
  if (state.restart?.requestId !== requestId) return state;
  return { ...state, restart: { ...state.restart, isDiagnosing } };
}

function withSessionUpdate(state: ScreenState, update: SessionUpdate): ScreenState {
  if (isEntryUpdate(update)) return withEntryUpdate(state, update);
  const { session } = state;
  if (session === undefined) return state;
  return { ...state, session: patched(session, update) };
}

function patched(session: SessionState, update: Exclude<SessionUpdate, EntryUpdate>): SessionState {
  switch (update.type) {
    case "plan":
      return { ...session, plan: update.entries };
    case "usage":
      return {
        ...session,
        usage: update.total,
        turnUsage: update.turn,
        contextTokens: update.contextTokens,
        contextWindow: update.contextWindow,
      };
    case "title":
      return { ...session, title: update.title };
    case "mode":
      return { ...session, mode: update.mode };
  }
}

function withEntryUpdate(state: ScreenState, update: EntryUpdate): ScreenState {
  const next = { ...state, transcript: withUpdate(state.transcript, update) };
  if (update.type === "form-result" && !isFormRunning(next)) return { ...next, stoppingFormAt: undefined };
  if (update.type === "form") return { ...next, composer: withRecall(state.composer, update.source) };
  if (update.type !== "user-message") return next;
  const sending = state.sending.filter(({ inputId }) => inputId !== update.inputId);
  // What was typed here is in the recall since it was sent.
  const isKnown = update.origin === "automatic" || update.inputId?.includes(state.clientId) === true;
  return { ...next, sending, composer: isKnown ? state.composer : withRecall(state.composer, update.text) };
}

function withTurn(state: ScreenState, event: Extract<SessionEvent, { kind: "turn" }>): Step {
  const { session } = state;
  if (session === undefined) return step(state, { type: "fetch", what: "state" });
  const { epoch, source } = event;
  if (event.state === "running") {
    const turn = { ...session.turn, state: "running", epoch, source, startedAt: event.at } as const;
    return step({ ...state, stoppingAt: undefined, session: { ...session, turn } });
  }
  const turn = {
    ...session.turn,
    state: "idle",
    source: null,
    startedAt: null,
    lastOutcome: event.outcome,
  } as const;
  const ended = { ...session, turn };
  const next: ScreenState = { ...state, activity: undefined, stoppingAt: undefined, session: ended };
  return step(next, { type: "fetch", what: "state" });
}

/** The end of a conversation's history and what runs now. What was shown before is not shown again. */
export function withAttached(state: ScreenState, action: Extract<Action, { type: "attached" }>): Step {
  const { view, sessionId, isReadOnly, at } = action;
  const isSame = state.sessionId === sessionId;
  let next: ScreenState = {
    ...state,
    now: at,
    link: "attached",
    sessionId,
    session: view.state,
    isReadOnly,
    pending: view.state.pendingInputs,
    isPaused: view.state.paused,
    activity: undefined,
    stoppingAt: isSame ? state.stoppingAt : undefined,
    approval: isSame ? state.approval : undefined,
    older: isSame ? state.older : olderThan(view.history),
    viewer: isSame ? state.viewer : undefined,
    // Ids are those of one conversation: another one begins without any.
    transcript: beginReplay(isSame ? state.transcript : { ...emptyTranscript, last: state.transcript.last }),
    jobs: isSame ? state.jobs : [],
  };
  const opened = isSame ? step(next) : openingEntries(next, view.history.hasOlder);
  next = opened.state;
  for (const { update } of view.history.updates) next = withSessionUpdate(next, update);
  for (const update of view.live) next = withSessionUpdate(next, update);
  // The snapshot is newer than the history's titles, modes and counters.
  const replayed = endReplay(next.transcript);
  const transcript = isSame && state.link === "lost" ? withReconnected(replayed, state.counter) : replayed;
  next = { ...next, session: view.state, transcript };
  // What the host keeps for recall is more than what the history on show holds.
  if (!isSame && action.recall !== undefined)
    next = { ...next, composer: { ...next.composer, recall: action.recall, recalled: undefined } };
  next = withRequests(next, view.state.permissionRequests);
  next = withRestarts(next, view.state.restartRequests);
  if (action.draft !== undefined && action.draft.text !== "" && next.composer.buffer.text === "")
    next = { ...next, composer: { ...next.composer, buffer: { ...action.draft } } };
  const settled = settledScreen(next);
  return step(settled.state, ...opened.commands, ...settled.commands, { type: "fetch", what: "jobs" });
}

function olderThan({ updates, firstSeq, hasOlder }: HistoryPage): OlderHistory | undefined {
  if (!hasOlder || firstSeq === null) return undefined;
  return { before: firstSeq, loose: looseResults(updates.map(({ update }) => update)) };
}

function withReconnected(transcript: Transcript, number: number): Transcript {
  const code = `reconnected:${number}`;
  const entry = { kind: "notice", level: "info", code, text: "Connected again." } as const;
  const open = transcript.live.findIndex((each) => !isFinished(each));
  // What streams already is not to be ended by a line behind it.
  return open < 0
    ? withEntry(transcript, entry)
    : { ...transcript, live: transcript.live.toSpliced(open, 0, entry) };
}

function openingEntries(state: ScreenState, hasOlder: boolean): Step {
  const { session } = state;
  if (session === undefined) return step(state);
  const text = [
    `autolith · ${session.model} · ${session.workingDirectory} · ${conversationName(session.sessionId)}`,
    ...(state.isReadOnly ? ["read-only: you see what happens and can change nothing"] : []),
    ...(hasOlder
      ? [`earlier messages: Page Up, or autolith replay ${conversationName(session.sessionId)}`]
      : []),
  ].join("\n");
  const entry = { kind: "notice", level: "info", code: "opened", text } as const;
  const printed = { entry, gap: state.transcript.last !== undefined };
  return step(
    { ...state, transcript: { ...state.transcript, last: entry, live: [] } },
    { type: "print", entries: [printed] },
  );
}

/** The connection is gone, or the conversation ended. */
export function withLink(state: ScreenState, action: Extract<Action, { type: "link" }>): Step {
  if (action.link !== "lost") return step({ ...state, link: action.link, now: action.at });
  if (state.link === "lost") return step(state);
  const transcript = withEntry(state.transcript, {
    kind: "notice",
    level: "error",
    code: `lost:${action.at}`,
    text: `The session host is gone (${action.reason}). Starting it again; what you write is kept.`,
  });
  const session =
    state.session === undefined
      ? undefined
      : { ...state.session, turn: { ...state.session.turn, state: "idle" as const, startedAt: null } };
  const next: ScreenState = {
    ...flashed(state, "error", "Connection lost: connecting again", action.at),
    link: "lost",
    session,
    transcript,
    requests: [],
    restarts: [],
    restart: undefined,
    correction: undefined,
    approval: undefined,
    activity: undefined,
    stoppingAt: undefined,
    stoppingFormAt: undefined,
    viewer: undefined,
    counter: state.counter + 1,
  };
  return settledScreen(next);
}
