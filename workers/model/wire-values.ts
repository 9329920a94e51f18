/** Reading values that came from a server: nothing about their shape is taken for granted. */

import { parseForeignJson } from "../../orchestrator/contract/json-nesting.ts";
import type { ModelImage } from "../../orchestrator/contract/model.ts";

/** A JSON object as it arrived. */
export type WireObject = Readonly<Record<string, unknown>>;

/** The value as an object, or undefined. */
export function objectOf(value: unknown): WireObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as WireObject)
    : undefined;
}

/** The value as an array; anything else is an empty one. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of an array; anything else is left out. */
export function objectsOf(value: unknown): readonly WireObject[] {
  return arrayOf(value)
    .map(objectOf)
    .filter((item) => item !== undefined);
}

/** The value as text, or undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The value as a token counter: a whole number from 0, or undefined. */
export function counterOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The object in a JSON text; undefined when the text is no JSON or something else. */
export function objectIn(json: string): WireObject | undefined {
  try {
    return objectOf(parseForeignJson(json));
  } catch {
    return undefined;
  }
}

/** An image as a data URL. */
export function dataUrl({ mimeType, data }: ModelImage): string {
  return `data:${mimeType};base64,${data}`;
}
