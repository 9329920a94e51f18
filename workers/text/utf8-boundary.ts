/** Bytes at the start of `bytes` that continue a character begun before it (at most 3). */
export function leadingContinuation(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && count < bytes.length && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  // Four and more continuation bytes in a row are no UTF-8: then nothing is cut off.
  return count < bytes.length && ((bytes[count] ?? 0) & 0xc0) === 0x80 ? 0 : count;
}

/** Bytes at the end of `bytes` that begin a character which is not complete (at most 3). */
export function trailingIncomplete(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
}
