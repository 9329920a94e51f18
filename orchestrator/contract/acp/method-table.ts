/** All extension methods in one table, for servers and clients. */
import type { z } from "zod";
import { type Envelope, envelopeSchema, extensionPrefix } from "./envelope.ts";
import { sessionMethods } from "./session-methods.ts";
import { terminalMethods } from "./terminal-methods.ts";

/** Method suffix → schemas of its parameters and its value. */
export const extensionMethods = { ...sessionMethods, ...terminalMethods } as const;

export type ExtensionMethod = keyof typeof extensionMethods;
/** What a client may pass. */
export type ParamsOf<Method extends ExtensionMethod> = z.input<(typeof extensionMethods)[Method]["params"]>;
/** What a server gets. */
export type ParsedParamsOf<Method extends ExtensionMethod> = z.output<
  (typeof extensionMethods)[Method]["params"]
>;
export type ValueOf<Method extends ExtensionMethod> = z.output<(typeof extensionMethods)[Method]["value"]>;

export const extensionMethodNames = Object.keys(extensionMethods) as readonly ExtensionMethod[];

/** The name on the wire. */
export function wireMethod(method: ExtensionMethod): string {
  return extensionPrefix + method;
}

/** The schema of what a method answers, for clients. */
export function answerSchema<Method extends ExtensionMethod>(
  method: Method,
): z.ZodType<Envelope<ValueOf<Method>>> {
  return envelopeSchema(extensionMethods[method].value as unknown as z.ZodType<ValueOf<Method>>);
}
