/** Checksum of a text behind another one (FNV-1a). */
export function checksum(text: string, before: number): number {
  let sum = before === 0 ? 0x811c9dc5 : before;
  for (let at = 0; at < text.length; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum;
}
