/** Answers `_autolith/*` requests: finds the method, checks its parameters, wraps what it answers into the bounded envelope. */
import { RequestError } from "@agentclientprotocol/sdk";
import { z } from "zod";
import {
  type Envelope,
  envelopeByteLimit,
  extensionPrefix,
} from "../../../orchestrator/contract/acp/envelope.ts";
import { type ExtensionMethod, extensionMethods } from "../../../orchestrator/contract/acp/method-table.ts";
import { AutolithError } from "../../../orchestrator/contract/failure.ts";
import type { ClientContext } from "../client-context.ts";
import { parameterFault } from "../translation/parameter-faults.ts";
import { refusalOf } from "../translation/refusals.ts";
import type { Handlers, ServedMethod } from "./handlers.ts";
import { jobHandlers } from "./job-handlers.ts";
import { pageByteLimit } from "./response-bounds.ts";
import { sessionHandlers } from "./session-handlers.ts";
import { terminalHandlers } from "./terminal-handlers.ts";

const handlers: Handlers<ServedMethod> = { ...sessionHandlers, ...jobHandlers, ...terminalHandlers };

/** Methods whose answers have a bound of their own. */
const pagedMethods: ReadonlySet<ExtensionMethod> = new Set(["attach", "page"]);

/** The envelope of the answer. Throws method-not-found and invalid params, which are faults of the request itself. */
export async function handleExtension(
  wireName: string,
  params: unknown,
  context: ClientContext,
): Promise<Envelope<unknown>> {
  const name = wireName.startsWith(extensionPrefix) ? wireName.slice(extensionPrefix.length) : "";
  if (!isServed(name))
    throw new RequestError(
      -32_601,
      `There is no method ${JSON.stringify(wireName.slice(0, 128))}; ${extensionPrefix}capabilities names those of the extension, the ACP specification the others.`,
      { method: wireName.slice(0, 128) },
    );
  const checked = extensionMethods[name].params.safeParse(params ?? {});
  if (!checked.success)
    throw parameterFault(wireName, z.formatError(checked.error as z.ZodError), params ?? {});
  try {
    const handler = handlers[name] as (params: unknown, context: ClientContext) => Promise<unknown>;
    return bounded(name, await handler(checked.data, context));
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error))
      context.host.report(`acp: ${wireName}: ${error instanceof Error ? error.stack : String(error)}`);
    return refusalOf(error);
  }
}

function isServed(name: string): name is ServedMethod {
  return Object.hasOwn(handlers, name);
}

/** Throws `answer-limit` for a value that is longer than an answer may be. */
function bounded(method: ExtensionMethod, value: unknown): Envelope<unknown> {
  const envelope = { outcome: "ok", value } as const;
  const limit = pagedMethods.has(method) ? 2 * pageByteLimit : envelopeByteLimit;
  const bytes = Buffer.byteLength(JSON.stringify(envelope));
  if (bytes <= limit) return envelope;
  throw new AutolithError(
    "answer-limit",
    `The answer of ${method} has ${bytes} bytes; at most ${limit} are sent. Ask for less of it.`,
  );
}
