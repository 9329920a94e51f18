/** The event streams of model servers, however their bytes are split. */
import type { WatchedBody } from "./response-body.ts";

/** One event of a stream. */
export type ServerEvent = {
  /** Empty where the server named none. */
  readonly name: string;
  readonly data: string;
};

/** Ends of lines: a carriage return alone is one, too. */
const lineEnd = /\r\n|[\r\n]/g;

/** Cuts the bytes of a stream into events. Fields but `event` and `data`, and comments, are passed over. */
export class EventDecoder {
  readonly #decoder = new TextDecoder();
  /** Pieces of the line that has not ended. */
  #line: string[] = [];
  #afterReturn = false;
  #name = "";
  #data: string[] = [];

  /** The events that these bytes complete. */
  take(bytes: Uint8Array): readonly ServerEvent[] {
    return this.#takeText(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The last event, where the server left out the empty line behind it. */
  end(): readonly ServerEvent[] {
    return this.#takeText(`${this.#decoder.decode()}\n\n`);
  }

  #takeText(text: string): readonly ServerEvent[] {
    const events: ServerEvent[] = [];
    // A line feed that belongs to the carriage return before it.
    let start = this.#afterReturn && text.startsWith("\n") ? 1 : 0;
    if (text !== "") this.#afterReturn = text.endsWith("\r");
    lineEnd.lastIndex = start;
    for (let end = lineEnd.exec(text); end !== null; end = lineEnd.exec(text)) {
      this.#line.push(text.slice(start, end.index));
      start = lineEnd.lastIndex;
      const line = this.#line.length === 1 ? (this.#line[0] ?? "") : this.#line.join("");
      this.#line = [];
      if (line === "") this.#endEvent(events);
      else this.#takeLine(line);
    }
    if (start < text.length) this.#line.push(text.slice(start));
    return events;
  }

  #takeLine(line: string): void {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field !== "data" && field !== "event") return;
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.#data.push(value);
    else this.#name = value;
  }

  /** An event without data is none. */
  #endEvent(events: ServerEvent[]): void {
    if (this.#data.length > 0) events.push({ name: this.#name, data: this.#data.join("\n") });
    this.#name = "";
    this.#data = [];
  }
}

/** The data behind which nothing of a stream counts. */
const endMark = "[DONE]";

/**
 * The events of a response in order, up to its end mark or its end. Who stops reading lets go of the connection, which is kept where the
 * body is whole. Rejects with what the body fails with.
 */
export async function* serverEvents(body: WatchedBody): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new EventDecoder();
  try {
    for (;;) {
      const { done, value } = await body.read();
      for (const event of done === true ? decoder.end() : decoder.take(value)) {
        if (event.data === endMark) return;
        yield event;
      }
      if (done === true) return;
    }
  } finally {
    await body.cancel();
  }
}
