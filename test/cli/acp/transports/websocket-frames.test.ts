import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type WebSocketEvent,
  WebSocketReader,
  closeFrame,
  pongFrame,
  textFrame,
} from "../../../../cli/acp/transports/websocket-frames.ts";
import { clientFrame } from "../../../support/acp/websocket-client-frame.ts";

const [continuation, textOpcode, binary, close, ping, pong] = [0x0, 0x1, 0x2, 0x8, 0x9, 0xa];

function readAll(bytes: Uint8Array, size: number, limit = 1_000_000): readonly WebSocketEvent[] {
  const reader = new WebSocketReader(limit);
  const events: WebSocketEvent[] = [];
  for (let from = 0; from < bytes.length; from += size)
    events.push(...reader.push(bytes.subarray(from, from + size)));
  return events;
}

const texts = (events: readonly WebSocketEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === "text" ? [Buffer.from(event.bytes).toString("utf8")] : []));

describe("frames of a client", () => {
  test("come back as their messages, in whatever fragments and pieces", () => {
    const message = fc.array(fc.string({ unit: "grapheme", maxLength: 70_000 }), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 4 }),
        fc.integer({ min: 1, max: 9_000 }),
        (messages, size) => {
          const frames = messages.flatMap((parts) =>
            parts.flatMap((part, index) => [
              clientFrame(index === 0 ? textOpcode : continuation, part, index === parts.length - 1),
              clientFrame(ping, "between"),
            ]),
          );
          const events = readAll(Buffer.concat(frames), size);
          expect(texts(events)).toEqual(messages.map((parts) => parts.join("")));
          expect(events.filter(({ kind }) => kind === "ping")).toHaveLength(frames.length / 2);
        },
      ),
      { numRuns: 50 },
    );
  });

  test.each<[string, Uint8Array, number]>([
    ["that are not masked", textFrame("hello"), 1_002],
    ["of binary messages", clientFrame(binary, "hello"), 1_003],
    ["that continue nothing", clientFrame(continuation, "hello"), 1_002],
    ["of an unknown opcode", clientFrame(0x3, "hello"), 1_002],
    ["of an unknown control opcode", clientFrame(0xb, "hello"), 1_002],
    ["of extensions", Buffer.concat([Buffer.of(0xc1), clientFrame(textOpcode, "hello").subarray(1)]), 1_002],
    ["of control with more than 125 bytes", clientFrame(ping, "x".repeat(126)), 1_002],
    ["of control in fragments", clientFrame(ping, "x", false), 1_002],
    [
      "that begin within another message",
      Buffer.concat([clientFrame(textOpcode, "a", false), clientFrame(textOpcode, "b")]),
      1_002,
    ],
    ["that announce 2^62 bytes", Buffer.concat([Buffer.of(0x81, 0xff, 0x40), Buffer.alloc(11)]), 1_009],
    [
      "that are too long together",
      Buffer.concat([
        clientFrame(textOpcode, "x".repeat(600), false),
        clientFrame(continuation, "x".repeat(600)),
      ]),
      1_009,
    ],
  ])("%s end the connection with the right code", (_name, bytes, code) => {
    expect(readAll(bytes, 7, 1_000)).toEqual([{ kind: "fault", code, reason: expect.any(String) }]);
  });

  test("of a close give its code, and nothing behind it is read", () => {
    const bytes = Buffer.concat([clientFrame(close, Buffer.of(0x03, 0xe9)), clientFrame(textOpcode, "late")]);
    expect(readAll(bytes, 3)).toEqual([{ kind: "close", code: 1_001 }]);
    expect(readAll(clientFrame(close, ""), 1)).toEqual([{ kind: "close", code: 1_000 }]);
  });

  test("of a pong say nothing", () => {
    expect(readAll(clientFrame(pong, "hello"), 2)).toEqual([]);
  });
});

describe("frames of the server", () => {
  test.each([0, 125, 126, 65_535, 65_536])(
    "carry %i bytes with the length in its shortest form",
    (length) => {
      const frame = textFrame("x".repeat(length));
      const header = length < 126 ? 2 : length <= 65_535 ? 4 : 10;
      expect(frame.length).toBe(header + length);
      expect(frame[0]).toBe(0x81);
      expect(frame[1]).toBe(length < 126 ? length : length <= 65_535 ? 126 : 127);
    },
  );

  test("of control stay within 125 bytes", () => {
    expect(closeFrame(1_009, "x".repeat(500))).toHaveLength(2 + 125);
    expect(pongFrame(Buffer.from("hi"))).toEqual(Buffer.of(0x8a, 2, 0x68, 0x69));
  });
});
