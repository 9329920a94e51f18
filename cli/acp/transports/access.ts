/** Who may use the network endpoint. Pure. */
import type { IncomingHttpHeaders } from "node:http";
import { sameSecret } from "../secret-comparison.ts";
import { endpointPath } from "./listen-address.ts";

/** Why a request is refused, with its HTTP status. */
export type AccessRefusal = { readonly status: 401 | 403 | 404; readonly message: string };

export type AccessRequest = {
  /** Path and query as they came. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
};

/** Undefined for a request that may go on. Web pages are refused: they send an Origin. */
export function accessRefusal(
  { url, headers }: AccessRequest,
  token: string | undefined,
): AccessRefusal | undefined {
  if (headers["origin"] !== undefined)
    return { status: 403, message: "Requests of web pages are refused: the request carries an Origin." };
  const parsed = URL.canParse(url, "http://endpoint") ? new URL(url, "http://endpoint") : undefined;
  if (parsed?.pathname !== endpointPath)
    return { status: 404, message: `The only endpoint is ${endpointPath}.` };
  if (token === undefined) return undefined;
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  const given = [bearer, parsed.searchParams.get("token")];
  if (given.some((each) => typeof each === "string" && sameSecret(each, token))) return undefined;
  return {
    status: 401,
    message: "A token is needed: send Authorization: Bearer TOKEN, or add ?token=TOKEN to the URL.",
  };
}
