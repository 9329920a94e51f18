/** Compares secrets in a time that tells nothing of them. */
import { createHash, timingSafeEqual } from "node:crypto";

/** True when both are the same; takes the same time whatever differs. */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
