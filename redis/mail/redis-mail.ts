import type { Redis } from "ioredis";
import type { QueueHealth } from "../../orchestrator/contract/queue.ts";
import {
  type PeerLetter,
  type PeerTransport,
  peerLetterSchema,
} from "../../orchestrator/peers/peer-transport.ts";
import { withinDeadline } from "../../orchestrator/queue/deadline.ts";
import { closeConnection } from "../connection.ts";
import { RedisError, redisErrorCode } from "../failure.ts";
import { mailChannel, mailboxKey } from "../keys.ts";
import { type Script, loadScript, runScript } from "../script.ts";
import { MailboxReader } from "./mailbox-reader.ts";

/** Letters that may wait in one mailbox. */
export const waitingLetterLimit = 4_096;
/** Time after which a mailbox that nobody attends is dropped, in ms; the sender's journal keeps what was in it. */
export const mailboxLifetimeMs = 30 * 24 * 3_600 * 1_000;
/** Time that the answer to a post may take, in ms. */
const postMs = 2_000;
/** Time that beginning or ending to attend a mailbox may take, in ms. */
const subscribeMs = 2_000;

export interface RedisMailParts {
  /** Short commands; they fail at once while the server is gone. */
  readonly commands: Redis;
  /** Opens a connection for subscribing; called with the first mailbox that is attended. */
  readonly openSubscriber: () => Promise<Redis>;
  readonly onHealth: (listener: (health: QueueHealth) => void) => () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Mail between sessions over one Redis: a stream for each session, in which letters wait, and a channel that wakes its attendant. A letter
 * leaves the stream once it was taken, so that the death of an attendant loses none. The journals of the sessions are the truth.
 */
export class RedisMail implements PeerTransport {
  readonly #parts: RedisMailParts;
  readonly #post: Script = loadScript("post-mail-1");
  readonly #readers = new Map<string, MailboxReader<PeerLetter>>();
  readonly #returned = new Set<() => void>();
  readonly #stopHealth: () => void;
  #subscriber: Promise<Redis> | undefined;

  constructor(parts: RedisMailParts) {
    this.#parts = parts;
    this.#stopHealth = parts.onHealth((health) => {
      if (health !== "connected") return;
      for (const reader of this.#readers.values()) reader.wake();
      for (const listener of this.#returned) listener();
    });
  }

  async post(session: string, letter: PeerLetter): Promise<void> {
    const values = [JSON.stringify(letter), waitingLetterLimit, mailboxLifetimeMs, mailChannel(session)];
    const posting = runScript(this.#parts.commands, this.#post, [mailboxKey(session)], values);
    let reply: unknown;
    try {
      if ((await withinDeadline(posting, postMs)) === "deadline")
        throw new RedisError(
          "mail-unavailable",
          `Redis did not answer within ${postMs} ms; the letter may be in the mailbox or not.`,
        );
      reply = await posting;
    } catch (error) {
      posting.catch(() => undefined);
      if (error instanceof RedisError) throw error;
      throw new RedisError(
        "mail-unavailable",
        `Redis did not take the letter (${redisErrorCode(error)}: ${error instanceof Error ? error.message : String(error)}).`,
        error,
      );
    }
    if (reply === 1) return;
    throw new RedisError(
      "mail-full",
      `${waitingLetterLimit} letters wait in the mailbox of session ${session}, which is the limit; nobody attends it.`,
    );
  }

  async attend(
    session: string,
    take: (letter: PeerLetter) => Promise<void>,
  ): Promise<{ close(): Promise<void> }> {
    const reader = new MailboxReader({
      client: this.#parts.commands,
      key: mailboxKey(session),
      decode: (text) => peerLetterSchema.parse(JSON.parse(text)),
      take,
      onError: this.#parts.onError,
    });
    const subscriber = await this.#subscribed();
    const channel = mailChannel(session);
    this.#readers.set(channel, reader);
    const subscribing = subscriber.subscribe(channel);
    subscribing.catch(this.#parts.onError);
    if ((await withinDeadline(subscribing, subscribeMs)) === "deadline") {
      this.#readers.delete(channel);
      throw new RedisError(
        "mail-unavailable",
        `Redis did not let the mailbox of session ${session} be attended within ${subscribeMs} ms.`,
      );
    }
    // What came before the subscription waits in the stream.
    reader.wake();
    return {
      close: async () => {
        this.#readers.delete(channel);
        const leaving = subscriber.unsubscribe(channel).catch(this.#parts.onError);
        await withinDeadline(leaving, subscribeMs);
        await reader.close();
      },
    };
  }

  onReturn(listener: () => void): () => void {
    this.#returned.add(listener);
    return () => this.#returned.delete(listener);
  }

  /** Ends the subscriptions. Sessions have closed their mailboxes before. */
  async close(deadlineMs: number): Promise<void> {
    this.#stopHealth();
    const subscriber = await this.#subscriber?.catch(() => undefined);
    if (subscriber !== undefined) await closeConnection(subscriber, deadlineMs);
    await Promise.all([...this.#readers.values()].map((reader) => reader.close()));
  }

  #subscribed(): Promise<Redis> {
    this.#subscriber ??= this.#openSubscriber();
    return this.#subscriber;
  }

  async #openSubscriber(): Promise<Redis> {
    try {
      const client = await this.#parts.openSubscriber();
      client.on("message", (channel: string) => this.#readers.get(channel)?.wake());
      // After a lost connection ioredis subscribes again; what was published meanwhile waits in the streams.
      client.on("ready", () => {
        for (const reader of this.#readers.values()) reader.wake();
      });
      return client;
    } catch (error) {
      this.#subscriber = undefined;
      throw error;
    }
  }
}
