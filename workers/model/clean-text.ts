import { repairJson, repairText } from "../../orchestrator/record/text-repair.ts";

/**
 * A request body as every server takes it: no lone surrogate (it has no UTF-8 form, and a request that holds one is
 * refused for ever) and no NUL, in any string or key, nor behind escapes inside the argument text of a call. Values
 * without them are not copied.
 */
export function cleanJson(value: unknown): unknown {
  if (typeof value === "string") return repairText(value);
  if (Array.isArray(value)) return cleanArray(value);
  if (typeof value === "object" && value !== null) return cleanObject(value);
  return value;
}

function cleanArray(values: readonly unknown[]): readonly unknown[] {
  const cleaned = values.map(cleanJson);
  return cleaned.every((item, index) => item === values[index]) ? values : cleaned;
}

function cleanObject(value: object): object {
  let changed = false;
  const entries = Object.entries(value).map(([key, item]: [string, unknown]) => {
    const isArgumentText = key === "arguments" && typeof item === "string";
    const entry = [repairText(key), isArgumentText ? repairJson(item) : cleanJson(item)] as const;
    changed ||= entry[0] !== key || entry[1] !== item;
    return entry;
  });
  return changed ? Object.fromEntries(entries) : value;
}
