import { randomUUID } from "node:crypto";
import { readFileSync, unlinkSync } from "node:fs";
import { rename } from "node:fs/promises";
import { z } from "zod";
import { errnoOf, RecordError, recordFailure } from "./failure.ts";
import { isRunning, type ProcessIdentity, processIdentity } from "./process-identity.ts";
import { publishFile } from "./publication.ts";

const holderSchema = z.strictObject({
  pid: z.int().positive(),
  bootId: z.string().max(128),
  startTicks: z.int().nonnegative(),
  token: z.uuid(),
});

type Holder = z.infer<typeof holderSchema>;

/** The right to write what a lock file protects. */
export interface WriterLock {
  /** Gives the right back. Does nothing when it was given back before. */
  release(): Promise<void>;
}

/** Another live process holds the lock. */
export class WriterLockedError extends RecordError {
  readonly holder: ProcessIdentity;

  constructor(path: string, holder: ProcessIdentity) {
    super("locked", path, `process ${holder.pid} is writing here (${path}); end it, or read without writing`);
    this.holder = holder;
  }
}

/** Claims on the succession of dead holders that are followed before the lock is given up as unusable. */
const maxSuccessions = 8;

/** Attempts when others take and release the lock meanwhile. */
const maxAttempts = 32;

/**
 * Takes the lock file at `path` for this process or refuses. A lock whose holder no longer runs is taken over: its number
 * may have been used again, or the machine may have been started again.
 *
 * Taking over is safe against others who try the same: the succession of one holder (named by its token) is claimed by
 * creating a file that can be created once, and the lock is looked at again before it is replaced. A claimant that died
 * is succeeded in the same way.
 *
 * @throws WriterLockedError (`locked`) while a live process holds it, RecordError for the file system's failures.
 */
export async function acquireWriterLock(path: string): Promise<WriterLock> {
  const own: Holder = { ...processIdentity(), token: randomUUID() };
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    if (await createOnce(path, own)) return lockOf(path, own.token);
    const holder = readHolder(path);
    if (holder === undefined) continue;
    if (isRunning(holder)) throw new WriterLockedError(path, holder);
    if (await succeed(path, holder, own)) return lockOf(path, own.token);
  }
  throw new RecordError(
    "locked",
    path,
    `the lock ${path} changed hands ${maxAttempts} times while it was tried`,
  );
}

/** Time until the lock of something that nobody else knows of yet is taken, in ms: a child that is done by then needs none. */
const lateMs = 2_000;

/**
 * The lock of what this process has just made, taken a moment later: making it is not held up, and nobody else can know of it by then.
 * `failed` is told when it cannot be taken.
 */
export function acquireWriterLockLater(path: string, failed: (error: unknown) => void): WriterLock {
  let taken: Promise<WriterLock | undefined> | undefined;
  const timer = setTimeout(() => {
    taken = acquireWriterLock(path).catch((error: unknown) => {
      failed(error);
      return undefined;
    });
  }, lateMs).unref();
  return {
    release: async () => {
      clearTimeout(timer);
      await (await taken)?.release();
    },
  };
}

/**
 * Who is named in a lock file, alive or not; undefined when there is none.
 *
 * @throws RecordError `malformed` for a file that is no lock of ours.
 */
export async function lockHolder(path: string): Promise<ProcessIdentity | undefined> {
  return readHolder(path);
}

/** What tells the present holding of a lock from every other; undefined when nobody holds it. @throws as {@link lockHolder}. */
export function lockToken(path: string): string | undefined {
  return readHolder(path)?.token;
}

/** Replaces the lock of a dead holder by ours. False when somebody else was faster: look again. */
async function succeed(path: string, dead: Holder, own: Holder): Promise<boolean> {
  const claims: string[] = [];
  let predecessor = dead;
  while (claims.length < maxSuccessions) {
    const claim = `${path}.${predecessor.token}.claim`;
    claims.push(claim);
    if (await createOnce(claim, own)) {
      const current = readHolder(path);
      const won = current?.token === dead.token;
      if (won) await replace(path, own);
      for (const each of won ? claims : [claim]) removeIfThere(each);
      return won;
    }
    const claimant = readHolder(claim);
    if (claimant === undefined) return false;
    if (isRunning(claimant)) throw new WriterLockedError(path, claimant);
    predecessor = claimant;
  }
  throw new RecordError(
    "locked",
    path,
    `${maxSuccessions} processes died while taking over ${path}; remove it and the .claim files beside it`,
  );
}

function lockOf(path: string, token: string): WriterLock {
  let held = true;
  return {
    release: async () => {
      if (!held) return;
      if (isHeldBy(path, token)) removeIfThere(path);
      held = false;
    },
  };
}

/** A lock that cannot be read now is still ours: nobody takes it from a process that runs. */
function isHeldBy(path: string, token: string): boolean {
  try {
    return readHolder(path)?.token === token;
  } catch (error) {
    if (error instanceof RecordError && error.code !== "malformed") return true;
    throw error;
  }
}

async function createOnce(path: string, holder: Holder): Promise<boolean> {
  try {
    await publishFile(path, JSON.stringify(holder), { once: true, durable: false });
    return true;
  } catch (error) {
    if (error instanceof RecordError && error.code === "already-exists") return false;
    throw error;
  }
}

async function replace(path: string, holder: Holder): Promise<void> {
  await publishFile(`${path}.${holder.token}.next`, JSON.stringify(holder), { durable: false });
  await rename(`${path}.${holder.token}.next`, path);
}

/** The holder named in the file, undefined when the file has gone. A file that names nobody is held by nobody alive. */
function readHolder(path: string): Holder | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw recordFailure(error, path, "read");
  }
  try {
    return holderSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new RecordError(
      "malformed",
      path,
      `${path} is no lock of ours; remove it if nothing writes here`,
      error,
    );
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw recordFailure(error, path, "remove");
  }
}
