/**
 * The values of settings: this session's → explicit (command line) → environment → saved → default. Durable ones are saved at once for future
 * sessions, of this host and of others; a session keeps those that were saved when it opened. Keys of the preferences that this version does
 * not know stay as they are.
 */
import { AutolithError, failureOf } from "../../contract/failure.ts";
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

/** Durable values by the names of their settings. */
type SavedValues = ReadonlyMap<string, SettingValue>;

/** A value, and where it came from. */
export type SettingInForce = { readonly value: SettingValue; readonly source: SettingSource };

/** Host-wide: what the environment, the command line and the preferences say. */
export class SettingsStore {
  readonly #options: SettingsStoreOptions;
  readonly #explicit: ReadonlyMap<string, SettingValue>;
  readonly #environment: ReadonlyMap<string, SettingValue>;
  readonly #fixed: ReadonlyMap<string, SettingInForce>;
  /** What was read last: what counts while the preferences cannot be read. */
  #saved: SavedValues = new Map();
  /** What was told last of them: the same thing is told once. */
  #told = "";

  private constructor(
    options: SettingsStoreOptions,
    explicit: ReadonlyMap<string, SettingValue>,
    environment: ReadonlyMap<string, SettingValue>,
  ) {
    this.#options = options;
    this.#explicit = explicit;
    this.#environment = environment;
    this.#fixed = new Map(Object.entries(options.fixed ?? {}));
  }

  /**
   * Reads everything. Rejects with `configuration` for a value of the environment or command line that is not allowed. Saved values that are
   * not are dropped; preferences that cannot be read are told to `report` and count as empty.
   */
  static async open(options: SettingsStoreOptions): Promise<SettingsStore> {
    const explicit = new Map<string, SettingValue>();
    const environment = new Map<string, SettingValue>();
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
    }
    const store = new SettingsStore(options, explicit, environment);
    store.#checkModel();
    await store.#read();
    return store;
  }

  /** The settings of a session that opens now: with the durable values that this host or another one has saved by now. */
  async forSession(): Promise<SessionSettings> {
    return new SessionSettings(this, await this.#read());
  }

  /** The durable values of the file; those of the last reading while it cannot be read. */
  async #read(): Promise<SavedValues> {
    try {
      const preferences = await readPreferences(this.#options.path);
      const saved = new Map<string, SettingValue>();
      for (const definition of settingDefinitions as readonly SettingDefinition[]) {
        const form = preferences.get(definition.name.toUpperCase());
        const value =
          form === undefined || definition.scope !== "durable"
            ? undefined
            : settingFromForm(definition, form);
        if (value !== undefined) saved.set(definition.name, value);
      }
      this.#dropUnknownModel(saved);
      this.#saved = saved;
    } catch (error) {
      this.#tell(error);
    }
    return this.#saved;
  }

  /** Refuses a model of the command line or of the environment that no provider serves. */
  #checkModel(): void {
    const value = this.#explicit.get("model") ?? this.#environment.get("model");
    if (value !== undefined && !this.#knowsModel(value))
      throw unservedModel(value, this.#explicit.has("model") ? "explicit" : "environment");
  }

  #dropUnknownModel(saved: Map<string, SettingValue>): void {
    const value = saved.get("model");
    if (value === undefined || this.#explicit.has("model") || this.#environment.has("model")) return;
    if (this.#knowsModel(value)) return;
    saved.delete("model");
    this.#tell(unservedModel(value, "saved"));
  }

  #knowsModel(value: SettingValue): boolean {
    return this.#options.knowsModel?.(String(value)) ?? true;
  }

  #tell(error: unknown): void {
    const { message } = failureOf(error);
    if (message === this.#told) return;
    this.#told = message;
    this.#options.report(error);
  }

  /** The value in force where a session has chosen none; `saved` is what was saved when it opened. */
  value(definition: SettingDefinition, saved: SavedValues): SettingInForce {
    const { name } = definition;
    const fixed = this.#fixed.get(name);
    if (fixed !== undefined) return fixed;
    const explicit = this.#explicit.get(name);
    if (explicit !== undefined) return { value: explicit, source: "explicit" };
    const environment = this.#environment.get(name);
    if (environment !== undefined) return { value: environment, source: "environment" };
    const value = saved.get(name);
    if (value !== undefined) return { value, source: "saved" };
    return { value: definition.initial, source: definition.scope === "derived" ? "derived" : "default" };
  }

  /** Saves a durable value for the sessions that open from now on. */
  async save(definition: SettingDefinition, value: SettingValue): Promise<void> {
    await writePreference(this.#options.path, definition.name, settingToForm(definition, value));
  }
}

export type SettingsStoreOptions = {
  readonly path: string;
  readonly environment: Environment;
  readonly explicit: Readonly<Partial<Record<SettingName, string>>>;
  /** What the host decided at its start, such as its places. */
  readonly fixed?: Readonly<Partial<Record<SettingName, SettingInForce>>>;
  /** False for a model that nothing here could serve: a saved one is dropped, an explicit one refused. */
  readonly knowsModel?: (id: string) => boolean;
  readonly report: (error: unknown) => void;
};

function unservedModel(value: SettingValue, source: SettingSource): AutolithError {
  return new AutolithError(
    "configuration",
    `The model ${String(value)} (${source}) is served by no provider that is configured here.`,
  );
}

/** The settings of one session. What other sessions save does not reach it. */
export class SessionSettings {
  readonly #store: SettingsStore;
  readonly #saved: SavedValues;
  readonly #own = new Map<string, SettingValue>();

  /** `saved`: the durable values when the session opened; see {@link SettingsStore.forSession}. */
  constructor(store: SettingsStore, saved: SavedValues) {
    this.#store = store;
    this.#saved = saved;
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
    if (
      definition.environmentDecides === true &&
      this.#store.value(definition, this.#saved).source === "environment"
    )
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
      own === undefined
        ? this.#store.value(definition, this.#saved)
        : { value: own, source: "this session" as const };
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
