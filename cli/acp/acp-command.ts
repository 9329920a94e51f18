/** `autolith acp`: serves editors and other clients of the Agent Client Protocol, over standard input and output or a port. */
// First: it decides how the schemas of everything below are checked.
import "../schema-checks.ts";
import { Console } from "node:console";
import { secretRemover, secretValues } from "../../orchestrator/secrets/secret-removal.ts";
import { takeSignalWatch } from "../early-signals.ts";
import { exitStatus } from "../exit-status.ts";
import { beginHeadStart } from "../head-start.ts";
import { acpService, parseAcpArguments } from "./acp-arguments.ts";

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

/** Resolves to the exit status when the client, or the last of them, is gone, or a signal came. */
export async function acpCommand(argv: readonly string[]): Promise<number> {
  const parsed = parseAcpArguments(argv);
  if (parsed.help) {
    process.stdout.write(usage);
    return exitStatus.ok;
  }
  const service = acpService(parsed);
  // Nothing but frames may reach standard output, whatever a library prints.
  globalThis.console = new Console(process.stderr, process.stderr);
  const remove = secretRemover([
    ...secretValues(process.env),
    ...(service.kind !== "stdio" && service.token !== undefined ? [service.token] : []),
  ]);
  const say = (line: string): void => void process.stderr.write(`autolith: ${remove(line)}\n`);
  const signals = takeSignalWatch();
  const headStart = beginHeadStart({ environment: process.env, replay: false, diagnostics: say });
  try {
    const { serveAcp } = await import("./serve-acp.ts");
    await serveAcp({ service, session: parsed.session, headStart, say, stop: signals.cancelled });
    return signals.exitStatus ?? exitStatus.ok;
  } finally {
    signals.stop();
  }
}
