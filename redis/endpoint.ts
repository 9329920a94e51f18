import { RedisError } from "./failure.ts";

/** Where a Redis server is and how to be let in. Holds a secret: it is never printed. */
export type RedisEndpoint = {
  readonly username?: string;
  readonly password?: string;
  /** Number of the database. */
  readonly database: number;
} & (
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number; readonly tls: boolean }
);

/** Longest path of a Unix socket in bytes, the terminating NUL not counted, on every platform we run on. */
export const socketPathLimit = 103;

const defaultPort = 6379;

const unixPattern =
  /^unix:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<path>\/[^?#]*)(?:\?db=(?<database>[^&#]*))?$/;

/**
 * The endpoint a URL names: `redis://[[user]:password@]host[:port][/database]`, the same with `rediss` for TLS, or
 * `unix://[[user]:password@]/path/of/socket[?db=N]`.
 *
 * @throws RedisError `redis-url-invalid`. The message tells what is wrong without repeating the URL.
 */
export function parseRedisUrl(text: string): RedisEndpoint {
  return text.startsWith("unix:") ? parseUnixUrl(text) : parseNetworkUrl(text);
}

/** Written out, since a URL in general has no credentials without a host. */
function parseUnixUrl(text: string): RedisEndpoint {
  const groups = unixPattern.exec(text)?.groups;
  const path = decoded(groups?.["path"] ?? "/");
  if (path === "/")
    throw invalid("a unix URL has an absolute path after unix:// and nothing behind it but ?db=N");
  checkSocketPath(path);
  return {
    ...credentials(groups?.["user"] ?? "", groups?.["password"] ?? ""),
    kind: "unix",
    path,
    database: database(groups?.["database"] ?? "0"),
  };
}

function parseNetworkUrl(text: string): RedisEndpoint {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw invalid("it is no URL");
  if (url.protocol !== "redis:" && url.protocol !== "rediss:") {
    throw invalid("its scheme must be redis, rediss or unix");
  }
  if (url.hostname === "") throw invalid("it names no host");
  return {
    ...credentials(url.username, url.password),
    kind: "tcp",
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? defaultPort : Number(url.port),
    tls: url.protocol === "rediss:",
    database: database(url.pathname === "" || url.pathname === "/" ? "0" : url.pathname.slice(1)),
  };
}

function credentials(user: string, password: string): Pick<RedisEndpoint, "username" | "password"> {
  return {
    ...(user === "" ? {} : { username: decoded(user) }),
    ...(password === "" ? {} : { password: decoded(password) }),
  };
}

/** @throws RedisError `redis-url-invalid` when the operating system could not bind or connect to the path. */
function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes > socketPathLimit) {
    throw invalid(`its socket path has ${bytes} bytes and may have ${socketPathLimit}`);
  }
}

/** The endpoint in words, without name and password. */
export function describeEndpoint(endpoint: RedisEndpoint): string {
  return endpoint.kind === "unix" ? endpoint.path : `${endpoint.host}:${endpoint.port}`;
}

function database(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw invalid("its database must be a number");
  return Number(text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid("it has a broken percent escape");
  }
}

function invalid(problem: string): RedisError {
  return new RedisError(
    "redis-url-invalid",
    `the Redis URL cannot be used: ${problem}; expected redis://[[user]:password@]host[:port][/database], rediss://… or unix://…/path`,
  );
}
