/** The settings of a session (facts G): name, type, scope, default and variable, in one table. Roots and other parts' settings are theirs. */
import type { SettingRow, SettingValue } from "../../contract/session/catalogs.ts";
import { reasoningEffortSchema } from "../../contract/model.ts";
import { managementSettings } from "./management-settings.ts";

export type SettingDefinition = Pick<
  SettingRow,
  "name" | "type" | "scope" | "group" | "description" | "choices" | "minimum" | "maximum" | "environment"
> & {
  readonly initial: SettingValue;
  /** True when null is a value: nothing chosen. */
  readonly optional?: true;
  /** True when the variable, while it is set, leaves nothing to change here. */
  readonly environmentDecides?: true;
};

const efforts: string[] = [...reasoningEffortSchema.options];

export const settingDefinitions = [
  {
    name: "model",
    type: "string",
    scope: "durable",
    group: "model",
    initial: "openai-api/gpt-5.6",
    environment: "AUTOLITH_MODEL",
    description: "The model that answers, as PROVIDER/MODEL.",
  },
  {
    name: "reasoning-effort",
    type: "choice",
    scope: "durable",
    group: "model",
    initial: "ultra",
    choices: efforts,
    environment: "AUTOLITH_REASONING_EFFORT",
    description: "How much the model thinks before it answers; models that do not reason ignore it.",
  },
  {
    name: "codex-fast-mode-p",
    type: "boolean",
    scope: "durable",
    group: "model",
    initial: false,
    environment: "AUTOLITH_CODEX_FAST_MODE",
    environmentDecides: true,
    description: "Ask for Fast mode of ChatGPT Codex models; other models keep their standard path.",
  },
  {
    name: "provider-endpoint",
    type: "string",
    scope: "derived",
    group: "model",
    initial: null,
    optional: true,
    description: "The server that the model is asked at; none means the provider's own.",
  },
  {
    name: "context-window",
    type: "integer",
    scope: "derived",
    group: "model",
    initial: 272_000,
    minimum: 1_000,
    environment: "AUTOLITH_CONTEXT_WINDOW",
    description: "Tokens that the model can read at once.",
  },
  {
    name: "compaction-threshold-percent",
    type: "integer",
    scope: "process",
    group: "model",
    initial: 80,
    minimum: 1,
    maximum: 95,
    environment: "AUTOLITH_COMPACTION_THRESHOLD",
    description: "Part of the context window at which the conversation is compacted.",
  },
  {
    name: "idle-compaction-p",
    type: "boolean",
    scope: "durable",
    group: "model",
    initial: true,
    description:
      "Compact a long conversation shortly before the provider's prompt cache is estimated to expire.",
  },
  {
    name: "prompt-cache-retention-seconds",
    type: "integer",
    scope: "durable",
    group: "model",
    initial: 0,
    minimum: 0,
    maximum: 604_800,
    description:
      "How long the provider keeps a prompt cache; 0 takes the provider's estimate, if it has one.",
  },
  {
    name: "reasoning-traces-p",
    type: "boolean",
    scope: "durable",
    group: "display",
    initial: false,
    description: "Show the model's visible reasoning.",
  },
  {
    name: "compact-view-p",
    type: "boolean",
    scope: "durable",
    group: "display",
    initial: true,
    description: "Show tool calls in one line each.",
  },
  {
    name: "turn-timestamps-p",
    type: "boolean",
    scope: "durable",
    group: "display",
    initial: false,
    description: "Show when each turn began.",
  },
  {
    name: "transcript-style",
    type: "choice",
    scope: "durable",
    group: "display",
    initial: "labels",
    choices: ["labels", "repl"],
    description: "How the transcript marks who speaks.",
  },
  {
    name: "activity-line-p",
    type: "boolean",
    scope: "durable",
    group: "display",
    initial: true,
    description: "Show what the model does now in a line above the prompt.",
  },
  {
    name: "fullscreen-p",
    type: "boolean",
    scope: "durable",
    group: "display",
    initial: false,
    description: "Use the whole screen; without effect in this version.",
  },
  {
    name: "terminal-theme",
    type: "choice",
    scope: "durable",
    group: "display",
    initial: "autolith",
    choices: ["autolith", "almighty"],
    description: "Colours of the terminal; without effect in this version.",
  },
  {
    name: "cache-miss-notices-p",
    type: "boolean",
    scope: "durable",
    group: "notices",
    initial: false,
    description: "Tell when the provider reads less from its prompt cache than before.",
  },
  {
    name: "simple-technical-english-p",
    type: "boolean",
    scope: "durable",
    group: "answers",
    initial: false,
    description: "Ask for short sentences and common words.",
  },
  {
    name: "session-title-generation-p",
    type: "boolean",
    scope: "durable",
    group: "conversations",
    initial: true,
    description: "Ask the model once for a better title, after the third turn.",
  },
  {
    name: "hurry-up-p",
    type: "boolean",
    scope: "session",
    group: "answers",
    initial: false,
    description: "Ask for the shortest way that is correct. Lasts until exit.",
  },
  {
    name: "relax-p",
    type: "boolean",
    scope: "session",
    group: "answers",
    initial: false,
    description: "Remind the model that perceived length is no reason to stop early. Lasts until exit.",
  },
  {
    name: "permission-mode",
    type: "choice",
    scope: "durable",
    group: "permissions",
    initial: null,
    choices: ["ask", "auto"],
    optional: true,
    description: "The permission mode that new sessions begin with; none means ask.",
  },
  ...(
    [
      ["source-root", "Where the program lies."],
      ["config-root", "Configuration: roles and other files of yours."],
      ["data-root", "Conversations, results and captures."],
      ["state-root", "Preferences, approvals, waiting input and what hosts know of each other."],
      ["cache-root", "What can be made again."],
      ["site-config-root", "A read-only configuration tree of the site."],
    ] as const
  ).map(([name, description]) => ({
    name,
    type: "path" as const,
    scope: "process" as const,
    group: "places",
    initial: null,
    optional: true as const,
    description,
  })),
  {
    name: "immutable-p",
    type: "boolean",
    scope: "process",
    group: "process",
    initial: false,
    description: "Keep the loaded definitions of the image: --immutable, and with --pristine.",
  },
  ...managementSettings,
  {
    name: "working-directory",
    type: "path",
    scope: "process",
    group: "places",
    initial: null,
    optional: true,
    description: "The session's directory; cwd changes it.",
  },
] as const satisfies readonly SettingDefinition[];

export type SettingName = (typeof settingDefinitions)[number]["name"];

/** The definition of a setting; undefined for a name that there is not. Accepts a leading colon. */
export function settingDefinition(name: string): SettingDefinition | undefined {
  const wanted = name.replace(/^:/, "").toLowerCase();
  return settingDefinitions.find((each) => each.name === wanted);
}
