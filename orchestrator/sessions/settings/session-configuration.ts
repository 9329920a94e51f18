/** Settings and models as one session sees and changes them. */
import type { PermissionMode } from "../../contract/permissions.ts";
import type { ModelRow, SettingRow, SettingValue } from "../../contract/session/catalogs.ts";
import type { SessionCore } from "../session-core.ts";
import { sessionRecords } from "../view/session-records.ts";
import { reachableModel } from "./model-choice.ts";

export class SessionConfiguration {
  readonly #core: SessionCore;
  readonly #changed: () => void;

  /** `changed` is told when model or effort are others: in force from the next request on. */
  constructor(core: SessionCore, changed: () => void) {
    this.#core = core;
    this.#changed = changed;
  }

  rows(): readonly SettingRow[] {
    const follows = new Map<string, SettingValue>([
      ["context-window", this.#core.contextWindow],
      ["working-directory", this.#core.workingDirectory],
      ["provider-endpoint", this.#endpoint()],
    ]);
    return this.#core.settings
      .rows()
      .map((row) => (follows.has(row.name) ? { ...row, value: follows.get(row.name) ?? null } : row));
  }

  async set(name: string, value: SettingValue): Promise<SettingRow> {
    const bare = name.replace(/^:/, "").toLowerCase();
    if (bare === "model") reachableModel(this.#core.environment, value);
    const row = await this.#core.settings.set(bare, value);
    if (bare === "model") this.#fitEffort();
    if (bare === "model" || bare === "reasoning-effort") await this.#configured();
    this.#core.invalidate("settings", ...(bare === "model" ? (["models"] as const) : []));
    return row;
  }

  /** Approvals of the session are forgotten, and what waits for an answer is cancelled. */
  async setMode(mode: PermissionMode): Promise<void> {
    const core = this.#core;
    core.mode = mode;
    core.broker.clear();
    await core.note(sessionRecords.mode, { mode });
    core.update({ type: "mode", mode, at: core.environment.now() });
    core.emit({ kind: "state" });
  }

  /** The models that can be chosen; the one in force is among them even when no catalogue knows it. */
  models(): readonly ModelRow[] {
    const current = this.#core.model;
    const listed = this.#core.environment.listModels();
    const rows = listed.map((model) => ({ ...model, current: model.id === current }));
    if (rows.some((row) => row.current)) return rows;
    const [provider = "", ...rest] = current.split("/");
    const contextWindow = this.#core.contextWindow;
    return [
      { id: current, provider, name: rest.join("/"), contextWindow, reasoningEfforts: [], current: true },
      ...rows,
    ];
  }

  /** An effort that the model in force does not take gives way to its first one, in this session. */
  #fitEffort(): void {
    const { settings, environment, model } = this.#core;
    const efforts = environment.listModels().find(({ id }) => id === model)?.reasoningEfforts ?? [];
    const [first] = efforts;
    if (first !== undefined && !efforts.includes(settings.text("reasoning-effort")))
      settings.choose("reasoning-effort", first);
  }

  /** Where the model is asked, without what a URL may carry besides its place; null when it is the provider's own or not known. */
  #endpoint(): string | null {
    try {
      const { source } = this.#core.environment.models.reach(this.#core.model);
      if (source.kind !== "live" || source.endpoint.baseUrl === undefined) return null;
      const { origin, pathname } = new URL(source.endpoint.baseUrl);
      return `${origin}${pathname}`;
    } catch {
      // A model that cannot be reached has no place; asking it says why.
      return null;
    }
  }

  async #configured(): Promise<void> {
    await this.#core.log.append({
      kind: "configuration",
      model: this.#core.model,
      reasoningEffort: this.#core.settings.text("reasoning-effort"),
    });
    this.#changed();
  }
}
