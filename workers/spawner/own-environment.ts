import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { commandEnvironment } from "./command-environment.ts";

/**
 * Takes out of this process's public environment (`/proc/PID/environ`, readable by every command of the same user) all
 * that commands do not inherit anyway. `process.env` keeps everything: the values are set again first, which moves them
 * into memory of their own, and then the bytes the process was started with are overwritten. Returns the number of
 * variables hidden; 0 where there is no /proc. To be called once, before anything is started.
 */
export function hideOwnEnvironment(): number {
  const region = environmentRegion();
  if (region === undefined) return 0;
  const visible = commandEnvironment(process.env);
  const memory = openSync("/proc/self/mem", "r+");
  try {
    const bytes = Buffer.alloc(region.length);
    readSync(memory, bytes, 0, region.length, region.start);
    let hidden = 0;
    for (let at = 0; at < bytes.length;) {
      const end = bytes.indexOf(0, at);
      const next = end < 0 ? bytes.length : end;
      const equals = bytes.indexOf("=", at);
      if (equals > at && equals < next) {
        const name = bytes.toString("utf8", at, equals);
        const value = bytes.toString("utf8", equals + 1, next);
        if (visible[name] !== value && next > equals + 1) {
          const current = process.env[name];
          if (current !== undefined) process.env[name] = current;
          bytes.fill(0, equals + 1, next);
          writeSync(memory, bytes, equals + 1, next - equals - 1, region.start + equals + 1);
          hidden += 1;
        }
      }
      at = next + 1;
    }
    return hidden;
  } finally {
    closeSync(memory);
  }
}

/** Where the kernel keeps the environment this process was started with (fields 50 and 51 of its stat line). */
function environmentRegion(): { readonly start: number; readonly length: number } | undefined {
  let stat: string;
  try {
    stat = readFileSync("/proc/self/stat", "latin1");
  } catch {
    // Another platform: there a process's environment is not to be read in this way.
    return undefined;
  }
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [start = 0, end = 0] = [fields[47], fields[48]].map(Number);
  // Addresses of programs have 47 bits (56 on some machines that do not use them here): safe as numbers.
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return undefined;
  return start > 0 && end > start ? { start, length: end - start } : undefined;
}
