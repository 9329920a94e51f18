/** What the arguments of `autolith acp` ask for. */
import {
  type ParsedCommand,
  UsageError,
  checkPositionals,
  optionValue,
  parseArguments,
} from "../arguments.ts";
import { type ListenAddress, defaultAddress, parseListenAddress } from "./transports/listen-address.ts";

export type AcpService =
  | { readonly kind: "stdio" }
  | {
      readonly kind: "http" | "websocket";
      readonly address: ListenAddress;
      readonly token: string | undefined;
    };

/** Reads the arguments. Throws UsageError. */
export function parseAcpArguments(argv: readonly string[]): ParsedCommand {
  return parseArguments(argv, {
    http: { value: false },
    websocket: { value: false },
    token: { value: true },
  });
}

/** What the command line asks for. Throws UsageError. */
export function acpService(parsed: ParsedCommand): AcpService {
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
