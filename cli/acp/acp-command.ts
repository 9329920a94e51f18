/** `autolith acp`: serves editors and other clients of the Agent Client Protocol, over standard input and output or a port. */
import { Console } from "node:console";
import { once } from "node:events";
import { resolveRoots } from "../../orchestrator/record/roots.ts";
import { secretRemover, secretValues } from "../../orchestrator/secrets/secret-removal.ts";
import {
  type ParsedCommand,
  UsageError,
  checkPositionals,
  optionValue,
  parseArguments,
} from "../arguments.ts";
import { composeSessions } from "../compose-session.ts";
import { takeSignalWatch } from "../early-signals.ts";
import { exitStatus } from "../exit-status.ts";
import { endpointFiles } from "../host/endpoint-files.ts";
import { LocalEndpoint } from "../host/local-endpoint.ts";
import { thisHost } from "../host/this-host.ts";
import { AcpConnection } from "./acp-connection.ts";
import { AcpHost } from "./acp-host.ts";
import {
  type ListenAddress,
  defaultAddress,
  endpointUrl,
  isLoopback,
  parseListenAddress,
} from "./transports/listen-address.ts";
import { frameStream } from "./wire/frame-stream.ts";
import { lineChannel } from "./wire/line-channel.ts";

const usage = `Usage: autolith [SESSION OPTIONS] acp [--http | --websocket] [[HOST:]PORT] [--token TOKEN]
Serves the Agent Client Protocol (ACP) version 1. Without --http and --websocket one client on standard input and output: JSON-RPC,
one message a line, diagnostics on standard error. Configure an editor to start it so.

  --http         serve Streamable HTTP (HTTP/1.1 and cleartext HTTP/2) and WebSocket at /acp
  --websocket    serve WebSocket alone at /acp
  [HOST:]PORT    where to listen; 127.0.0.1:8737 when not given
  --token TOKEN  clients must send Authorization: Bearer TOKEN, or add ?token=TOKEN to the URL; other users of this
                 machine can read it on the command line

--permissions ask|auto|sandbox|full is the mode that sessions begin with. Ctrl-C ends the process with status 130 after its
sessions were released. docs/acp.md tells the methods.
`;

type Service =
  | { readonly kind: "stdio" }
  | {
      readonly kind: "http" | "websocket";
      readonly address: ListenAddress;
      readonly token: string | undefined;
    };

/** Resolves to the exit status when the client, or the last of them, is gone, or a signal came. */
export async function acpCommand(argv: readonly string[]): Promise<number> {
  const parsed = parseArguments(argv, {
    http: { value: false },
    websocket: { value: false },
    token: { value: true },
  });
  if (parsed.help) {
    process.stdout.write(usage);
    return exitStatus.ok;
  }
  const service = serviceOf(parsed);
  // Nothing but frames may reach standard output, whatever a library prints.
  globalThis.console = new Console(process.stderr, process.stderr);
  const signals = takeSignalWatch();
  try {
    await serve(service, parsed, signals.cancelled);
    return signals.exitStatus ?? exitStatus.ok;
  } finally {
    signals.stop();
  }
}

/** What the command line asks for. Throws UsageError. */
function serviceOf(parsed: ParsedCommand): Service {
  const [isHttp, isWebSocket] = [parsed.options.has("http"), parsed.options.has("websocket")];
  const token = optionValue(parsed, "token");
  if (isHttp && isWebSocket)
    throw new UsageError("--http serves WebSocket too; give --http or --websocket, not both.");
  if (!isHttp && !isWebSocket) {
    checkPositionals(parsed, 0, "autolith acp [--http | --websocket] [[HOST:]PORT] [--token TOKEN]");
    if (token !== undefined) throw new UsageError("--token is for --http and --websocket.");
    return { kind: "stdio" };
  }
  checkPositionals(parsed, 1, "autolith acp --http|--websocket [[HOST:]PORT] [--token TOKEN]");
  if (token === "") throw new UsageError("--token may not be empty.");
  const [address] = parsed.positionals;
  return {
    kind: isHttp ? "http" : "websocket",
    address: address === undefined ? defaultAddress : parseListenAddress(address),
    token,
  };
}

async function serve(service: Service, { session }: ParsedCommand, stop: AbortSignal): Promise<void> {
  const remove = secretRemover([
    ...secretValues(process.env),
    ...(service.kind !== "stdio" && service.token !== undefined ? [service.token] : []),
  ]);
  const say = (line: string): void => void process.stderr.write(`autolith: ${remove(line)}\n`);
  const composed = await composeSessions({
    environment: process.env,
    permissions: session.permissions,
    model: session.model,
    provider: session.provider,
    siteConfigRoot: session.siteConfigRoot,
    diagnostics: say,
  });
  try {
    const host = new AcpHost(composed.service, thisHost(), say);
    const files = endpointFiles(resolveRoots(process.env).state, process.getuid?.() ?? 0);
    const endpoint = await LocalEndpoint.open({ host, files, role: "acp" });
    try {
      const stopped = stop.aborted ? Promise.resolve() : once(stop, "abort");
      if (service.kind === "stdio") await serveStdio(host, stopped);
      else await serveNetwork(service, host, stopped, say);
    } finally {
      await endpoint.close();
    }
  } finally {
    await composed.close();
  }
}

/** Until the client is gone, and with it everybody who watched its sessions, or a signal came. */
async function serveStdio(host: AcpHost, stopped: Promise<unknown>): Promise<void> {
  const { stdin, stdout } = process;
  const channel = lineChannel(stdin, stdout, () => stdin.destroy());
  const connection = new AcpConnection(host, frameStream(channel), { reach: "own", name: "acp" });
  const unwatched = connection.closed.then(() =>
    host.until(() => host.service.sessions().length === 0 || host.connections === 0),
  );
  await Promise.race([unwatched, stopped]);
  connection.close();
  await connection.closed;
}

async function serveNetwork(
  { kind, address, token }: Extract<Service, { readonly token: string | undefined }>,
  host: AcpHost,
  stopped: Promise<unknown>,
  say: (line: string) => void,
): Promise<void> {
  const { NetworkServer } = await import("./transports/network-server.ts");
  const server = await NetworkServer.open({ host, address, kind, token });
  const url = endpointUrl(kind === "http" ? "http" : "ws", { host: address.host, port: server.address.port });
  say(`acp: serving ${url}${kind === "http" ? " (Streamable HTTP and WebSocket)" : ""}; Ctrl-C ends it`);
  if (!isLoopback(address.host))
    say(
      `acp: warning: this endpoint is not secure: other machines can reach it, and its traffic${token === undefined ? "" : ", the token included,"} is not encrypted. ` +
        (token === undefined ? "It has no token: give one with --token. " : "") +
        "Put a reverse proxy with TLS in front of it.",
    );
  await stopped;
  await server.close();
}
