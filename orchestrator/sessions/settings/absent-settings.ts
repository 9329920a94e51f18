/** Settings that the manual names and this version has not, because what they would set is not there: asked for, they say so. */
import { AutolithError } from "../../contract/failure.ts";

const absent: readonly (readonly [names: readonly string[], why: string])[] = [
  [["web-search-mode"], "there is no web search that a provider hosts"],
  [
    ["prefer-codex-context-window-p", "codex-auth-path"],
    "there is no provider for ChatGPT subscriptions; context-window says what is in force",
  ],
  [["grok-bootstrap-auth-path"], "there is no provider for Grok subscriptions"],
  [["openrouter-provider-routing"], "there is no OpenRouter provider"],
  [["vertex-project", "vertex-location", "vertex-quota-project"], "there is no Vertex AI provider"],
  [["knowledge-mode", "diagnostic-probes"], "there is no structured knowledge"],
  [["onboarding-p"], "there is no onboarding tour"],
  [
    ["boot-screen-p", "boot-screen-linger-p", "boot-screen-seconds", "boot-screen-tip-seconds"],
    "there is no boot screen",
  ],
  [["slynk-directory", "slynk-port-file", "emacs-server-socket"], "there is no bridge to Emacs"],
];

/** Why a setting that exists cannot be changed: what it would change is not there. */
export const withoutEffect: ReadonlyMap<string, string> = new Map([
  ["fullscreen-p", "the terminal has no full screen"],
  ["terminal-theme", "the terminal has one theme"],
]);

/** The refusal `unsupported` of a setting of the manual that is not here; undefined for other names. */
export function absentSetting(name: string): AutolithError | undefined {
  const wanted = name.replace(/^:/, "").toLowerCase();
  const why = absent.find(([names]) => names.includes(wanted))?.[1];
  return why === undefined
    ? undefined
    : new AutolithError("unsupported", `There is no setting ${wanted} in this version: ${why}.`);
}
