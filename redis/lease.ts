import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { RedisError, redisErrorCode } from "./failure.ts";
import { fenceKey, leaseKey } from "./keys.ts";
import { type Script, type ScriptReply, loadScript, runScript } from "./script.ts";

/** A lease that this process took. It lapses `periodMs` after the last renewal. */
export interface Lease {
  readonly name: string;
  /**
   * Grows with every change of holder. Whatever the lease protects keeps the greatest number it has seen and refuses
   * smaller ones, so that a holder which was stopped and wakes up late changes nothing.
   */
  readonly fence: number;
  /** @throws RedisError `lease-lost` when it lapsed or went to somebody else, `redis-unreachable`. */
  renew(): Promise<void>;
  /** Gives it back; does nothing when it was lost. @throws RedisError `redis-unreachable`. */
  release(): Promise<void>;
}

/** Leases by name in one Redis. */
export class Leases {
  readonly #client: Redis;
  readonly #acquire: Script = loadScript("acquire-lease-2");
  readonly #renew: Script = loadScript("renew-lease-1");
  readonly #release: Script = loadScript("release-lease-1");

  constructor(client: Redis) {
    this.#client = client;
  }

  /**
   * Takes the lease for `periodMs`, or tells for how long somebody else holds it at least.
   *
   * @throws RangeError for a period that is no positive integer, RedisError `redis-unreachable`, `redis-full`.
   */
  async acquire(
    name: string,
    periodMs: number,
  ): Promise<{ readonly lease: Lease } | { readonly heldForMs: number }> {
    if (!Number.isSafeInteger(periodMs) || periodMs < 1) {
      throw new RangeError(`a lease period is a positive number of milliseconds, got ${periodMs}`);
    }
    const holder = randomUUID();
    const reply = await this.#run(this.#acquire, [leaseKey(name), fenceKey(name)], [holder, periodMs]);
    const [taken, number] = Array.isArray(reply) ? (reply as readonly ScriptReply[]) : [];
    if (typeof number !== "number") throw new TypeError(`acquire-lease answered ${JSON.stringify(reply)}`);
    return taken === 1
      ? { lease: this.#lease(name, holder, number, periodMs) }
      : { heldForMs: Math.max(0, number) };
  }

  #lease(name: string, holder: string, fence: number, periodMs: number): Lease {
    const key = leaseKey(name);
    return {
      name,
      fence,
      renew: async () => {
        if ((await this.#run(this.#renew, [key], [holder, fence, periodMs])) !== 1) {
          throw new RedisError(
            "lease-lost",
            `the lease ${name} (number ${fence}) is no longer ours; stop what it protects`,
          );
        }
      },
      release: async () => {
        await this.#run(this.#release, [key], [holder, fence]);
      },
    };
  }

  async #run(
    script: Script,
    keys: readonly string[],
    values: readonly (string | number)[],
  ): Promise<ScriptReply> {
    try {
      return await runScript(this.#client, script, keys, values);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new RedisError(redisErrorCode(error), `Redis did not run a lease script: ${reason}`, error);
    }
  }
}

/**
 * The receiving side of fencing: remembers the greatest number seen and refuses smaller ones. One per protected thing.
 */
export class FenceGuard {
  #greatest = 0;

  /** @throws RedisError `lease-lost` for a number that a later holder has overtaken. */
  check(fence: number): void {
    if (fence < this.#greatest) {
      throw new RedisError(
        "lease-lost",
        `a holder with fencing number ${this.#greatest} has been here; number ${fence} may change nothing any more`,
      );
    }
    this.#greatest = fence;
  }
}
