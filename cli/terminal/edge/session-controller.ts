/** The terminal's side of a session: keeps the connection, opens conversations, and turns commands into requests and answers into actions. */
import type { ClientEvent } from "../../../orchestrator/contract/acp/events.ts";
import type { ValueOf } from "../../../orchestrator/contract/acp/method-table.ts";
import type { ConversationId } from "../../../orchestrator/contract/identifiers.ts";
import type { PermissionMode } from "../../../orchestrator/contract/permission-mode.ts";
import type { ConnectToHost, HostLink, Opening } from "../link/host-link.ts";
import type { PickerPurpose } from "../screen/picker.ts";
import type { Action, Command } from "../screen/screen-state.ts";
import { type Asking, chooseRestart, correct } from "./dialog-requests.ts";
import { EventQueue } from "./event-queue.ts";
import { OpeningError, codeOf, messageOf } from "./link-errors.ts";
import { watchedOpening } from "./loading-watch.ts";
import { pickerAction } from "./picker-requests.ts";
import { partsOf, submitOrElse } from "./submission.ts";
import { SessionFetches } from "./session-fetches.ts";

export type ControllerOptions = {
  readonly connect: ConnectToHost;
  readonly opening: Opening;
  readonly mode: PermissionMode | undefined;
  readonly model: string | undefined;
  readonly isReadOnly: boolean;
  readonly takeOver: boolean;
  readonly dispatch: (action: Action) => void;
  readonly now: () => number;
};

/** Updates of history that a terminal shows when it opens a conversation, and reads again after a lost connection. */
const [openingTail, reconnectTail] = [200, 1_000];
/** First and longest wait before another try to connect, in milliseconds. */
const [firstWaitMs, longestWaitMs] = [100, 5_000];
/** Time after a change of the draft until the host has it, in milliseconds: a terminal that is killed loses no more. */
const draftMs = 400;
type Unanswered = Extract<Command, { type: "submit" }>;

export class SessionController {
  readonly #options: ControllerOptions;
  readonly #events: EventQueue<ClientEvent>;
  readonly #unanswered = new Map<string, Unanswered>();
  readonly #fetches: SessionFetches;
  readonly #held: Unanswered[] = [];
  #drafting: NodeJS.Timeout | undefined;
  #switches = 0;
  #link: HostLink | undefined;
  #sessionId: string | undefined;
  #mode: PermissionMode | undefined;
  #isClosed = false;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#mode = options.mode;
    this.#events = new EventQueue((events) =>
      options.dispatch({ type: "events", events, at: options.now() }),
    );
    this.#fetches = new SessionFetches({
      source: () =>
        this.#link === undefined || this.#sessionId === undefined
          ? undefined
          : { link: this.#link, sessionId: this.#id() },
      dispatch: (action) => {
        if (action.type === "state") this.#mode = action.state.mode;
        options.dispatch(action);
      },
    });
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** Connects and opens what was asked for. Rejects with {@link OpeningError} when that is not possible. */
  async start(): Promise<void> {
    try {
      await this.#connect();
      const { opening, dispatch, now } = this.#options;
      await watchedOpening(() => this.#open(opening), {
        link: () => this.#link,
        show: (text) => dispatch({ type: "flash", level: "info", text, at: now() }),
      });
    } catch (error) {
      throw new OpeningError(codeOf(error), messageOf(error));
    }
  }

  /** Carries a command out; what goes wrong is shown. */
  run(command: Command): void {
    const { dispatch, now } = this.#options;
    this.#carryOut(command).catch((error: unknown) => {
      if (codeOf(error) === "disconnected") return;
      dispatch({ type: "flash", level: "error", text: messageOf(error), at: now() });
    });
  }

  /** Puts the draft away for the next terminal, soon, in case that this one is killed. */
  keepDraft(draft: () => { readonly text: string; readonly cursor: number }): void {
    if (this.#options.isReadOnly || this.#isClosed) return;
    this.#drafting ??= setTimeout(() => {
      this.#drafting = undefined;
      if (this.#isClosed || this.#sessionId === undefined) return;
      this.#link?.request("composer", { sessionId: this.#id(), draft: draft() }).catch(() => undefined);
    }, draftMs);
  }

  /** Leaves a draft for the next terminal and ends the connection; the session goes on. */
  async close(draft: { readonly text: string; readonly cursor: number }): Promise<void> {
    this.#isClosed = true;
    this.#fetches.stop();
    clearTimeout(this.#drafting);
    this.#events.clear();
    const link = this.#link;
    if (link === undefined) return;
    if (this.#sessionId !== undefined && !this.#options.isReadOnly)
      await link.request("composer", { sessionId: this.#id(), draft }).catch(() => undefined);
    link.close();
  }

  async #connect(): Promise<void> {
    const link = await this.#options.connect();
    this.#link = link;
    link.onEvent((sessionId, event) => {
      if (sessionId === this.#sessionId) this.#events.push(event);
    });
    void link.closed.then((reason) => this.#lost(link, reason));
  }

  #lost(link: HostLink, reason: string): void {
    if (this.#isClosed || this.#link !== link) return;
    this.#events.flush();
    this.#options.dispatch({ type: "link", link: "lost", reason, at: this.#options.now() });
    void this.#reconnect(firstWaitMs);
  }

  async #reconnect(waitMs: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (this.#isClosed) return;
    try {
      await this.#connect();
      if (this.#sessionId === undefined) {
        await this.#open(this.#options.opening);
        return;
      }
      await this.#load(this.#sessionId, reconnectTail);
      for (const submission of this.#unanswered.values()) this.run(submission);
    } catch (error) {
      const { dispatch, now } = this.#options;
      dispatch({ type: "flash", level: "error", text: messageOf(error), at: now() });
      void this.#reconnect(Math.min(longestWaitMs, waitMs * 2));
    }
  }

  async #open(opening: Opening): Promise<void> {
    const link = this.#required();
    const mode = this.#mode === undefined ? {} : { mode: this.#mode };
    switch (opening.kind) {
      case "choose":
        await this.#pick({ kind: "conversation" });
        return;
      case "join":
        await this.#attach(opening.sessionId, openingTail);
        return;
      case "load":
        await this.#load(opening.sessionId, openingTail);
        return;
      case "new": {
        const model = this.#options.model === undefined ? {} : { model: this.#options.model };
        const opened = await link.request("open", { how: "new", cwd: opening.directory, ...mode, ...model });
        await this.#attach(opened.sessionId, openingTail);
        return;
      }
      case "fork": {
        const source = idOf(opening.sessionId);
        const opened = await link.request("open", { how: "fork", source, ...mode });
        await this.#attach(opened.sessionId, openingTail);
      }
    }
  }

  async #load(sessionId: string, tail: number): Promise<void> {
    const mode = this.#mode === undefined ? {} : { mode: this.#mode };
    const opened = await this.#required().request("open", {
      how: "load",
      sessionId: idOf(sessionId),
      ...mode,
    });
    await this.#attach(opened.sessionId, tail);
  }

  async #attach(sessionId: string, tail: number): Promise<void> {
    const link = this.#required();
    const { isReadOnly, takeOver, dispatch, now } = this.#options;
    const before = this.#sessionId;
    if (before !== undefined && before !== sessionId)
      await link.request("detach", { sessionId: idOf(before), clients: "self" }).catch(() => undefined);
    const id = idOf(sessionId);
    this.#events.clear();
    // Events come from the moment of attaching; they wait until the view has been applied.
    this.#sessionId = sessionId;
    // What was written while there was no conversation yet; later input is sent at once.
    const early = before === undefined ? [...this.#unanswered.values()] : [];
    const isOther = before !== sessionId;
    const [draft, recall, settings, view] = await Promise.all([
      isReadOnly ? null : link.request("composer", { sessionId: id }).then(draftOf, noDraft),
      isOther ? link.request("inputs", { sessionId: id }).then(textsOf, () => undefined) : undefined,
      link.request("settings", { sessionId: id }).catch(() => undefined),
      link.request("attach", {
        sessionId: id,
        tail,
        readOnly: isReadOnly,
        takeOver: takeOver && before === undefined,
        answersPermissions: !isReadOnly,
        answersRestarts: !isReadOnly,
        reviewsCorrections: !isReadOnly,
      }),
    ]);
    this.#mode = view.state.mode;
    // The snapshot holds what these events told.
    this.#events.keep(({ kind, seq }) => kind === "detached" || seq > view.state.eventSeq);
    // History is printed once, so how it looks has to be known first.
    if (settings !== undefined) dispatch({ type: "settings", settings: settings.settings });
    dispatch({ type: "attached", sessionId, view, isReadOnly, draft: draft ?? undefined, recall, at: now() });
    for (const submission of early) this.run(submission);
  }

  #asking(): Asking {
    return { ...this.#options, link: this.#link, sessionId: this.#id() };
  }

  async #carryOut(command: Command): Promise<void> {
    const link = this.#link;
    switch (command.type) {
      case "submit":
        await this.#submit(command);
        return;
      case "cancel":
        await link?.request("cancel", {
          sessionId: this.#id(),
          continueSteering: command.continueSteering,
        });
        return;
      case "answer":
        await link?.request("answer", {
          sessionId: this.#id(),
          requestId: command.requestId,
          answer: command.answer,
        });
        return;
      case "restart":
        await chooseRestart(command, this.#asking());
        return;
      case "correction":
        await correct(command, this.#asking());
        return;
      case "complete":
        await this.#complete(command);
        return;
      case "fetch":
        this.#fetches.soon(command.what);
        return;
      case "pick":
        await this.#pick(command.purpose);
        return;
      case "page":
        await this.#page(command.before);
        return;
      case "open":
        await this.#switchTo(command.sessionId);
        return;
      case "invoke":
        await this.#invoke(command.operation, command.input);
        return;
      case "set":
        await this.#set(command.name, command.value);
        return;
      case "reattach":
        await this.#attach(this.#id(), reconnectTail);
        return;
      case "print":
      case "leave":
      case "suspend":
      case "load-image":
      case "redraw":
        throw new Error(`${command.type} is not for the session`);
    }
  }

  /** What is sent meanwhile is for the conversation that comes. */
  async #switchTo(sessionId: string): Promise<void> {
    this.#switches += 1;
    try {
      await this.#load(sessionId, openingTail);
    } finally {
      this.#switches -= 1;
      if (this.#switches === 0) for (const submission of this.#held.splice(0)) this.run(submission);
    }
  }

  async #submit(command: Unanswered): Promise<void> {
    const { dispatch, now } = this.#options;
    if (this.#switches > 0) {
      this.#held.push(command);
      return;
    }
    this.#unanswered.set(command.inputId, command);
    const link = this.#link;
    if (link === undefined || this.#sessionId === undefined) return;
    const { inputId, text } = command;
    const columns = Math.min(1_000, Math.max(20, command.columns));
    const input = { parts: partsOf(command), inputId, columns };
    try {
      const answer = await submitOrElse(link, this.#id(), input, command);
      this.#unanswered.delete(inputId);
      const invocation = answer.kind === "command" ? answer.invocation : undefined;
      dispatch({ type: "submitted", inputId, invocation });
    } catch (error) {
      // A lost connection says nothing: the same input goes out again when there is another one, and is taken once.
      if (codeOf(error) === "disconnected") return;
      this.#unanswered.delete(inputId);
      const code = codeOf(error);
      dispatch({ type: "refused", inputId, text, code, message: messageOf(error), at: now() });
    }
  }

  async #complete({ text, cursor, token }: Extract<Command, { type: "complete" }>): Promise<void> {
    let completion: ValueOf<"complete"> | undefined;
    try {
      completion = await this.#link?.request("complete", { sessionId: this.#id(), text, cursor });
    } finally {
      this.#options.dispatch({ type: "completion", token, completion });
    }
  }

  async #page(before: number): Promise<void> {
    const sessionId = this.#id();
    const page = await this.#link?.request("page", { sessionId, before });
    if (page !== undefined) this.#options.dispatch({ type: "page", sessionId, page });
  }

  async #invoke(operation: string, input: string): Promise<void> {
    const invocation = await this.#link?.request("invoke", {
      sessionId: this.#id(),
      operation,
      arguments: { input },
    });
    if (invocation !== undefined) this.#options.dispatch({ type: "invoked", invocation });
  }

  async #set(name: string, value: boolean | string): Promise<void> {
    const answer = await this.#link?.request("set-setting", { sessionId: this.#id(), name, value });
    const { dispatch, now } = this.#options;
    if (answer === undefined) return;
    const text = `${answer.setting.name} = ${String(answer.setting.value)}`;
    // What is shown from now on goes by the new value.
    await this.#fetches.now("settings");
    dispatch({ type: "flash", level: "info", text, at: now() });
    // The page returns to its list after every change, until it is closed.
    await this.#pick({ kind: "setting" }, true);
  }

  async #pick(purpose: PickerPurpose, isRefresh = false): Promise<void> {
    const { dispatch, now } = this.#options;
    dispatch(
      await pickerAction(this.#required(), purpose, { sessionId: this.#sessionId, now: now(), isRefresh }),
    );
  }

  #required(): HostLink {
    if (this.#link === undefined)
      throw new OpeningError("disconnected", "There is no connection to the host.");
    return this.#link;
  }

  #id(): ConversationId {
    if (this.#sessionId === undefined) throw new OpeningError("disconnected", "No conversation is open yet.");
    return idOf(this.#sessionId);
  }
}

function draftOf({ draft }: ValueOf<"composer">): ValueOf<"composer">["draft"] {
  return draft;
}

function textsOf({ inputs }: ValueOf<"inputs">): readonly string[] {
  return inputs.map(({ text }) => text);
}

function noDraft(): null {
  return null;
}

/** An id that came from the host, or that the host will refuse. */
function idOf(sessionId: string): ConversationId {
  return sessionId as ConversationId;
}
