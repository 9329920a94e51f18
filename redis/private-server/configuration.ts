import type { PrivateServerLocation } from "./location.ts";

/** Memory of a private server at most; writes beyond it are refused, nothing is evicted. */
export const privateServerMemoryMb = 512;

/**
 * The configuration of a private server: reachable by its owner through a Unix socket and no other way, every write in an
 * append-only file that is synced each second, nothing evicted.
 */
export function serverConfiguration(location: PrivateServerLocation, password: string): string {
  const lines: readonly (readonly [string, string])[] = [
    ["port", "0"],
    ["unixsocket", quoted(location.socket)],
    ["unixsocketperm", "600"],
    ["requirepass", quoted(password)],
    ["dir", quoted(location.directory)],
    ["pidfile", quoted(location.pidFile)],
    ["logfile", quoted(location.log)],
    ["loglevel", "notice"],
    ["daemonize", "no"],
    ["save", '""'],
    ["appendonly", "yes"],
    ["appendfsync", "everysec"],
    // A tail cut by loss of power is dropped; the server starts.
    ["aof-load-truncated", "yes"],
    ["auto-aof-rewrite-percentage", "100"],
    ["auto-aof-rewrite-min-size", "16mb"],
    ["maxmemory", `${privateServerMemoryMb}mb`],
    ["maxmemory-policy", "noeviction"],
    ["maxclients", "1000"],
    ["databases", "1"],
  ];
  return `${lines.map(([name, value]) => `${name} ${value}`).join("\n")}\n`;
}

/** A value in the quotes of a Redis configuration file. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
