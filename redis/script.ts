import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";

/** What a script returns: integers, strings, nothing, or lists of these. */
export type ScriptReply = number | string | null | readonly ScriptReply[];

/** A Lua script of `redis/lua/`. The number at the end of its name is how many keys it takes. */
export interface Script {
  readonly text: string;
  readonly digest: string;
  readonly keyCount: number;
}

/** Reads a script by file name without extension, such as `renew-lease-1`; its header tells keys, arguments and reply. */
export function loadScript(name: string): Script {
  const text = readFileSync(new URL(`./lua/${name}.lua`, import.meta.url), "utf8");
  const keyCount = Number(/-(\d+)$/.exec(name)?.[1]);
  return { text, digest: createHash("sha1").update(text).digest("hex"), keyCount };
}

/** Runs a script, sending its text only to a server that does not know it yet. */
export async function runScript(
  client: Redis,
  script: Script,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<ScriptReply> {
  if (keys.length !== script.keyCount) {
    throw new RangeError(`the script takes ${script.keyCount} keys, got ${keys.length}`);
  }
  const operands = [...keys, ...values];
  try {
    return (await client.evalsha(script.digest, keys.length, ...operands)) as ScriptReply;
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
    return (await client.eval(script.text, keys.length, ...operands)) as ScriptReply;
  }
}
