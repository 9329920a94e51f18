/** Commands that show and change settings: the general one, and a short one for each that people change often. */
import type { Command, CommandContext } from "./command.ts";
import { said } from "./command.ts";
import { slashWords } from "./slash-words.ts";
import type { SettingRow } from "../../contract/session/catalogs.ts";
import { settingFromText, settingText } from "../settings/setting-values.ts";
import { unknownSetting } from "../settings/settings-store.ts";
import { type SettingName, settingDefinition } from "../settings/settings-table.ts";
import { AutolithError, failureOf } from "../../contract/failure.ts";
import type { SessionEnvironment } from "../session-environment.ts";

/** `/trace`, `/trace on`: one boolean setting. */
function toggle(
  name: string,
  setting: SettingName,
  summary: string,
  topic: Command["topic"] = "display",
): Command {
  return {
    name,
    busy: "apply",
    topic,
    summary,
    arguments: "[on|off]",
    maxWords: 1,
    run: async (input, { session }) => {
      const row =
        input === ""
          ? session.settings().find((each) => each.name === setting)
          : await session.setSetting(setting, valueOf(setting, input));
      return said(`${setting} = ${settingText(row?.value ?? null)}`);
    },
  };
}

function valueOf(name: string, text: string): SettingRow["value"] {
  const definition = settingDefinition(name);
  if (definition === undefined) throw unknownSetting(name);
  return settingFromText(definition, text);
}

export const settingCommands: readonly Command[] = [
  {
    name: "settings",
    busy: "apply",
    topic: "session",
    summary: "Shows all settings, shows one, or sets one.",
    arguments: "[NAME [VALUE]]",
    lambdaList: "&optional name value",
    run: async (input, { session }) => {
      const [name = "", ...rest] = input.split(/\s+/);
      if (name === "")
        return { text: settingsListing(session.settings()), clientAction: "open-settings" as const };
      const wanted = name.replace(/^:/, "").toLowerCase();
      const value = rest.join(" ");
      const row =
        value === ""
          ? session.settings().find((each) => each.name === wanted)
          : await session.setSetting(wanted, valueOf(wanted, value));
      if (row === undefined) throw unknownSetting(name);
      return said(settingLine(row));
    },
  },
  toggle("fast", "codex-fast-mode-p", "Asks for Fast mode where the model offers it.", "model"),
  toggle("trace", "reasoning-traces-p", "Shows or hides the model's visible reasoning."),
  toggle("timestamps", "turn-timestamps-p", "Shows or hides when each turn began."),
  toggle("ste", "simple-technical-english-p", "Asks for simple technical English.", "model"),
  toggle("titles", "session-title-generation-p", "Allows generated titles.", "conversations"),
  toggle("cache-misses", "cache-miss-notices-p", "Tells of prompt cache misses."),
  toggle("hurry-up", "hurry-up-p", "Asks for the shortest correct way, until exit.", "model"),
  toggle(
    "relax",
    "relax-p",
    "Reminds the model that length is no reason to stop early, until exit.",
    "model",
  ),
  {
    name: "model",
    busy: "apply",
    topic: "model",
    summary: "Shows or changes the model.",
    arguments: "[MODEL] [:provider PROVIDER]",
    lambdaList: "&optional model &key provider",
    terminalWithoutArguments: true,
    maxWords: 3,
    run: async (input, { core, session }) => {
      const { words, options } = slashWords(input);
      const provider = options.get("provider");
      const [model] = words;
      if (model !== undefined)
        await session.setSetting("model", provider === undefined ? model : `${provider}/${model}`);
      return {
        text: `model = ${core.model} (effort ${core.settings.text("reasoning-effort")})${model === undefined ? "" : unlistedText(core)}`,
        ...(model === undefined ? { clientAction: "pick-model" as const } : {}),
      };
    },
  },
  {
    name: "auth",
    busy: "hold",
    topic: "model",
    summary: "Says which providers can be used; credentials come from the environment.",
    arguments: "[PROVIDER]",
    maxWords: 1,
    run: (input, { session, core }) => {
      const wanted = input.replaceAll('"', "").toLowerCase();
      const rows = session.models().filter(({ provider }) => wanted === "" || provider === wanted);
      if (rows.length === 0)
        throw new AutolithError(
          "invalid-argument",
          `There is no provider ${JSON.stringify(input.slice(0, 80))}.`,
        );
      const lines = [...Map.groupBy(rows, ({ provider }) => provider)].map(
        ([provider, [first]]) => `${provider}  ${readiness(core.environment, first?.id ?? "")}`,
      );
      return Promise.resolve(said(lines.join("\n")));
    },
  },
  {
    name: "models",
    busy: "inspect",
    topic: "model",
    summary: "Lists the models that can be chosen.",
    arguments: "[:provider PROVIDER]",
    lambdaList: "&key provider",
    maxWords: 2,
    run: (input, { session }) => {
      const wanted = /^:provider\s+[:"]?([^"\s]+)"?$/i.exec(input)?.[1];
      if (input !== "" && wanted === undefined)
        throw new AutolithError(
          "invalid-argument",
          `models takes nothing, or :provider PROVIDER, not ${JSON.stringify(input.slice(0, 80))}.`,
        );
      return Promise.resolve(
        said(
          session
            .models()
            .filter(({ provider }) => wanted === undefined || provider === wanted)
            .map(({ id, current, contextWindow }) => `${current ? "*" : " "} ${id}  ${contextWindow} tokens`)
            .join("\n") || "There are no such models.",
        ),
      );
    },
  },
  {
    name: "effort",
    busy: "apply",
    topic: "model",
    summary: "Shows or changes the reasoning effort.",
    arguments: "[LEVEL]",
    maxWords: 1,
    run: async (input, { core, session }) => {
      if (input !== "") await session.setSetting("reasoning-effort", valueOf("reasoning-effort", input));
      return said(`reasoning-effort = ${core.settings.text("reasoning-effort")}`);
    },
  },
];

/** Whether a model's provider can be asked, or why not. */
function readiness(environment: SessionEnvironment, model: string): string {
  try {
    environment.models.reach(model);
    return "ready";
  } catch (error) {
    return failureOf(error).message;
  }
}

function settingLine(row: SettingRow): string {
  return `${row.name} = ${settingText(row.value)} (${row.source})\n    ${row.description}`;
}

function settingsListing(rows: readonly SettingRow[]): string {
  return [...Map.groupBy(rows, ({ group }) => group)]
    .map(([group, members]) => `${group}\n${members.map((row) => `  ${settingLine(row)}`).join("\n")}`)
    .join("\n\n");
}

/** Said of a model that was chosen and that no catalogue has; empty for others. A server may have it all the same. */
function unlistedText({ environment, model }: CommandContext["core"]): string {
  const isListed = environment
    .listModels()
    .some(({ id }) => id === model || id.slice(id.indexOf("/") + 1) === model);
  return isListed
    ? ""
    : `\nNo configured provider lists ${model}; the next request asks for it as it is, and fails when it is not served. (model) shows the listed ones.`;
}
