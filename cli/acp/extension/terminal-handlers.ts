/** The methods that a terminal and `autolith lg` need beyond the manual's table. */
import type { terminalMethods } from "../../../orchestrator/contract/acp/terminal-methods.ts";
import type { ParsedParamsOf, ValueOf } from "../../../orchestrator/contract/acp/method-table.ts";
import type { ConversationId } from "../../../orchestrator/contract/identifiers.ts";
import type { PromptInput, Session, SessionState } from "../../../orchestrator/contract/session.ts";
import type { ClientContext } from "../client-context.ts";
import type { SessionView } from "../session/session-view.ts";
import { refuseTerminalOperation } from "../translation/commands.ts";
import type { Handlers } from "./handlers.ts";
import { pageWithin, presentable } from "./response-bounds.ts";

type SessionRow = ValueOf<"sessions">["sessions"][number];
type ClientRow = SessionRow["clients"][number];

/** Updates of history that an attaching client gets when it names no number. */
const tailDefault = 200;

export const terminalHandlers: Handlers<Exclude<keyof typeof terminalMethods, "authenticate">> = {
  sessions: async (_params, { host, sessions }) => {
    const { hostId, processId, startedAt } = host.info;
    const rows = sessions
      .reachable()
      .map((session) => sessionRow(session, host.viewsOf(session.id), sessions));
    return Promise.resolve({
      hostId,
      processId,
      startedAt,
      sessions: rows,
      loading: [...host.service.loadingFiles()],
    });
  },
  open: async (params, context) => {
    const session = await openedSession(params, context);
    context.sessions.opened(session);
    return { sessionId: session.id, state: session.state() };
  },
  attach: async (params, { sessions, host }) => {
    const session = sessions.find(params.sessionId);
    const { attachment, start } = await sessions.attach(session, {
      tail: params.tail ?? tailDefault,
      readOnly: params.readOnly ?? false,
      takeOver: params.takeOver ?? false,
      answersPermissions: params.answersPermissions ?? params.readOnly !== true,
      answersRestarts: params.answersRestarts ?? false,
      reviewsCorrections: params.reviewsCorrections ?? false,
    });
    setImmediate(start);
    const clients = clientRows(host.viewsOf(session.id), sessions);
    const { state, history, live } = attachment;
    return { state, history: pageWithin(history, true), live: [...live], clients };
  },
  detach: async ({ sessionId, clients }, { sessions, host }) => {
    const session = sessions.find(sessionId);
    if (clients !== "all") return Promise.resolve({ detached: sessions.detach(session.id) ? 1 : 0 });
    const views = host.viewsOf(session.id);
    for (const view of views) view.end("asked");
    return Promise.resolve({ detached: views.length });
  },
  page: async ({ sessionId, limit, before, after }, { sessions }) => {
    const page = await sessions.find(sessionId).history({
      ...(limit === undefined ? {} : { limit }),
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    });
    return pageWithin(page, after === undefined);
  },
  submit: (params, context) => submit(params, context),
  cancel: async ({ sessionId, jobs, continueSteering }, { sessions }) => {
    const session = sessions.writable(sessionId);
    await sessions.started(session.id);
    const stopped = await session.cancel({
      ...(jobs === undefined ? {} : { jobs }),
      ...(continueSteering === undefined ? {} : { continueSteering }),
    });
    return { stopped };
  },
  pause: async ({ sessionId }, { sessions }) => {
    const session = sessions.writable(sessionId);
    await sessions.started(session.id);
    const stopped = await session.pause();
    const { jobs, runningForms } = session.state();
    return { stopped, liveJobs: jobs.live, runningForms };
  },
  answer: async ({ sessionId, requestId, answer }, { sessions }) =>
    Promise.resolve({ answered: sessions.writable(sessionId).answerPermission(requestId, answer) }),
  restarts: ({ sessionId }, { sessions }) =>
    Promise.resolve({ requests: [...sessions.find(sessionId).restarts()] }),
  restart: async ({ sessionId, requestId, choice }, { sessions }) => {
    const session = sessions.writable(sessionId);
    if (choice.kind === "diagnose")
      return { settled: false, diagnosis: await session.diagnoseRestart(requestId) };
    if (choice.kind === "cancel-diagnosis") return { settled: session.cancelDiagnosis(requestId) };
    return { settled: await session.chooseRestart(requestId, choice) };
  },
  correction: async ({ sessionId, action }, { sessions }) => {
    const { corrections } = sessions.writable(sessionId);
    if (action.kind === "cancel") return { cancelled: corrections.cancel() };
    if (action.kind === "propose") return { proposal: await corrections.propose(action.complaint) };
    const { kind: _, ...request } = action;
    return { saved: await corrections.save(request) };
  },
  "set-mode": async ({ sessionId, mode }, { sessions }) => {
    await sessions.writable(sessionId).setMode(mode);
    return { mode };
  },
  kill: async ({ sessionId }, { sessions, host }) => {
    const { id } = sessions.writable(sessionId);
    await host.close(id);
    return { closed: true };
  },
  complete: ({ sessionId, text, cursor }, { sessions }) => sessions.find(sessionId).complete(text, cursor),
  highlight: ({ sessionId, text }, { sessions }) => sessions.find(sessionId).highlight(text),
  inputs: ({ sessionId, limit, before }, { sessions }) =>
    sessions.find(sessionId).inputHistory({
      ...(limit === undefined ? {} : { limit }),
      ...(before === undefined ? {} : { before }),
    }),
  pending: async ({ sessionId }, { sessions }) => {
    const session = sessions.find(sessionId);
    const { pendingInputs, paused } = session.state();
    return Promise.resolve({ inputs: pendingInputs, paused, vault: [...session.vaultContents()] });
  },
  vault: async ({ sessionId, action }, { sessions }) => {
    const session = sessions.writable(sessionId);
    if (action.kind === "store") return { entries: await session.vaultStore() };
    if (action.kind === "restore") return { entries: await session.vaultRestore() };
    await session.setVaultContents(action.entries);
    return { entries: action.entries.length };
  },
  composer: async ({ sessionId, draft }, { sessions }) => {
    const session = draft === undefined ? sessions.find(sessionId) : sessions.writable(sessionId);
    if (draft !== undefined) session.leaveDraft(draft);
    return Promise.resolve({ draft: session.draft() });
  },
};

function openedSession(
  params: ParsedParamsOf<"open">,
  { host: { service } }: ClientContext,
): Promise<Session> {
  if (params.how === "new")
    return service.create({
      workingDirectory: params.cwd,
      ...(params.mode === undefined ? {} : { mode: params.mode }),
      ...(params.model === undefined ? {} : { model: params.model }),
    });
  const options = {
    ...(params.cwd === undefined ? {} : { workingDirectory: params.cwd }),
    ...(params.mode === undefined ? {} : { mode: params.mode }),
  };
  if (params.how === "load") return service.load(params.sessionId, options);
  const { throughSeq } = params;
  return service.fork(params.source, { ...options, ...(throughSeq === undefined ? {} : { throughSeq }) });
}

async function submit(
  { sessionId, input: given, as }: ParsedParamsOf<"submit">,
  { sessions, reach }: ClientContext,
): Promise<ValueOf<"submit">> {
  const session = sessions.writable(sessionId);
  const input: PromptInput = given;
  refuseTerminalOperation(input, reach, () => session.operations());
  withdrawDraft(session, input);
  if (as !== "prompt") {
    const { inputId, delivery } = await (as === "steer" ? session.steer(input) : session.queue(input));
    return { kind: "admitted", inputId, delivery };
  }
  const submission = await sessions.starting(session.id, () => session.prompt(input));
  if (submission.kind === "form") return { kind: "form", formId: submission.formId };
  return submission.kind === "command"
    ? { kind: "command", invocation: presentable(submission.invocation) }
    : { kind: "turn", inputId: submission.inputId, epoch: submission.epoch };
}

/** What is sent is a draft no more: a terminal that is killed now must not leave it for the next one. */
function withdrawDraft(session: Session, { parts }: PromptInput): void {
  const [first] = parts;
  if (first?.type === "text" && session.draft()?.text === first.text) session.leaveDraft(null);
}

function sessionRow(
  session: Session,
  views: readonly SessionView[],
  own: { view(id: ConversationId): SessionView | undefined },
): SessionRow {
  const state = session.state();
  return {
    sessionId: state.sessionId,
    title: state.title,
    cwd: state.workingDirectory,
    model: state.model,
    mode: state.mode,
    status: statusOf(state),
    liveJobs: state.jobs.live,
    runningForms: state.runningForms,
    waitingInputs: state.pendingInputs.length,
    createdAt: state.createdAt,
    lastActivityAt: state.lastActivityAt,
    clients: clientRows(views, own),
  };
}

/** `idle` means that there is no active work of any kind. */
function statusOf({
  turn,
  paused,
  held,
  pendingInputs,
  jobs,
  runningForms,
}: SessionState): SessionRow["status"] {
  if (turn.state === "running") return "running";
  if (held) return "paused";
  if (jobs.live > 0 || runningForms > 0) return "working";
  return paused && pendingInputs.length > 0 ? "paused" : "idle";
}

function clientRows(
  views: readonly SessionView[],
  own: { view(id: ConversationId): SessionView | undefined },
): ClientRow[] {
  return views.map((view) => ({
    name: view.parts.name,
    readOnly: view.parts.readOnly,
    answersPermissions: view.parts.answersPermissions,
    attachedAt: view.parts.attachedAt,
    self: own.view(view.session.id) === view,
  }));
}
