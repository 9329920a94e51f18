/** The methods of the manual's table about one session, and about what there is. */
import { envelopeByteLimit, extensionSchemaVersion } from "../../../orchestrator/contract/acp/envelope.ts";
import { eventMethod } from "../../../orchestrator/contract/acp/events.ts";
import { extensionMethodNames, wireMethod } from "../../../orchestrator/contract/acp/method-table.ts";
import {
  type sessionMethods,
  pageDefault,
  pageLimit,
} from "../../../orchestrator/contract/acp/session-methods.ts";
import { jsonDepthLimit } from "../../../orchestrator/contract/json-nesting.ts";
import {
  type PromptInput,
  type Session,
  inputCharacterLimit,
} from "../../../orchestrator/contract/session.ts";
import {
  operationsFor,
  refuseTerminalOperation,
  requireArgument,
  requireNoTerminal,
} from "../translation/commands.ts";
import { messageCharacterLimit, outstandingRequestLimit } from "../wire/message-limits.ts";
import type { Handlers } from "./handlers.ts";
import { presentable } from "./response-bounds.ts";

type JobMethod = "jobs" | "job" | "job-transcript" | "job-send" | "job-cancel";

export const sessionHandlers: Handlers<Exclude<keyof typeof sessionMethods, JobMethod>> = {
  capabilities: (_params, { host: { info } }) =>
    Promise.resolve({
      schemaVersion: extensionSchemaVersion,
      // A client that asks this has authenticated where that is needed.
      methods: extensionMethodNames
        .filter((method) => method !== "authenticate")
        .map(wireMethod)
        .toSorted(),
      notifications: [eventMethod],
      limits: {
        messageCharacters: messageCharacterLimit,
        messageDepth: jsonDepthLimit,
        outstandingRequests: outstandingRequestLimit,
        inputCharacters: inputCharacterLimit,
        envelopeBytes: envelopeByteLimit,
        pageRows: pageLimit,
      },
      host: { version: info.version, processId: info.processId, startedAt: info.startedAt },
    }),
  state: async ({ sessionId }, { sessions }) => Promise.resolve(sessions.find(sessionId).state()),
  settings: async ({ sessionId }, { sessions }) =>
    Promise.resolve({ settings: [...sessions.find(sessionId).settings()] }),
  models: async ({ sessionId }, { sessions }) =>
    Promise.resolve({ models: [...sessions.find(sessionId).models()] }),
  operations: async ({ sessionId }, { sessions, reach }) =>
    Promise.resolve({ operations: [...operationsFor(sessions.find(sessionId).operations(), reach)] }),
  "set-setting": async ({ sessionId, name, value }, { sessions }) => ({
    setting: await sessions.writable(sessionId).setSetting(name, value),
  }),
  invoke: async ({ sessionId, operation, arguments: given }, { sessions, reach }) => {
    requireNoTerminal(operation, reach);
    const session = sessions.writable(sessionId);
    const { input, text } = (given ?? {}) as { input?: unknown; text?: unknown };
    const argument = input ?? text ?? "";
    if (typeof argument === "string") requireArgument(operation, argument, reach, () => session.operations());
    return presentable(await session.invoke(operation, given));
  },
  steer: async ({ sessionId, text }, { sessions, reach }) => {
    const session = sessions.writable(sessionId);
    return session.steer(admissible(text, reach, session));
  },
  queue: async ({ sessionId, text }, { sessions, reach }) => {
    const session = sessions.writable(sessionId);
    return session.queue(admissible(text, reach, session));
  },
  conversations: ({ limit, cursor, cwd }, { host }) =>
    host.service.conversations({
      limit: limit ?? pageDefault,
      ...(cursor === undefined ? {} : { cursor }),
      ...(cwd === undefined ? {} : { workingDirectory: cwd }),
    }),
  resource: async ({ sessionId, ...window }, { sessions }) => {
    const { startLine, lineCount, byteOffset, byteCount, uri } = window;
    const reading = await sessions.find(sessionId).resource({
      uri,
      ...(startLine === undefined ? {} : { startLine }),
      ...(lineCount === undefined ? {} : { lineCount }),
      ...(byteOffset === undefined ? {} : { byteOffset }),
      ...(byteCount === undefined ? {} : { byteCount }),
    });
    return { ...reading, details: { ...reading.details } };
  },
};

/** The text as input. Throws for slash text that only a terminal can carry out. */
function admissible(text: string, reach: "own" | "host", session: Pick<Session, "operations">): PromptInput {
  const input: PromptInput = { parts: [{ type: "text", text }] };
  refuseTerminalOperation(input, reach, () => session.operations());
  return input;
}
