/** Bounds of the network port; apart from it, so that listing them loads no protocol library. */

/** Most connections of the port. */
export const networkConnectionLimit = 256;
/** Characters that are held for one HTTP client which does not read. */
export const httpBufferLimit = 8_388_608;
/** Time after which an HTTP client that reads nothing of them is let go, in milliseconds. */
export const httpStallMs = 60_000;
/** Sessions of one HTTP client whose streams it did not open. */
export const httpUnopenedStreamLimit = 64;
/** Most HTTP clients at once. */
export const httpClientLimit = 64;
/** Time without an open request after which an HTTP client is taken to be gone, in milliseconds. */
export const httpGoneMs = 120_000;
/** Requests that one HTTP/2 connection may have open. */
export const http2StreamLimit = 128;
