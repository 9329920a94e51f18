/** `peer.*`: mail between the agents of a session, and between sessions, along grants that the primaries make (facts C.11). */
import { z } from "zod";
import { type DataForm, type DataList, printDataForm } from "../../lisp/data-forms/index.ts";
import { type ToolContext, type ToolDeclaration, type ToolOutcome, declareTool } from "../contract/tool.ts";
import { executionIdSchema } from "../contract/identifiers.ts";
import type { Supervisor } from "../jobs/supervisor.ts";
import { parseConversationId } from "../record/conversation-id.ts";
import { universalTime } from "../record/conversation-record.ts";
import { resolveJob } from "../tasks/job-tools.ts";
import { fitReport, preview, properties, reportLimit, word } from "../tasks/report-form.ts";
import { type Endpoint, callerEndpoint, endpointId, parseEndpointId, peerIdLimit } from "./endpoint.ts";
import type { GrantRequest } from "./peer-decisions.ts";
import { PeerMessageError } from "./peer-error.ts";
import type { PeerService } from "./peer-service.ts";
import type { Grant, Message } from "./peer-state.ts";

/** Longest wait of `peer.wait`, in seconds. */
export const peerWaitLimitSeconds = 5;
/** Greatest offset of `peer.inspect`. */
export const peerOffsetLimit = 1_024;
/** Messages of one page of `peer.inspect`. */
export const peerPageLimit = 32;

export type PeerToolParts = {
  readonly supervisor: Pick<Supervisor, "jobs">;
  readonly peers: () => PeerService;
};

const id = z.string().min(1).max(peerIdLimit);
const token = z.number().int().positive();

/** The nine tools. Grants, revocations and resolutions are the primary's; the others need a child's role to grant them. */
export function peerTools(parts: PeerToolParts): readonly ToolDeclaration[] {
  return [
    grantTool(parts),
    revokeTool(parts),
    discoverTool(parts),
    sendTool(parts),
    receiveTool(parts),
    acknowledgeTool(parts),
    waitTool(parts),
    inspectTool(parts),
    resolveTool(parts),
  ];
}

function ok(form: DataForm): ToolOutcome {
  return { status: "ok", content: printDataForm(form) };
}

const common = { effects: "local", concurrency: () => "peer", resultLimit: reportLimit } as const;

function grantTool({ supervisor, peers }: PeerToolParts): ToolDeclaration {
  return declareTool({
    ...common,
    name: "peer.grant",
    description:
      "Lets one agent write to another: sender and receiver are job ids of children, or primary. With context the receiver gets the messages at its next safe boundary by itself. For another session give remote-session and direction instead of that side (outgoing: sender here; incoming: receiver here), with remote-job and remote-execution for a child there; the other session must make the matching grant. A grant never changes; revoke it and make another.",
    arguments: z.strictObject({
      id,
      sender: z.string().min(1).max(64).optional(),
      receiver: z.string().min(1).max(64).optional(),
      context: z.boolean().default(false),
      "remote-session": z.string().min(1).max(128).optional(),
      "remote-job": z.string().min(1).max(80).optional(),
      "remote-execution": z.string().min(1).max(64).optional(),
      direction: z.enum(["incoming", "outgoing"]).optional(),
    }),
    audience: "primary",
    execute: async (args, context) => {
      const local = (name: string | undefined, side: string): Endpoint =>
        localEndpoint(name, side, context, supervisor);
      const request = grantRequest(args, context.caller.rootConversationId, local);
      return ok(grantForm(await peers().grant(request)));
    },
  });
}

type GrantArguments = {
  readonly id: string;
  readonly sender?: string | undefined;
  readonly receiver?: string | undefined;
  readonly context: boolean;
  readonly "remote-session"?: string | undefined;
  readonly "remote-job"?: string | undefined;
  readonly "remote-execution"?: string | undefined;
  readonly direction?: "incoming" | "outgoing" | undefined;
};

/** The grant that arguments ask for; `local` names an endpoint of this session. Throws `session`, `direction`, `identity`. */
export function grantRequest(
  args: GrantArguments,
  session: string,
  local: (name: string | undefined, side: string) => Endpoint,
): GrantRequest {
  const { context, direction } = args;
  const remote = remoteEndpoint(args, session);
  if (remote === undefined) {
    if (direction !== undefined)
      throw new PeerMessageError("session", "`direction` goes with `remote-session` only.");
    return {
      id: args.id,
      sender: local(args.sender, "sender"),
      receiver: local(args.receiver, "receiver"),
      context,
      scope: "local",
    };
  }
  if (direction === undefined)
    throw new PeerMessageError("direction", "`remote-session` needs `direction`: outgoing or incoming.");
  const other = direction === "outgoing" ? "receiver" : "sender";
  if (args[other] !== undefined)
    throw new PeerMessageError(
      "direction",
      `With direction ${direction} the ${other} is the remote side; leave \`${other}\` out.`,
    );
  return direction === "outgoing"
    ? { id: args.id, sender: local(args.sender, "sender"), receiver: remote, context, scope: "outgoing" }
    : { id: args.id, sender: remote, receiver: local(args.receiver, "receiver"), context, scope: "incoming" };
}

function remoteEndpoint(args: GrantArguments, session: string): Endpoint | undefined {
  const named = args["remote-session"];
  const [job, execution] = [args["remote-job"], args["remote-execution"]];
  if (named === undefined) {
    if (job !== undefined || execution !== undefined)
      throw new PeerMessageError(
        "session",
        "`remote-job` and `remote-execution` go with `remote-session` only.",
      );
    return undefined;
  }
  // People copy ids as they are shown, with a hyphen after the first character.
  const remote = parseConversationId(named);
  if (remote === undefined)
    throw new PeerMessageError(
      "session",
      `\`remote-session\` is to be the id of a conversation, such as b-6uouHJ, not ${JSON.stringify(named.slice(0, 80))}. The other session shows its own.`,
    );
  if (remote === session)
    throw new PeerMessageError(
      "session",
      "`remote-session` is this session; name its agents by their job ids.",
    );
  if (job === undefined && execution === undefined) return { session: remote };
  const checked = executionIdSchema.safeParse(execution);
  if (job === undefined || !checked.success)
    throw new PeerMessageError(
      "identity",
      "A child of another session is named by both `remote-job` and `remote-execution` (its execution id).",
    );
  return { session: remote, child: { job, execution: checked.data } };
}

function localEndpoint(
  name: string | undefined,
  side: string,
  { caller }: ToolContext,
  supervisor: Pick<Supervisor, "jobs">,
): Endpoint {
  const session = caller.rootConversationId;
  if (name === undefined)
    throw new PeerMessageError("identity", `Give \`${side}\`: the job id of a child, or primary.`);
  if (name === "primary") return { session };
  const job = resolveJob(supervisor, caller, name);
  if (job.kind !== "agent")
    throw new PeerMessageError(
      "identity",
      `${job.name} is no child agent; only children and the primary have mail.`,
    );
  return { session, child: { job: job.name, execution: job.executionId } };
}

function revokeTool({ peers }: PeerToolParts): ToolDeclaration {
  return declareTool({
    ...common,
    name: "peer.revoke",
    description: "Ends a grant for good. Messages that were accepted under it stay.",
    arguments: z.strictObject({ id }),
    audience: "primary",
    execute: async (args) => ok(grantForm(await peers().revoke(args.id))),
  });
}

function discoverTool({ peers }: PeerToolParts): ToolDeclaration {
  return declareTool({
    ...common,
    name: "peer.discover",
    description: "Shows your current grants with the exact endpoint ids of both sides.",
    arguments: z.strictObject({}),
    effects: "none",
    audience: "all",
    execute: (_args, { caller }) =>
      Promise.resolve(ok(peers().discover(callerEndpoint(caller)).map(grantForm))),
  });
}

function sendTool({ peers }: PeerToolParts): ToolDeclaration {
  return declareTool({
    ...common,
    name: "peer.send",
    description:
      "Writes to an agent that you have a grant for. `receiver` is its endpoint id from peer.discover. The id is yours and stays with this text: repeating the same message changes nothing, so repeat it when you do not know whether it arrived.",
    arguments: z.strictObject({ id, receiver: z.string().min(1).max(peerIdLimit), text: z.string() }),
    audience: "all",
    execute: async ({ id: messageId, receiver, text }, { caller }) => {
      const message = await peers().send(callerEndpoint(caller), parseEndpointId(receiver), messageId, text);
      return messageAnswer(message);
    },
  });
}

function receiveTool({ peers }: PeerToolParts): ToolDeclaration {
  return declareTool({
    ...common,
    name: "peer.receive",
    description:
      "Takes the oldest message that waits for you, or the named one; NIL when none waits. Call peer.ack with its id and token when you have handled it.",
    arguments: z.strictObject({ id: id.optional() }),
    audience: "all",
    execute: async (args, { caller }) => {
      const message = await peers().receive(callerEndpoint(caller), args.id);
      return message === undefined ? ok(false) : messageAnswer(message);
    },
  });
}

function acknowledgeTool({ peers }: PeerToolParts): ToolDeclaration {
  return declareTool({
    ...common,
    name: "peer.ack",
    description: "Says that you have handled a message that peer.receive gave you under this token.",
    arguments: z.strictObject({ id, token }),
    audience: "all",
    execute: async (args, { caller }) =>
      messageAnswer(await peers().acknowledge(callerEndpoint(caller), args.id, args.token)),
  });
}

function waitTool({ peers }: PeerToolParts): ToolDeclaration {
  return declareTool({
    ...common,
    name: "peer.wait",
    description: `Waits at most \`timeout\` seconds (0 to ${peerWaitLimitSeconds}): with id until that message is acknowledged, without until a message waits for you.`,
    arguments: z.strictObject({
      id: id.optional(),
      timeout: z.number().min(0).max(peerWaitLimitSeconds).default(2),
    }),
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    execute: async (args, { caller, signal }) => {
      const end = await peers().wait(callerEndpoint(caller), args.id, args.timeout * 1_000, signal);
      return {
        status: "ok",
        content: fitReport((size) =>
          properties({
            state: word(end.state),
            message: end.message === undefined ? undefined : messageForm(end.message, size),
          }),
        ),
      };
    },
  });
}

function inspectTool({ peers }: PeerToolParts): ToolDeclaration {
  return declareTool({
    ...common,
    name: "peer.inspect",
    description:
      "Lists the messages you sent or were sent (the primary sees all), or shows one with its text and token by its id.",
    arguments: z.strictObject({
      id: id.optional(),
      offset: z.number().int().min(0).max(peerOffsetLimit).default(0),
      limit: z.number().int().min(1).max(peerPageLimit).default(16),
    }),
    effects: "none",
    audience: "all",
    execute: (args, { caller }) => {
      const viewer = caller.kind === "primary" ? undefined : callerEndpoint(caller);
      const { id: messageId } = args;
      if (messageId !== undefined) {
        const message = peers().inspect(viewer, messageId);
        return Promise.resolve({
          status: "ok",
          content: fitReport((size) => properties({ message: messageForm(message, size) })),
        });
      }
      return Promise.resolve(ok(fittingPage(peers().visible(viewer), args.offset, args.limit)));
    },
  });
}

function resolveTool({ peers }: PeerToolParts): ToolDeclaration {
  return declareTool({
    ...common,
    name: "peer.resolve",
    description:
      "Decides about a message whose delivery was interrupted (state unknown) or never acknowledged, under its current token from peer.inspect, or about one that nobody has claimed, without a token: acknowledge, retry (it waits again; needs a current grant) or cancel.",
    arguments: z.strictObject({
      id,
      token: token.optional(),
      action: z.enum(["acknowledge", "retry", "cancel"]),
    }),
    audience: "primary",
    execute: async (args) => messageAnswer(await peers().resolve(args.id, args.token, args.action)),
  });
}

function grantForm({ id: grantId, sender, receiver, context, active }: Grant): DataList {
  return properties({
    id: grantId,
    sender: endpointId(sender),
    receiver: endpointId(receiver),
    "context-p": context,
    active,
  });
}

function messageAnswer(message: Message): ToolOutcome {
  return { status: "ok", content: fitReport((size) => messageForm(message, size)) };
}

/** The message; its text is whole unless that is longer than the answer can be. */
function messageForm(message: Message, size: number): DataList {
  const { id: messageId, sender, receiver, payload, createdAt, state, result } = message;
  return properties({
    id: messageId,
    sender: endpointId(sender),
    receiver: endpointId(receiver),
    // Every text fits, but for one that consists of characters the printer must escape.
    payload: printDataForm(payload).length <= reportLimit - 2_000 ? payload : preview(payload, size),
    "created-at": universalTime(createdAt),
    state: word(state),
    token: message.token,
    result,
    cancelled: state === "cancelled",
  });
}

/** The page with as many whole entries as the answer has room for. */
function fittingPage(messages: readonly Message[], offset: number, limit: number): DataList {
  const page = pageForm(messages, offset, limit);
  return limit === 1 || printDataForm(page).length <= reportLimit
    ? page
    : fittingPage(messages, offset, Math.ceil(limit / 2));
}

function pageForm(messages: readonly Message[], offset: number, limit: number): DataList {
  const page = messages.slice(offset, offset + limit);
  const next = offset + page.length < messages.length ? offset + page.length : false;
  return properties({
    total: messages.length,
    offset,
    next,
    messages: page.map(({ id: messageId, sender, receiver, state, token: current }) =>
      properties({
        id: messageId,
        sender: endpointId(sender),
        receiver: endpointId(receiver),
        state: word(state),
        token: current,
      }),
    ),
  });
}
