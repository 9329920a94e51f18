import { createHash } from "node:crypto";
import { eventLimits } from "./event-vocabulary.ts";

/** A provider's call id as events show it: the same within a run, unlinkable between runs. Lower-case hexadecimal. */
export function eventCallId(runId: string, providerCallId: string): string {
  return createHash("sha256").update(`${runId}:${providerCallId}`).digest("hex");
}

/** A registered tool's name; whatever else a model called is `unknown`, so that its words do not reach the stream. */
export function eventToolName(name: string, isRegistered: (name: string) => boolean): string {
  return isRegistered(name) ? name : "unknown";
}

/**
 * `workspace:` and the percent-encoded native path of a published file. It names a place; it permits nothing.
 * `undefined` for a path so long that its URI exceeds what an event may hold: the record then goes without it.
 */
export function publishedFileUri(path: string): string | undefined {
  const uri = `workspace:${path.split("/").map(encodeSegment).join("/")}`;
  return uri.length <= eventLimits.maxStringCharacters ? uri : undefined;
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
