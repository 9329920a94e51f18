import { createHmac } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type Socket, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ManagementConfiguration } from "../../../cli/management/management-configuration.ts";
import type { ManagedImage } from "../../../cli/management/management-evaluator.ts";
import { encodeFrame, readFrames } from "../../../cli/management/management-frames.ts";
import { ManagementServer } from "../../../cli/management/management-server.ts";
import { type DataForm, keyword, listElements } from "../../../lisp/data-forms/index.ts";

export const token = "correct horse battery staple";

export type Endpoint = {
  readonly server: ManagementServer;
  readonly configuration: ManagementConfiguration;
  readonly reports: string[];
};

/** An endpoint on a socket in a directory of its own. */
export async function openEndpoint(
  image: ManagedImage,
  changes: Partial<ManagementConfiguration> = {},
): Promise<Endpoint> {
  const directory = await mkdtemp(join(tmpdir(), "almg-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const tokenFile = join(directory, "token");
  await writeFile(tokenFile, token, { mode: 0o600 });
  await chmod(tokenFile, 0o600);
  const configuration: ManagementConfiguration = {
    address: { transport: "unix", path: join(directory, "management", "repl.sock") },
    tokenFile,
    evaluationMs: 20_000,
    authenticationMs: 20_000,
    maxFrameBytes: 1_048_576,
    maxSourceBytes: 262_144,
    maxOutputCharacters: 262_144,
    queueCapacity: 8,
    maxClients: 8,
    ...changes,
  };
  const reports: string[] = [];
  const server = await ManagementServer.open({
    configuration,
    image: () => Promise.resolve(image),
    connected: () => () => undefined,
    report: (line) => reports.push(line),
  });
  onTestFinished(() => server.close().catch(() => undefined));
  return { server, configuration, reports };
}

export type Client = {
  readonly socket: Socket;
  send(form: DataForm): void;
  /** The next form; undefined at the end of the connection. */
  next(): Promise<DataForm | undefined>;
};

/** A connection that has been challenged and has said nothing. */
export async function dial({ configuration: { address } }: Pick<Endpoint, "configuration">): Promise<Client> {
  const socket = address.transport === "unix" ? connect({ path: address.path }) : connect(address);
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  const forms = readFrames(socket, 67_108_864);
  return {
    socket,
    send: (form) => void socket.write(encodeFrame(form, 67_108_864)),
    next: async () => {
      const { value, done } = await forms.next();
      return done === true ? undefined : value;
    },
  };
}

/** The answer to a challenge, written without our own code: manual, management REPL. */
export function proofFor(challenge: DataForm | undefined, secret = token): string {
  const nonce = textOf(challenge, "nonce");
  return createHmac("sha256", secret).update(Buffer.from(nonce, "hex")).digest("hex");
}

/** A connection that may evaluate. */
export async function signIn(endpoint: Pick<Endpoint, "configuration">): Promise<Client> {
  const client = await dial(endpoint);
  client.send([keyword("authenticate"), keyword("proof"), proofFor(await client.next())]);
  const answer = await client.next();
  if (fieldOf(answer, "version") !== 1) throw new Error("not let in");
  return client;
}

export function evaluateForm(source: string): DataForm {
  return [keyword("evaluate"), keyword("source"), source];
}

export function fieldOf(form: DataForm | undefined, name: string): DataForm | undefined {
  const elements = form === undefined ? [] : (listElements(form) ?? []);
  const index = elements.indexOf(keyword(name), 1);
  return index < 0 ? undefined : elements[index + 1];
}

/** A text of a form; "" when there is none. */
export function textOf(form: DataForm | undefined, name: string): string {
  const text = fieldOf(form, name);
  return typeof text === "string" ? text : "";
}
