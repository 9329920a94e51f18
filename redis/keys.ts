import type { ConcurrencyClass } from "../orchestrator/contract/job-catalog.ts";

/**
 * The only place that spells Redis keys. Everything of ours is below one prefix, so that a shared server stays tidy and
 * an access rule can be written for it.
 */
export const keyPrefix = "autolith";

/** Names a host: a UUID made anew by every host process. */
export type HostId = string;

/** The prefix BullMQ puts before a queue's name. */
export const queuePrefix = `${keyPrefix}:queue`;

/** Name of the queue of one class of one host's jobs. BullMQ forbids colons in it. */
export function queueName(hostId: HostId, concurrencyClass: ConcurrencyClass): string {
  return `${hostId}.${concurrencyClass}`;
}

/** Hash: host id → who it is, for sweeping the queues of hosts that died. */
export const hostRegistryKey = `${keyPrefix}:hosts`;

/** Hash with `holder` and `fence`, expiring with the lease of that name. */
export function leaseKey(name: string): string {
  return `${keyPrefix}:lease:${name}`;
}

/** Integer: the greatest fencing number given for the lease of that name. Never expires. */
export function fenceKey(name: string): string {
  return `${keyPrefix}:fence:${name}`;
}

/** Stream: letters that wait for a session. */
export function mailboxKey(session: string): string {
  return `${keyPrefix}:mail:${session}`;
}

/** Channel: wakes who attends the mailbox of a session. */
export function mailChannel(session: string): string {
  return `${keyPrefix}:mail-wake:${session}`;
}

/** String: the token under which BullMQ holds an entry of a queue as claimed. */
export function queueLockKey(
  hostId: HostId,
  concurrencyClass: ConcurrencyClass,
  executionId: string,
): string {
  return `${queuePrefix}:${queueName(hostId, concurrencyClass)}:${executionId}:lock`;
}
