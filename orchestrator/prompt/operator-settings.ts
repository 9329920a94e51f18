/** Settings between Lisp and the session: which values are keywords, switches or texts. Pure. */
import { AutolithError } from "../contract/failure.ts";
import type { LispJson } from "../contract/lisp-image.ts";
import type { SettingRow, SettingValue } from "../contract/session/catalogs.ts";
import { absentSetting } from "../sessions/settings/absent-settings.ts";
import { settingDefinition } from "../sessions/settings/settings-table.ts";

/** Type and value as CONFIG reads them: `keyword` is interned, null is NIL. */
export function settingAnswer(
  rows: readonly SettingRow[],
  name: LispJson | undefined,
): readonly [type: string, value: LispJson] {
  const wanted = settingName(name);
  const row = rows.find((each) => each.name === wanted);
  if (row === undefined) throw unknownSetting(name);
  return answerOf(row);
}

function answerOf({ name, type, value }: SettingRow): readonly [type: string, value: LispJson] {
  // Efforts are texts everywhere else, roles and models included.
  return [type === "choice" && name !== "reasoning-effort" ? "keyword" : type, value];
}

/** Name, type and value of each setting. */
export function configurationRows(rows: readonly SettingRow[]): readonly LispJson[] {
  return rows.map((row) => [row.name, ...answerOf(row)]);
}

/** A native value as the setting takes it: T and NIL for switches, NIL for nothing chosen. */
export function nativeSettingValue(
  name: LispJson | undefined,
  value: LispJson,
): readonly [name: string, value: SettingValue] {
  const wanted = settingName(name);
  const definition = settingDefinition(wanted);
  if (definition === undefined) throw unknownSetting(name);
  if (value === false && definition.type !== "boolean") return [wanted, null];
  if (value !== null && typeof value === "object")
    throw new AutolithError(
      "configuration",
      `${wanted} takes a native value: t, nil, a number, a string or a keyword.`,
    );
  return [wanted, value];
}

function settingName(name: LispJson | undefined): string {
  return typeof name === "string" ? name.toLowerCase() : "";
}

function unknownSetting(name: LispJson | undefined): AutolithError {
  return (
    absentSetting(settingName(name)) ??
    new AutolithError(
      "unknown-setting",
      `There is no setting ${JSON.stringify(name)?.slice(0, 80)}; (settings) lists them.`,
    )
  );
}
