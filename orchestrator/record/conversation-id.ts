import { type ConversationId, conversationIdSchema } from "../contract/identifiers.ts";

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const length = 7;

/** First instant (epoch ms) that seven Base58 characters cannot hold: in December 2039. */
export const conversationIdHorizonAt = alphabet.length ** length;

/**
 * The conversation id of an instant in epoch milliseconds: seven Base58 characters, which sort as time does. Two
 * conversations of one millisecond need different instants; the store steps on until an id is free.
 *
 * @throws RangeError outside 0 … `conversationIdHorizonAt` − 1.
 */
export function conversationIdAt(instantAt: number): ConversationId {
  if (!Number.isSafeInteger(instantAt) || instantAt < 0 || instantAt >= conversationIdHorizonAt) {
    throw new RangeError(
      `a conversation id holds instants from 0 to ${conversationIdHorizonAt - 1}, got ${instantAt}`,
    );
  }
  let rest = instantAt;
  let text = "";
  for (let place = 0; place < length; place += 1) {
    text = (alphabet[rest % alphabet.length] ?? "") + text;
    rest = Math.floor(rest / alphabet.length);
  }
  return conversationIdSchema.parse(text);
}

/** How an id is shown to people: a hyphen after the first of seven characters. Ids of children are shown as they are. */
export function displayConversationId(id: ConversationId): string {
  return id.length === length ? `${id.slice(0, 1)}-${id.slice(1)}` : id;
}

/** The id that a person wrote, with or without the hyphen; undefined when it is none. Case matters. */
export function parseConversationId(text: string): ConversationId | undefined {
  const compact = text.length === length + 1 && text[1] === "-" ? text[0] + text.slice(2) : text;
  const parsed = conversationIdSchema.safeParse(compact);
  return parsed.success ? parsed.data : undefined;
}
