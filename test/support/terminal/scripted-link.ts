/** A {@link HostLink} over a {@link ScriptedService} in the same process: the terminal without host and sockets. */
import type { ClientEvent } from "../../../orchestrator/contract/acp/events.ts";
import type { ExtensionMethod, ParamsOf, ValueOf } from "../../../orchestrator/contract/acp/method-table.ts";
import { type ConversationId, conversationIdSchema } from "../../../orchestrator/contract/identifiers.ts";
import { AutolithError } from "../../../orchestrator/contract/failure.ts";
import type { Attachment } from "../../../orchestrator/contract/session.ts";
import type { HostLink } from "../../../cli/terminal/link/host-link.ts";
import type { ScriptedService } from "../sessions/scripted-service.ts";
import type { ScriptedSession } from "../sessions/scripted-session.ts";

type Handlers = {
  readonly [Method in ExtensionMethod]?: (params: ParamsOf<Method>) => Promise<ValueOf<Method>>;
};

export type ScriptedLink = HostLink & {
  /** Ends the connection as a host that died. */
  lose(reason: string): void;
  /** Requests that were made, in order. */
  readonly requests: readonly ExtensionMethod[];
};

/** Connects to the service. */
export function scriptedLink(service: ScriptedService): ScriptedLink {
  const closed = Promise.withResolvers<string>();
  const requests: ExtensionMethod[] = [];
  let listener: ((sessionId: string, event: ClientEvent) => void) | undefined;
  let attachment: Attachment | undefined;
  const lose = (reason: string): void => {
    attachment?.detach();
    closed.resolve(reason);
  };
  const deliver = async (sessionId: string, view: Attachment): Promise<void> => {
    for (;;) {
      const { events, ended } = await view.read();
      if (view !== attachment) return;
      for (const event of events) listener?.(sessionId, event);
      if (ended) return;
    }
  };
  const handlers = handlersOf(service, async (session, options) => {
    attachment?.detach();
    const view = await session.attach(options);
    attachment = view;
    setImmediate(() => void deliver(session.id, view));
    return view;
  });
  return {
    requests,
    closed: closed.promise,
    close: () => lose("closed"),
    lose,
    onEvent: (heard) => {
      listener = heard;
    },
    request: (method, params) => {
      requests.push(method);
      const handler = handlers[method];
      return handler === undefined
        ? Promise.reject(new AutolithError("unsupported", `The scripted host has no ${method}.`))
        : Promise.resolve().then(() => handler(params));
    },
  };
}

function idOf(id: string): ConversationId {
  return conversationIdSchema.parse(id);
}

type Attach = (
  session: ScriptedSession,
  options: Parameters<ScriptedSession["attach"]>[0],
) => Promise<Attachment>;

function handlersOf(service: ScriptedService, attach: Attach): Handlers {
  const found = (id: string): ScriptedSession => {
    const session = service.sessions().find((each) => each.id === id);
    if (session === undefined) throw new AutolithError("unknown-session", `There is no session ${id}.`);
    return session;
  };
  return {
    open: async (params) => {
      const session =
        params.how === "new"
          ? await service.create({ workingDirectory: params.cwd, ...(params.mode && { mode: params.mode }) })
          : params.how === "load"
            ? await service.load(
                idOf(params.sessionId),
                params.mode === undefined ? {} : { mode: params.mode },
              )
            : await service.fork(idOf(params.source));
      return { sessionId: session.id, state: session.state() };
    },
    attach: async (params) => {
      const view = await attach(found(params.sessionId), {
        name: "terminal",
        tail: params.tail ?? 200,
        answersPermissions: params.answersPermissions ?? true,
        readOnly: params.readOnly ?? false,
      });
      return { state: view.state, history: view.history, live: [...view.live], clients: [] };
    },
    detach: () => Promise.resolve({ detached: 1 }),
    composer: () => Promise.resolve({ draft: null }),
    submit: async ({ sessionId, input, as }) => {
      const session = found(sessionId);
      if (as !== "prompt") {
        const { inputId, delivery } = await (as === "steer" ? session.steer(input) : session.queue(input));
        return { kind: "admitted", inputId, delivery };
      }
      const submission = await session.prompt(input);
      if (submission.kind === "form") return { kind: "form", formId: submission.formId };
      return submission.kind === "command"
        ? submission
        : { kind: "turn", inputId: submission.inputId, epoch: submission.epoch };
    },
    cancel: async ({ sessionId }) => ({ stopped: await found(sessionId).cancel() }),
    answer: ({ sessionId, requestId, answer }) =>
      Promise.resolve({ answered: found(sessionId).answerPermission(requestId, answer) }),
    complete: ({ sessionId, text, cursor }) => found(sessionId).complete(text, cursor),
    invoke: ({ sessionId, operation, arguments: args }) => found(sessionId).invoke(operation, args ?? null),
    state: ({ sessionId }) => Promise.resolve(found(sessionId).state()),
    jobs: ({ sessionId }) => {
      const jobs = [...found(sessionId).jobs()];
      return Promise.resolve({ jobs, nextCursor: null, total: jobs.length });
    },
    settings: ({ sessionId }) => Promise.resolve({ settings: [...found(sessionId).settings()] }),
    models: ({ sessionId }) => Promise.resolve({ models: [...found(sessionId).models()] }),
    conversations: (params) => service.conversations({ limit: params.limit ?? 50 }),
    "set-setting": async ({ sessionId, name, value }) => ({
      setting: await found(sessionId).setSetting(name, value),
    }),
  };
}
