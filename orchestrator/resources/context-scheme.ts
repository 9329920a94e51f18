/** The scheme `context:<sha256>`: the whole of a tool result that was too long to show, in windows of bytes. */
import { defaultOverflowLimits } from "../record/overflow-retention.ts";
import { OverflowStore } from "../record/overflow-store.ts";
import { ResourceError, type ResourceScheme, refuseOthers } from "./resource-scheme.ts";

const dayMs = 24 * 3_600_000;

/** Bytes of one window (facts E), and the default. */
export const windowLimitBytes = 4_096;

/** Reads what {@link OverflowStore} keeps. Whoever knows a digest has seen the result it names. */
export function contextScheme(store: OverflowStore): ResourceScheme {
  return {
    scheme: "context",
    read: async (request) => {
      refuseOthers(request, ["byte-offset", "byte-count"]);
      const offset = request["byte-offset"] ?? 0;
      const window = await store.read(request.uri, offset, request["byte-count"] ?? windowLimitBytes);
      if (window === undefined)
        throw new ResourceError(
          "not-found",
          `Nothing is kept under ${request.uri}; texts go after ${defaultOverflowLimits.ageMs / dayMs} days without use, or earlier for want of room.`,
        );
      const end = offset + window.bytes.length;
      const more = end < window.total ? `\n[more: byte-offset ${end}]` : "";
      return {
        status: "ok",
        content: `${request.uri} · bytes ${offset}-${end} of ${window.total}\n${new TextDecoder().decode(window.bytes)}${more}`,
      };
    },
  };
}
