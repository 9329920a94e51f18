/** A WebSocket connection of a client: the answer to its upgrade, and its messages as frames. */
import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { FrameChannel } from "../wire/frame-stream.ts";
import type { Frame } from "../wire/line-frames.ts";
import { messageByteLimit } from "../wire/message-limits.ts";
import { writeWhenTaken } from "../wire/writing.ts";
import { WebSocketReader, closeCodes, closeFrame, pongFrame, textFrame } from "./websocket-frames.ts";

/** The suffix of RFC 6455. */
const acceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Why an upgrade is no WebSocket handshake; undefined when it is one. */
export function handshakeProblem({
  method,
  headers,
}: Pick<IncomingMessage, "method" | "headers">): string | undefined {
  if (method !== "GET" || headers.upgrade?.toLowerCase() !== "websocket")
    return "an upgrade is a GET to websocket";
  if (headers["sec-websocket-version"] !== "13") return "Sec-WebSocket-Version must be 13";
  const key = headers["sec-websocket-key"] ?? "";
  return Buffer.from(key, "base64").length === 16
    ? undefined
    : "Sec-WebSocket-Key must be 16 bytes in base64";
}

/** Accepts the handshake and makes the channel. `head` are bytes that came behind the request. */
export function acceptWebSocket(request: IncomingMessage, socket: Duplex, head: Uint8Array): FrameChannel {
  const key = request.headers["sec-websocket-key"] ?? "";
  const accept = createHash("sha1")
    .update(key + acceptSuffix)
    .digest("base64");
  socket.on("error", () => undefined);
  socket.write(
    [
      "HTTP/1.1 101 Switching Protocols",
      "Upgrade: websocket",
      "Connection: Upgrade",
      `Sec-WebSocket-Accept: ${accept}`,
      `Acp-Connection-Id: ${randomUUID()}`,
      "\r\n",
    ].join("\r\n"),
  );
  if (head.length > 0) socket.unshift(head);
  return {
    frames: () => messages(socket),
    send: (text) => writeWhenTaken(socket, textFrame(text)),
    close: () => end(socket, closeCodes.normal, ""),
  };
}

async function* messages(socket: Duplex): AsyncGenerator<Frame> {
  const reader = new WebSocketReader(messageByteLimit);
  for await (const chunk of socket) {
    for (const event of reader.push(chunk as Uint8Array)) {
      switch (event.kind) {
        case "text":
          yield { kind: "bytes", bytes: event.bytes };
          break;
        case "ping":
          await writeWhenTaken(socket, pongFrame(event.payload));
          break;
        case "close":
          end(socket, event.code, "");
          return;
        case "fault":
          end(socket, event.code, event.reason);
          return;
      }
    }
  }
}

function end(socket: Duplex, code: number, reason: string): void {
  if (socket.destroyed || socket.writableEnded) return;
  // Codes that only a program may see are not sent (RFC 6455, 7.4.1).
  const sendable = code >= 1_000 && code < 5_000 && ![1_004, 1_005, 1_006, 1_015].includes(code);
  socket.end(closeFrame(sendable ? code : closeCodes.protocol, reason));
}
