/** The frames of WebSocket (RFC 6455) as a server reads and writes them, without extensions. Pure: bytes in, messages out. */

/** What came: a whole message, a control frame, or the reason to end the connection. */
export type WebSocketEvent =
  | { readonly kind: "text"; readonly bytes: Uint8Array }
  | { readonly kind: "ping"; readonly payload: Uint8Array }
  | { readonly kind: "close"; readonly code: number }
  | { readonly kind: "fault"; readonly code: number; readonly reason: string };

const opcodes = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const;

/** Most bytes of a control frame's payload (RFC 6455). */
const controlLimit = 125;

/** Status codes of RFC 6455. */
export const closeCodes = { normal: 1_000, protocol: 1_002, unsupported: 1_003, tooBig: 1_009 } as const;

type Header = {
  readonly final: boolean;
  readonly opcode: number;
  readonly length: number;
  readonly mask: Uint8Array;
  /** Bytes of the header itself. */
  readonly size: number;
};

export class WebSocketReader {
  readonly #limit: number;
  #buffered: Buffer = Buffer.alloc(0);
  #waitingFor = 0;
  #chunks: Uint8Array[] = [];
  #chunkBytes = 0;
  #fragments: Uint8Array[] = [];
  #fragmentBytes = 0;
  #inMessage = false;
  #ended = false;

  /** `limit`: most bytes of a message, its fragments together. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The events that `chunk` completes. After a `close` or `fault` nothing more is read. */
  push(chunk: Uint8Array): readonly WebSocketEvent[] {
    if (this.#ended) return [];
    this.#chunks.push(Uint8Array.from(chunk));
    this.#chunkBytes += chunk.length;
    // Joined only when a frame can be complete: a long one comes in many chunks.
    if (this.#buffered.length + this.#chunkBytes < this.#waitingFor) return [];
    this.#buffered = Buffer.concat([this.#buffered, ...this.#chunks.splice(0)]);
    this.#chunkBytes = 0;
    const events: WebSocketEvent[] = [];
    for (;;) {
      const event = this.#next();
      if (event === "more") return events;
      if (event === undefined) continue;
      events.push(event);
      if (event.kind === "close" || event.kind === "fault") {
        this.#ended = true;
        this.#buffered = Buffer.alloc(0);
        return events;
      }
    }
  }

  /** One frame: an event, nothing to tell, or too few bytes. */
  #next(): WebSocketEvent | undefined | "more" {
    const header = readHeader(this.#buffered);
    if (header === "more" || "kind" in header) {
      this.#waitingFor = 0;
      return header;
    }
    const { size, length, opcode, final } = header;
    const isControl = opcode >= opcodes.close;
    if (isControl && (length > controlLimit || !final))
      return fault("a control frame has at most 125 bytes and is whole");
    if (!isControl && this.#fragmentBytes + length > this.#limit)
      return { kind: "fault", code: closeCodes.tooBig, reason: `a message may have ${this.#limit} bytes` };
    if (this.#buffered.length < size + length) {
      this.#waitingFor = size + length;
      return "more";
    }
    const payload = unmasked(this.#buffered.subarray(size, size + length), header.mask);
    this.#buffered = this.#buffered.subarray(size + length);
    this.#waitingFor = 0;
    return isControl ? controlEvent(opcode, payload) : this.#data(opcode, final, payload);
  }

  #data(opcode: number, final: boolean, payload: Uint8Array): WebSocketEvent | undefined {
    if (opcode === opcodes.binary)
      return { kind: "fault", code: closeCodes.unsupported, reason: "messages are text" };
    if (opcode !== opcodes.text && opcode !== opcodes.continuation)
      return fault(`there is no opcode ${opcode}`);
    if ((opcode === opcodes.continuation) !== this.#inMessage)
      return fault(this.#inMessage ? "a message began within another" : "a continuation of nothing");
    this.#inMessage = !final;
    this.#fragments.push(payload);
    this.#fragmentBytes += payload.length;
    if (!final) return undefined;
    const bytes = this.#fragments.length === 1 ? payload : Buffer.concat(this.#fragments);
    this.#fragments = [];
    this.#fragmentBytes = 0;
    return { kind: "text", bytes };
  }
}

function controlEvent(opcode: number, payload: Uint8Array): WebSocketEvent | undefined {
  switch (opcode) {
    case opcodes.ping:
      return { kind: "ping", payload };
    case opcodes.pong:
      return undefined;
    case opcodes.close:
      return {
        kind: "close",
        code: payload.length >= 2 ? Buffer.from(payload).readUInt16BE(0) : closeCodes.normal,
      };
    default:
      return fault(`there is no opcode ${opcode}`);
  }
}

function readHeader(bytes: Buffer): Header | WebSocketEvent | "more" {
  if (bytes.length < 2) return "more";
  const [first = 0, second = 0] = bytes;
  if ((first & 0x70) !== 0) return fault("no extension was agreed");
  if ((second & 0x80) === 0) return fault("a client masks its frames");
  const short = second & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const size = 2 + lengthBytes + 4;
  if (bytes.length < size) return "more";
  const length =
    lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  return {
    final: (first & 0x80) !== 0,
    opcode: first & 0x0f,
    length,
    mask: bytes.subarray(size - 4, size),
    size,
  };
}

function unmasked(payload: Uint8Array, mask: Uint8Array): Uint8Array {
  const [a = 0, b = 0, c = 0, d = 0] = mask;
  const keys = [a, b, c, d];
  const plain = Uint8Array.from(payload);
  for (let index = 0; index < plain.length; index += 1)
    plain[index] = (plain[index] ?? 0) ^ (keys[index & 3] ?? 0);
  return plain;
}

function fault(reason: string): WebSocketEvent {
  return { kind: "fault", code: closeCodes.protocol, reason };
}

/** A whole text message. */
export function textFrame(text: string): Buffer {
  return frame(opcodes.text, Buffer.from(text, "utf8"));
}

/** The answer to a ping. */
export function pongFrame(payload: Uint8Array): Buffer {
  return frame(opcodes.pong, payload);
}

/** The end of a connection; the reason is cut to what fits. */
export function closeFrame(code: number, reason: string): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  const text = Buffer.from(reason, "utf8").subarray(0, controlLimit - 2);
  return frame(opcodes.close, Buffer.concat([payload, text]));
}

function frame(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const header = Buffer.alloc(length < 126 ? 2 : length <= 0xffff ? 4 : 10);
  header[0] = 0x80 | opcode;
  if (length < 126) header[1] = length;
  else if (length <= 0xffff) {
    header[1] = 126;
    header.writeUInt16BE(length, 2);
  } else {
    header[1] = 127;
    header.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([header, payload]);
}
