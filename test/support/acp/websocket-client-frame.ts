/** A WebSocket frame as a client sends it: masked. */
import { randomBytes } from "node:crypto";

export function clientFrame(opcode: number, content: string | Uint8Array, final = true): Buffer {
  const payload = Buffer.from(content as string);
  const { length } = payload;
  const header = Buffer.alloc(length < 126 ? 2 : length <= 0xffff ? 4 : 10);
  header[0] = (final ? 0x80 : 0) | opcode;
  header[1] = 0x80 | (length < 126 ? length : length <= 0xffff ? 126 : 127);
  if (header.length === 4) header.writeUInt16BE(length, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomBytes(4);
  return Buffer.concat([header, mask, payload.map((byte, index) => byte ^ (mask[index & 3] ?? 0))]);
}
