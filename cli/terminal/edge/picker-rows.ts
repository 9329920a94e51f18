/** What pickers list, from the session's catalogues. */
import type {
  ConversationRow,
  ModelRow,
  RecalledInput,
  SettingRow,
} from "../../../orchestrator/contract/session.ts";
import type { PickerRow } from "../screen/picker.ts";
import { conversationName } from "../screen/conversation-name.ts";
import { countText } from "../text/count-text.ts";

/** `now`, `5 min ago`, `3 h ago`, `2 d ago`, then the date. */
export function agoText(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 1_440) return `${Math.floor(minutes / 60)} h ago`;
  if (minutes < 14_400) return `${Math.floor(minutes / 1_440)} d ago`;
  return new Date(at).toISOString().slice(0, 10);
}

export function conversationRows(
  conversations: readonly ConversationRow[],
  now: number,
  current: string | undefined,
): readonly PickerRow[] {
  return conversations
    .filter(({ sessionId, userTurns }) => sessionId !== current && userTurns > 0)
    .map((row) => ({
      id: row.sessionId,
      label: row.title === "" ? conversationName(row.sessionId) : row.title,
      note: `${agoText(row.lastActivityAt, now)} · ${row.workingDirectory}${row.open ? " · open" : ""}`,
      search: `${conversationName(row.sessionId)} ${row.preview}`,
    }));
}

export function modelRows(models: readonly ModelRow[]): readonly PickerRow[] {
  return models.map(({ id, contextWindow, current }) => ({
    id,
    label: id,
    note: `${countText(contextWindow)} tokens${current ? " · current" : ""}`,
    search: "",
  }));
}

/** Newest first, the same text once. */
export function inputRows(inputs: readonly RecalledInput[], now: number): readonly PickerRow[] {
  const newest = new Map(inputs.map(({ text, at }) => [text, at]));
  return [...newest]
    .toSorted(([, one], [, other]) => other - one)
    .map(([text, at]) => ({ id: text, label: text, note: agoText(at, now), search: "" }));
}

export function settingRows(settings: readonly SettingRow[]): readonly PickerRow[] {
  return settings.map(({ name, value, source, description, group }) => ({
    id: name,
    label: `${name} = ${String(value)}`,
    note: `${source} · ${description}`,
    search: group,
  }));
}

/** The values of a setting that has a few; undefined when it is not settable or takes free text. */
export function settingValueRows(setting: SettingRow): readonly PickerRow[] | undefined {
  const values = setting.type === "boolean" ? ["true", "false"] : setting.choices;
  if (!setting.settable || values === undefined) return undefined;
  return values.map((value) => ({
    id: value,
    label: value,
    note: value === String(setting.value) ? "current" : "",
    search: "",
  }));
}
