/** A real session host in this process, with a scripted model: for scenarios through the service. */
import { composeSessions } from "../../../cli/compose-session.ts";
import type {
  Attachment,
  PromptOutcome,
  Session,
  SessionEvent,
  SessionService,
} from "../../../orchestrator/contract/session.ts";
import type { SessionHostOptions } from "../../../cli/compose-session.ts";
import { type Sandpit, makeSandpit } from "../cli/launch.ts";
import type { Script } from "../model-server/script.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";

export type SessionScene = {
  readonly pit: Sandpit;
  readonly server: ModelServer;
  readonly service: SessionService;
  readonly diagnostics: readonly string[];
  /** Closes the host and opens another one over the same files. */
  reopen(): Promise<SessionService>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type SceneOptions = Partial<Omit<SessionHostOptions, "environment" | "diagnostics">> & {
  readonly environment?: Readonly<Record<string, string>>;
  /** Files of an earlier host; the caller disposes of them. */
  readonly pit?: Sandpit;
};

/** Composes it. `script` answers the model's requests. */
export async function openScene(script: Script, options: SceneOptions = {}): Promise<SessionScene> {
  const { pit: given, ...composition } = options;
  const pit = given ?? makeSandpit();
  const server = await startModelServer(script);
  const diagnostics: string[] = [];
  const open = (): ReturnType<typeof composeSessions> =>
    composeSessions({
      permissions: "full",
      model: undefined,
      provider: undefined,
      siteConfigRoot: undefined,
      ...composition,
      environment: { ...pit.environment, AUTOLITH_OPENAI_BASE_URL: server.baseUrl, ...options.environment },
      diagnostics: (line) => diagnostics.push(line),
    });
  let composed = await open();
  return {
    pit,
    server,
    get service() {
      return composed.service;
    },
    diagnostics,
    reopen: async () => {
      await composed.close();
      composed = await open();
      return composed.service;
    },
    [Symbol.asyncDispose]: async () => {
      await composed.close();
      await server.close();
      if (given === undefined) pit[Symbol.dispose]();
    },
  };
}

/** Text as a prompt. */
export function text(content: string): { parts: [{ type: "text"; text: string }] } {
  return { parts: [{ type: "text", text: content }] };
}

/** Prompts and waits for the end of the turn. */
export async function say(session: Session, content: string): Promise<PromptOutcome> {
  const submission = await session.prompt(text(content));
  if (submission.kind !== "turn") throw new Error(`a turn was expected, not ${JSON.stringify(submission)}`);
  return submission.finished;
}

/** Attaches a client that answers permission requests. */
export function watch(session: Session): Promise<Attachment> {
  return session.attach({ name: "test", answersPermissions: true, tail: 0 });
}

/** The types of the updates among events. */
export function updateTypes(events: readonly SessionEvent[]): readonly string[] {
  return events.flatMap((event) => (event.kind === "update" ? [event.update.type] : []));
}
