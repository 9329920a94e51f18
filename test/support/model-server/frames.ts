/** What is sent for an answer: SSE frames, and how the connection ends. */
export interface FramePlan {
  readonly frames: readonly Frame[];
  readonly end: "done" | "close" | "reset" | "stall";
}

/** One SSE frame; `data` is sent as JSON unless it is a string. */
export interface Frame {
  readonly event?: string;
  readonly data: unknown;
}

/** The text of a frame on the wire. */
export function frameText(frame: Frame): string {
  const data = typeof frame.data === "string" ? frame.data : JSON.stringify(frame.data);
  return `${frame.event === undefined ? "" : `event: ${frame.event}\n`}data: ${data}\n\n`;
}
