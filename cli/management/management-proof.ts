/** The challenge of the management REPL: a fresh nonce, and HMAC-SHA-256 of it under the token of a private file (manual). */
import { createHmac, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { type DataForm, PlistReader, keyword, listElements } from "../../lisp/data-forms/index.ts";
import { AutolithError } from "../../orchestrator/contract/failure.ts";
import { errnoOf } from "../../orchestrator/record/failure.ts";
import { sameSecret } from "../acp/secret-comparison.ts";

/** Most bytes of a token file. */
export const tokenFileByteLimit = 4_096;

/** A nonce for one connection: 32 random bytes as 64 lower-case hexadecimal digits. */
export function freshNonce(): string {
  return randomBytes(32).toString("hex");
}

export function challengeForm(nonce: string): DataForm {
  return [
    keyword("challenge"),
    ...[keyword("version"), 1],
    ...[keyword("algorithm"), keyword("hmac-sha-256")],
    ...[keyword("nonce"), nonce],
  ];
}

/** What a client answers to `nonce`, in hexadecimal: the nonce's bytes are signed, not its digits. */
export function proofOf(token: Uint8Array, nonce: string): string {
  return createHmac("sha256", token).update(Buffer.from(nonce, "hex")).digest("hex");
}

/** The proof in `(:authenticate :proof HEX)`; undefined for any other form. */
export function proofIn(form: DataForm): string | undefined {
  const elements = listElements(form) ?? [];
  if (elements[0] !== keyword("authenticate")) return undefined;
  try {
    const reader = new PlistReader(elements, 1, { what: "an authentication", keys: ["proof"] });
    return reader.string("proof", { minCharacters: 64, maxCharacters: 64 }).toLowerCase();
  } catch {
    return undefined;
  }
}

/**
 * True for the proof that the token of `tokenFile` gives. The file is opened only now, without following a symbolic link, and its bytes are
 * wiped afterwards. Rejects with `management-token` for a file that is not a private one of ours.
 */
export async function isProven(proof: string, nonce: string, tokenFile: string): Promise<boolean> {
  const token = await readToken(tokenFile);
  try {
    const isWhole = sameSecret(proof, proofOf(token, nonce));
    const isLine = sameSecret(proof, proofOf(lineOf(token), nonce));
    return isWhole || isLine;
  } finally {
    token.fill(0);
  }
}

/** The token without the newline that editors put behind it: a client may read the file either way. */
function lineOf(token: Uint8Array): Uint8Array {
  if (token.at(-1) !== 0x0a || token.length === 1) return token;
  return token.subarray(0, token.at(-2) === 0x0d && token.length > 2 ? -2 : -1);
}

async function readToken(path: string): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    throw tokenError(path, errnoOf(error) ?? String(error));
  });
  try {
    const { uid, mode, size } = await file.stat().then((found) => {
      if (!found.isFile()) throw tokenError(path, "it is no regular file");
      return found;
    });
    if (process.getuid !== undefined && uid !== process.getuid())
      throw tokenError(path, `it belongs to user ${uid}`);
    if ((mode & 0o777) !== 0o600) throw tokenError(path, `its mode is ${(mode & 0o777).toString(8)}`);
    if (size > tokenFileByteLimit)
      throw tokenError(path, `it has ${size} bytes, more than ${tokenFileByteLimit}`);
    const token = await file.readFile();
    if (token.length === 0) throw tokenError(path, "it is empty");
    return token;
  } finally {
    await file.close();
  }
}

function tokenError(path: string, reason: string): AutolithError {
  return new AutolithError(
    "management-token",
    `The management token ${path} must be a regular file of yours with mode 600 that is not empty: ${reason}.`,
  );
}
