/**
 * The values of settings: this session's → explicit (command line) → environment → saved → default. Durable ones are saved at once for future
 * sessions; keys of the preferences that this version does not know stay as they are.
 */
import { AutolithError } from "../../contract/failure.ts";
import type { SettingRow, SettingSource, SettingValue } from "../../contract/session/catalogs.ts";
import { readPreferences, writePreference } from "../../settings/preferences.ts";
import { absentSetting, withoutEffect } from "./absent-settings.ts";
import { checkedSetting, settingFromForm, settingFromText, settingToForm } from "./setting-values.ts";
import {
  type SettingDefinition,
  type SettingName,
  settingDefinition,
  settingDefinitions,
} from "./settings-table.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A value, and where it came from. */
export type SettingInForce = { readonly value: SettingValue; readonly source: SettingSource };

/** Host-wide: what the environment, the command line and the preferences say. */
export class SettingsStore {
  readonly #path: string;
  readonly #explicit: ReadonlyMap<string, SettingValue>;
  readonly #environment: ReadonlyMap<string, SettingValue>;
  readonly #saved: Map<string, SettingValue>;
  readonly #fixed: ReadonlyMap<string, SettingInForce>;

  private constructor(sources: {
    readonly path: string;
    readonly explicit: ReadonlyMap<string, SettingValue>;
    readonly environment: ReadonlyMap<string, SettingValue>;
    readonly saved: Map<string, SettingValue>;
    readonly fixed: ReadonlyMap<string, SettingInForce>;
  }) {
    this.#path = sources.path;
    this.#explicit = sources.explicit;
    this.#environment = sources.environment;
    this.#saved = sources.saved;
    this.#fixed = sources.fixed;
  }

  /**
   * Reads everything. Rejects with `configuration` for a value of the environment or command line that is not allowed. Saved values that are
   * not are dropped; preferences that cannot be read are told to `report` and count as empty.
   */
  static async open(options: {
    readonly path: string;
    readonly environment: Environment;
    readonly explicit: Readonly<Partial<Record<SettingName, string>>>;
    /** What the host decided at its start, such as its places. */
    readonly fixed?: Readonly<Partial<Record<SettingName, SettingInForce>>>;
    /** False for a model that nothing here could serve: a saved one is dropped, an explicit one refused. */
    readonly knowsModel?: (id: string) => boolean;
    readonly report: (error: unknown) => void;
  }): Promise<SettingsStore> {
    const explicit = new Map<string, SettingValue>();
    const environment = new Map<string, SettingValue>();
    const saved = new Map<string, SettingValue>();
    const preferences = await readPreferences(options.path).catch((error: unknown) => {
      options.report(error);
      return new Map<string, never>();
    });
    for (const definition of settingDefinitions as readonly SettingDefinition[]) {
      const chosen = options.explicit[definition.name as SettingName];
      if (chosen !== undefined) explicit.set(definition.name, settingFromText(definition, chosen));
      // What the host decided is not read a second time.
      const isFixed = options.fixed?.[definition.name as SettingName] !== undefined;
      const text =
        definition.environment === undefined || isFixed
          ? undefined
          : options.environment[definition.environment]?.trim();
      if (text !== undefined && text !== "")
        environment.set(definition.name, settingFromText(definition, text));
      const form = preferences.get(definition.name.toUpperCase());
      const value =
        form === undefined || definition.scope !== "durable" ? undefined : settingFromForm(definition, form);
      if (value !== undefined) saved.set(definition.name, value);
    }
    const store = new SettingsStore({
      path: options.path,
      explicit,
      environment,
      saved,
      fixed: new Map(Object.entries(options.fixed ?? {})),
    });
    if (options.knowsModel !== undefined) store.#checkModel(options.knowsModel, options.report);
    return store;
  }

  #checkModel(knows: (id: string) => boolean, report: (error: unknown) => void): void {
    const definition = settingDefinition("model");
    if (definition === undefined) return;
    const { value, source } = this.value(definition);
    if (knows(String(value)) || source === "default") return;
    const problem = new AutolithError(
      "configuration",
      `The model ${String(value)} (${source}) is served by no provider that is configured here.`,
    );
    if (source !== "saved") throw problem;
    this.#saved.delete("model");
    report(problem);
  }

  /** The value in force where a session has chosen none. */
  value(definition: SettingDefinition): SettingInForce {
    const { name } = definition;
    const fixed = this.#fixed.get(name);
    if (fixed !== undefined) return fixed;
    const explicit = this.#explicit.get(name);
    if (explicit !== undefined) return { value: explicit, source: "explicit" };
    const environment = this.#environment.get(name);
    if (environment !== undefined) return { value: environment, source: "environment" };
    const saved = this.#saved.get(name);
    if (saved !== undefined) return { value: saved, source: "saved" };
    return { value: definition.initial, source: definition.scope === "derived" ? "derived" : "default" };
  }

  /** Saves a durable value. */
  async save(definition: SettingDefinition, value: SettingValue): Promise<void> {
    await writePreference(this.#path, definition.name, settingToForm(definition, value));
    this.#saved.set(definition.name, value);
  }
}

/** The settings of one session. */
export class SessionSettings {
  readonly #store: SettingsStore;
  readonly #own = new Map<string, SettingValue>();

  constructor(store: SettingsStore) {
    this.#store = store;
  }

  rows(): readonly SettingRow[] {
    return (settingDefinitions as readonly SettingDefinition[]).map((definition) => this.#row(definition));
  }

  /** The row of a setting. Throws `unknown-setting`. */
  row(name: string): SettingRow {
    return this.#row(definitionOf(name));
  }

  boolean(name: SettingName): boolean {
    return this.row(name).value === true;
  }

  number(name: SettingName): number {
    return Number(this.row(name).value);
  }

  text(name: SettingName): string {
    return String(this.row(name).value ?? "");
  }

  /** A value for this session alone. */
  choose(name: SettingName, value: SettingValue): void {
    this.#own.set(name, checkedSetting(definitionOf(name), value));
  }

  /** Sets it, and saves it when it is durable. Rejects with `unknown-setting`, `configuration` (also for what cannot be set here). */
  async set(name: string, value: SettingValue): Promise<SettingRow> {
    const definition = definitionOf(name);
    if (definition.scope === "process" || definition.scope === "derived")
      throw new AutolithError(
        "configuration",
        definition.scope === "derived"
          ? `${definition.name} follows the model and cannot be set.`
          : `${definition.name} is fixed at the start${definition.environment === undefined ? "" : `; set ${definition.environment}`}.`,
      );
    if (definition.environmentDecides === true && this.#store.value(definition).source === "environment")
      throw new AutolithError(
        "configuration",
        `${definition.name} cannot be changed while ${definition.environment ?? "its variable"} is set.`,
      );
    const nothing = withoutEffect.get(definition.name);
    if (nothing !== undefined)
      throw new AutolithError("unsupported", `${definition.name} cannot be set in this version: ${nothing}.`);
    const checked = checkedSetting(definition, value);
    if (definition.scope === "durable") await this.#store.save(definition, checked);
    this.#own.set(definition.name, checked);
    return this.#row(definition);
  }

  #row(definition: SettingDefinition): SettingRow {
    const { initial: _, optional: __, environmentDecides: ___, ...shown } = definition;
    const own = this.#own.get(definition.name);
    const { value, source } =
      own === undefined ? this.#store.value(definition) : { value: own, source: "this session" as const };
    return {
      ...shown,
      value,
      source,
      settable:
        (definition.scope === "durable" || definition.scope === "session") &&
        !withoutEffect.has(definition.name),
    };
  }
}

/** The refusal of a name that is no setting: `unknown-setting`, or `unsupported` for one of a part that is not here. */
export function unknownSetting(name: string): AutolithError {
  const known = settingDefinitions.map((each) => each.name).join(", ");
  return (
    absentSetting(name) ??
    new AutolithError(
      "unknown-setting",
      `There is no setting ${JSON.stringify(name.slice(0, 100))}. Known: ${known}.`,
    )
  );
}

function definitionOf(name: string): SettingDefinition {
  const definition = settingDefinition(name);
  if (definition !== undefined) return definition;
  throw unknownSetting(name);
}
