import type { Redis } from "ioredis";
import { RedisError } from "../failure.ts";
import { type Script, loadScript, runScript } from "../script.ts";

/** Letters read at a time. */
const batchSize = 64;
/** Pause before a letter that could not be taken is offered again, in ms. */
const retryMs = 1_000;

export interface MailboxReaderParts<Letter> {
  readonly client: Redis;
  /** The stream. */
  readonly key: string;
  /** The letter that a text is; throws when it is none. */
  readonly decode: (text: string) => Letter;
  /** Takes one letter; when it rejects, the letter waits and is offered again. */
  readonly take: (letter: Letter) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Reads one mailbox from its beginning whenever it is woken, one letter after the other; each is removed when it was taken. */
export class MailboxReader<Letter> {
  readonly #parts: MailboxReaderParts<Letter>;
  readonly #remove: Script = loadScript("remove-mail-1");
  #reading: Promise<void> = Promise.resolve();
  #isWoken = false;
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(parts: MailboxReaderParts<Letter>) {
    this.#parts = parts;
  }

  /** Reads what waits, now or when the letter that is being taken is done. */
  wake(): void {
    if (this.#isWoken || this.#isClosed) return;
    this.#isWoken = true;
    this.#reading = this.#reading.then(async () => {
      this.#isWoken = false;
      await this.#read();
    });
  }

  /** Resolves when no letter is being taken any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#reading;
  }

  async #read(): Promise<void> {
    const { client, key, onError } = this.#parts;
    try {
      for (;;) {
        const entries = await client.xrange(key, "-", "+", "COUNT", batchSize);
        for (const [id, fields] of entries) {
          if (this.#isClosed) return;
          const letter = this.#decoded(id, fields);
          if (letter !== undefined) await this.#parts.take(letter);
          await runScript(client, this.#remove, [key], [id]);
        }
        if (entries.length < batchSize) return;
      }
    } catch (error) {
      if (this.#isClosed) return;
      onError(error);
      this.#retry = setTimeout(() => this.wake(), retryMs).unref();
    }
  }

  /** Undefined for what is no letter: kept, it would hold up all that follow. */
  #decoded(id: string, fields: readonly string[]): Letter | undefined {
    try {
      return this.#parts.decode(fields[fields.indexOf("letter") + 1] ?? "");
    } catch (error) {
      this.#parts.onError(
        new RedisError(
          "mail-malformed",
          `The entry ${id} of ${this.#parts.key} is no letter and was dropped.`,
          error,
        ),
      );
      return undefined;
    }
  }
}
