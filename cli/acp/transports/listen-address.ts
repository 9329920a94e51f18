/** Where `autolith acp` listens: `[HOST:]PORT` of its command line. */
import { UsageError } from "../../arguments.ts";

export type ListenAddress = { readonly host: string; readonly port: number };

export const defaultAddress: ListenAddress = { host: "127.0.0.1", port: 8_737 };

/** The path of the only endpoint. */
export const endpointPath = "/acp";

/** Reads `9000`, `0.0.0.0:8737`, `[::1]:8737`; port 0 lets the system choose. Throws UsageError. */
export function parseListenAddress(text: string): ListenAddress {
  const match = /^(?:(?:\[(?<six>[0-9a-fA-F:.]+)\]|(?<host>[^\s:[\]/]+)):)?(?<port>\d{1,5})$/.exec(text);
  const port = Number(match?.groups?.["port"] ?? Number.NaN);
  if (match === null || port > 65_535)
    throw new UsageError(
      `The address is [HOST:]PORT, such as 9000, 0.0.0.0:8737 or [::1]:8737, not ${JSON.stringify(text)}.`,
    );
  const { six, host } = match.groups ?? {};
  return { host: six ?? host ?? defaultAddress.host, port };
}

/** Whether only this machine reaches the address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The endpoint's URL. */
export function endpointUrl(scheme: "http" | "ws", { host, port }: ListenAddress): string {
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}${endpointPath}`;
}
