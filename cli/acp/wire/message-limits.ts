/** Bounds of messages; apart from their reader, so that naming them loads no protocol library. */

/** Most UTF-16 units of one message (facts K: 16 Mi). */
export const messageCharacterLimit = 16_777_216;
/** Most bytes of one: no UTF-16 unit takes more than three bytes of UTF-8. */
export const messageByteLimit = 3 * messageCharacterLimit;
/** Most characters of a method name and of an id: both are repeated in answers. */
export const methodNameLimit = 256;
export const idLimit = 1_024;
/** Most unanswered requests of one connection. */
export const outstandingRequestLimit = 128;
