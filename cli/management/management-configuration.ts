/** The management REPL's settings as the environment gives them (manual, management REPL; facts G). Pure. */
import { join } from "node:path";
import { isIPv4 } from "node:net";
import { AutolithError } from "../../orchestrator/contract/failure.ts";
import type { Roots } from "../../orchestrator/record/roots.ts";
import { socketPathLimit } from "../../redis/endpoint.ts";
import type { Environment } from "../machine.ts";

/** Where it listens. */
export type ManagementAddress =
  | { readonly transport: "unix"; readonly path: string }
  | { readonly transport: "tcp"; readonly host: string; readonly port: number };

export type ManagementConfiguration = {
  readonly address: ManagementAddress;
  readonly tokenFile: string;
  /** Deadline of one evaluation, in milliseconds. */
  readonly evaluationMs: number;
  /** Time that a client gets to prove itself, in milliseconds. */
  readonly authenticationMs: number;
  /** UTF-8 bytes of one frame, both ways. */
  readonly maxFrameBytes: number;
  /** UTF-8 bytes of one form's source. */
  readonly maxSourceBytes: number;
  /** Characters of captured output, and of all values together. */
  readonly maxOutputCharacters: number;
  /** Evaluations that may wait. */
  readonly queueCapacity: number;
  /** Connections, those that have not proved themselves included. */
  readonly maxClients: number;
};

/** A port and the smallest values that make sense; the largest are what a timer and a buffer can hold. */
const bounds = {
  port: { minimum: 1, maximum: 65_535 },
  seconds: { minimum: 1, maximum: 86_400 },
  frame: { minimum: 128, maximum: 67_108_864 },
  size: { minimum: 1, maximum: 67_108_864 },
  count: { minimum: 1, maximum: 1_024 },
} as const;

const prefix = "AUTOLITH_MANAGEMENT_REPL";

/** Undefined when it is not turned on. Throws `configuration-error` naming the variable for a value that does not fit. */
export function managementConfiguration(
  environment: Environment,
  roots: Pick<Roots, "state" | "config">,
): ManagementConfiguration | undefined {
  if (!isOn(environment)) return undefined;
  const whole = (name: string, initial: number, limits: { minimum: number; maximum: number }): number =>
    wholeNumber(environment, `${prefix}_${name}`, initial, limits);
  return {
    address: addressOf(environment, roots),
    tokenFile: absolutePath(environment, "TOKEN_FILE", join(roots.config, "management-repl.token")),
    evaluationMs: whole("TIMEOUT", 10, bounds.seconds) * 1_000,
    authenticationMs: whole("AUTH_TIMEOUT", 10, bounds.seconds) * 1_000,
    maxFrameBytes: whole("MAX_FRAME", 1_048_576, bounds.frame),
    maxSourceBytes: whole("MAX_SOURCE", 262_144, bounds.size),
    maxOutputCharacters: whole("MAX_OUTPUT", 262_144, bounds.size),
    queueCapacity: whole("QUEUE_CAPACITY", 8, bounds.count),
    maxClients: whole("MAX_CLIENTS", 8, bounds.count),
  };
}

function isOn(environment: Environment): boolean {
  const text = environment[prefix] ?? "";
  if (/^(?:1|true|yes|on)$/i.test(text)) return true;
  if (/^(?:0|false|no|off)?$/i.test(text)) return false;
  throw refused(prefix, "on or off", text);
}

function addressOf(environment: Environment, roots: Pick<Roots, "state">): ManagementAddress {
  const transport = environment[`${prefix}_TRANSPORT`] ?? "unix";
  if (transport === "unix") {
    const path = absolutePath(environment, "UNIX_SOCKET", join(roots.state, "management", "repl.sock"));
    if (Buffer.byteLength(path) <= socketPathLimit) return { transport, path };
    throw refused(`${prefix}_UNIX_SOCKET`, `a path of at most ${socketPathLimit} bytes`, path);
  }
  if (transport !== "tcp") throw refused(`${prefix}_TRANSPORT`, "unix or tcp", transport);
  const host = environment[`${prefix}_TCP_ADDRESS`] ?? "127.0.0.1";
  if (!isIPv4(host) || !host.startsWith("127."))
    throw refused(`${prefix}_TCP_ADDRESS`, "an IPv4 loopback address such as 127.0.0.1", host);
  return { transport, host, port: wholeNumber(environment, `${prefix}_TCP_PORT`, 4_141, bounds.port) };
}

function absolutePath(environment: Environment, name: string, initial: string): string {
  const path = environment[`${prefix}_${name}`];
  if (path === undefined || path === "") return initial;
  if (path.startsWith("/")) return path;
  throw refused(`${prefix}_${name}`, "an absolute path", path);
}

function wholeNumber(
  environment: Environment,
  variable: string,
  initial: number,
  { minimum, maximum }: { readonly minimum: number; readonly maximum: number },
): number {
  const text = environment[variable];
  if (text === undefined || text === "") return initial;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  throw refused(variable, `a whole number from ${minimum} to ${maximum}`, text);
}

function refused(variable: string, expected: string, given: string): AutolithError {
  return new AutolithError(
    "configuration-error",
    `${variable} is ${expected}, not ${JSON.stringify(given.slice(0, 200))}.`,
  );
}
