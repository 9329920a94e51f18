/** Bounds of the network port; apart from it, so that listing them loads no protocol library. */

/** Most connections of the port. */
export const networkConnectionLimit = 256;
/** Characters that are held for one HTTP client which does not read. */
export const httpBufferLimit = 8_388_608;
/** Time after which an HTTP client that reads nothing of them is let go, in milliseconds. */
export const httpStallMs = 60_000;
/** Sessions of one HTTP client whose streams it did not open. */
export const httpUnopenedStreamLimit = 64;
