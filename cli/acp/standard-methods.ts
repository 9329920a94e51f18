/** The standard methods of ACP v1 over the session service. */
import {
  type AgentApp,
  type InitializeResponse,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
  type SessionInfo,
} from "@agentclientprotocol/sdk";
import { AutolithError } from "../../orchestrator/contract/failure.ts";
import { type ConversationId, conversationIdSchema } from "../../orchestrator/contract/identifiers.ts";
import type { PromptOutcome, Session } from "../../orchestrator/contract/session.ts";
import type { ClientContext } from "./client-context.ts";
import { availableCommands, refuseTerminalOperation } from "./translation/commands.ts";
import { modeOfId, modeState } from "./translation/modes.ts";
import { promptInputOf } from "./translation/prompt-input.ts";
import { failureError, requestErrorOf } from "./translation/refusals.ts";

type PromptRequest = import("@agentclientprotocol/sdk").PromptRequest;
type OpenRequest = Omit<import("@agentclientprotocol/sdk").ResumeSessionRequest, "sessionId">;

/** Sessions of one page of `session/list`. */
const listPage = 50;

/** Registers them, those that begin something before those that stop it: messages that come together are begun in this order. */
export function addStandardMethods(app: AgentApp, context: ClientContext): void {
  app
    .onRequest("initialize", ({ params }) => {
      context.introduce(params);
      return initialization(context);
    })
    .onRequest("session/new", ({ params }) => translated(() => newSession(params, context)))
    .onRequest("session/load", ({ params }) =>
      translated(() => openStored(params.sessionId, params, context, true)),
    )
    .onRequest("session/resume", ({ params }) =>
      translated(() => openStored(params.sessionId, params, context, false)),
    )
    .onRequest("session/list", ({ params }) => translated(() => listSessions(params, context)))
    .onRequest("session/set_mode", ({ params }) =>
      translated(async () => {
        const mode = modeOfId(params.modeId);
        await context.sessions.writable(sessionId(params.sessionId)).setMode(mode);
        return {};
      }),
    )
    .onRequest("session/prompt", ({ params, signal }) => {
      // The client may also cancel the request itself.
      signal.addEventListener("abort", () => void cancel(params.sessionId, context), { once: true });
      return translated(() => prompt(params, context));
    })
    .onRequest("session/close", ({ params }) =>
      translated(async () => {
        const id = context.sessions.find(sessionId(params.sessionId)).id;
        await context.sessions.close(id);
        return {};
      }),
    )
    .onNotification("session/cancel", ({ params }) => cancel(params.sessionId, context));
}

/** Errors of ours as JSON-RPC errors. */
async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw requestErrorOf(error);
  }
}

/** The id. Throws session-not-found for text that cannot be one. */
function sessionId(text: string): ConversationId {
  const parsed = conversationIdSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw RequestError.sessionNotFound(text.slice(0, 128));
}

function initialization({ host }: ClientContext): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "autolith", title: "Autolith", version: host.info.version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      sessionCapabilities: { list: {}, close: {}, resume: {} },
      _meta: { autolith: { capabilities: "_autolith/capabilities" } },
    },
    authMethods: [],
  };
}

/** What was not advertised is not passed over in silence. Throws invalid params. */
function refuseDirectories({ additionalDirectories = [] }: OpenRequest): void {
  if (additionalDirectories.length > 0)
    throw RequestError.invalidParams(
      undefined,
      "additionalDirectories are not taken, as the session capabilities say; open one session for each directory",
    );
}

async function newSession(
  params: OpenRequest,
  context: ClientContext,
): Promise<import("@agentclientprotocol/sdk").NewSessionResponse> {
  refuseDirectories(params);
  const session = await context.host.service.create({ workingDirectory: params.cwd });
  return { sessionId: session.id, ...(await opened(session, params, context, false)) };
}

async function openStored(
  id: string,
  params: OpenRequest,
  context: ClientContext,
  replay: boolean,
): Promise<import("@agentclientprotocol/sdk").LoadSessionResponse> {
  refuseDirectories(params);
  const session = await context.host.service.load(sessionId(id), { workingDirectory: params.cwd });
  return opened(session, params, context, replay);
}

/** Shows a session that was opened, its history before the answer, what comes from now on behind it. */
async function opened(
  session: Session,
  { mcpServers }: OpenRequest,
  { sessions, host }: ClientContext,
  replay: boolean,
): Promise<import("@agentclientprotocol/sdk").LoadSessionResponse> {
  sessions.opened(session, mcpServers ?? []);
  if ((mcpServers ?? []).length > 0)
    host.report(
      `acp: ${session.id}: ${(mcpServers ?? []).length} MCP server(s) of the client are kept for the session and not started: this version starts none`,
    );
  const { start } = await sessions.show(session, replay);
  setImmediate(() => {
    start();
    // A rejection is the end of the connection, which tells itself.
    sessions
      .view(session.id)
      ?.announceCommands(availableCommands(session.operations()))
      .catch(() => undefined);
  });
  const kept = host.mcpServers(session.id).map(({ name }) => name);
  return {
    modes: modeState(session.state().mode),
    ...(kept.length === 0 ? {} : { _meta: { autolith: { mcpServers: { kept, started: [] } } } }),
  };
}

async function listSessions(
  { cwd, cursor }: import("@agentclientprotocol/sdk").ListSessionsRequest,
  { host }: ClientContext,
): Promise<import("@agentclientprotocol/sdk").ListSessionsResponse> {
  const page = await host.service.conversations({
    limit: listPage,
    ...(typeof cursor === "string" ? { cursor } : {}),
    ...(typeof cwd === "string" ? { workingDirectory: cwd } : {}),
  });
  const sessions = page.conversations.map((row): SessionInfo => ({
    sessionId: row.sessionId,
    cwd: row.workingDirectory,
    title: row.title === "" ? row.preview : row.title,
    updatedAt: new Date(row.lastActivityAt).toISOString(),
  }));
  return { sessions, nextCursor: page.nextCursor };
}

async function prompt(request: PromptRequest, context: ClientContext): Promise<PromptResponse> {
  const { sessions } = context;
  const session = sessions.writable(sessionId(request.sessionId));
  const input = promptInputOf(request.prompt);
  refuseTerminalOperation(input, context.reach, () => session.operations());
  const submission = await sessions.starting(session.id, () => session.prompt(input));
  const view = sessions.view(session.id);
  if (submission.kind === "turn") {
    const outcome = await submission.finished;
    // What the turn showed goes before its end.
    await view?.delivered(session.state().eventSeq);
    return promptResponse(outcome);
  }
  if (submission.kind === "form") {
    const { status } = await submission.finished;
    await view?.delivered(session.state().eventSeq);
    return {
      stopReason: status === "cancelled" ? "cancelled" : "end_turn",
      _meta: { autolith: { form: { formId: submission.formId, status } } },
    };
  }
  const { text, ...rest } = submission.invocation;
  await view?.show([{ type: "notice", level: "info", code: "command", text, at: Date.now() }]);
  return { stopReason: "end_turn", _meta: { autolith: { invocation: rest } } };
}

function promptResponse({ outcome, epoch, failure, usage }: PromptOutcome): PromptResponse {
  if (outcome === "condition")
    throw failureError(failure ?? { code: "turn-failed", message: "The turn failed.", retry: "terminal" });
  return {
    stopReason: outcome === "cancelled" ? "cancelled" : "end_turn",
    _meta: { autolith: { epoch, usage } },
  };
}

/** Stops the turn, its permission requests and every job of the session. A notification has no answer: what goes wrong is reported. */
async function cancel(id: string, { sessions, host }: ClientContext): Promise<void> {
  try {
    const session = sessions.writable(sessionId(id));
    await sessions.started(session.id);
    await session.cancel({ jobs: true });
  } catch (error) {
    if (error instanceof AutolithError || error instanceof RequestError) return;
    host.report(`acp: cancel: ${String(error)}`);
  }
}
