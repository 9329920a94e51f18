/** Values of settings: as text of people and the environment, as data forms of the preferences, and whether they are allowed. Pure. */
import { type DataForm, Keyword, keyword } from "../../../lisp/data-forms/index.ts";
import { AutolithError } from "../../contract/failure.ts";
import type { SettingValue } from "../../contract/session/catalogs.ts";
import type { SettingDefinition } from "./settings-table.ts";

const yes = ["1", "true", "yes", "on", "t"];
const no = ["0", "false", "no", "off", "nil"];

/** The value that a text stands for. Throws `configuration` naming the setting, what was expected and what came. */
export function settingFromText(definition: SettingDefinition, text: string): SettingValue {
  const word = text.trim();
  const lower = word.toLowerCase();
  switch (definition.type) {
    case "boolean":
      if (yes.includes(lower)) return true;
      if (no.includes(lower)) return false;
      throw refused(definition, "1, true, yes, on, t, or 0, false, no, off, nil", text);
    case "integer":
    case "number":
      return checkedSetting(definition, word === "" ? Number.NaN : Number(word));
    case "choice":
      if (definition.optional === true && ["nil", "none", ""].includes(lower)) return null;
      return checkedSetting(definition, lower.replace(/^:/, ""));
    case "string":
    case "path":
      return checkedSetting(definition, word.replace(/^"(.*)"$/s, "$1"));
  }
}

/** The value, when the setting may have it. Throws `configuration` otherwise. */
export function checkedSetting(definition: SettingDefinition, value: SettingValue): SettingValue {
  const { type, choices, minimum, maximum } = definition;
  if (value === null && definition.optional === true) return null;
  switch (type) {
    case "boolean":
      if (typeof value === "boolean") return value;
      throw refused(definition, "true or false", value);
    case "integer":
    case "number":
      if (
        typeof value === "number" &&
        Number.isFinite(value) &&
        (type === "number" || Number.isInteger(value)) &&
        value >= (minimum ?? value) &&
        value <= (maximum ?? value)
      )
        return value;
      throw refused(definition, `${type} from ${minimum ?? "any"} to ${maximum ?? "any"}`, value);
    case "choice":
      if (typeof value === "string" && choices?.includes(value) === true) return value;
      throw refused(definition, `one of ${(choices ?? []).join(", ")}`, value);
    case "string":
    case "path":
      if (typeof value === "string" && value !== "" && value.length <= 4_096) return value;
      throw refused(definition, "a text of 1 to 4096 characters", value);
  }
}

function refused({ name }: SettingDefinition, expected: string, value: unknown): AutolithError {
  const got = JSON.stringify(value)?.slice(0, 100) ?? "nothing";
  return new AutolithError("configuration", `${name} is ${expected}, not ${got}.`);
}

/** The form that the preferences keep. */
export function settingToForm({ type }: SettingDefinition, value: SettingValue): DataForm {
  if (value === null) return false;
  return type === "choice" && typeof value === "string" ? keyword(value) : value;
}

/** The value that a form of the preferences stands for; undefined when it is none that the setting may have. */
export function settingFromForm(definition: SettingDefinition, form: DataForm): SettingValue | undefined {
  const value = form instanceof Keyword ? form.name.toLowerCase() : form;
  if (typeof value === "object") return undefined;
  const candidate = value === false && definition.type !== "boolean" ? null : value;
  try {
    return checkedSetting(definition, candidate as SettingValue);
  } catch (error) {
    if (error instanceof AutolithError) return undefined;
    throw error;
  }
}

/** As people read it. */
export function settingText(value: SettingValue): string {
  if (value === null) return "nil";
  if (typeof value === "boolean") return value ? "t" : "nil";
  return String(value);
}
