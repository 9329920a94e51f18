/** What every host reads from options and environment in the same way, whatever its front end. */
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { AutolithError, failureOf } from "../orchestrator/contract/failure.ts";
import type { PermissionMode } from "../orchestrator/contract/permissions.ts";
import type { QueueHealth } from "../orchestrator/contract/queue.ts";
import { openAiProvider } from "../workers/model/openai-endpoint.ts";
import { hideOwnEnvironment } from "../workers/spawner/own-environment.ts";
import type { Environment } from "./machine.ts";

/** Options of the command line that choose configuration. */
export type ConfigurationOptions = {
  readonly environment: Environment;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly siteConfigRoot: string | undefined;
};

/** The model of a run when neither an option nor AUTOLITH_MODEL names one. */
const defaultModel = "openai-api/gpt-5.6";

/** Keys and passwords of this process are not to be read from a command by way of /proc. */
export function hideEnvironment(diagnostics: (line: string) => void): void {
  try {
    hideOwnEnvironment();
  } catch (error) {
    diagnostics(
      `permissions: commands with full access can read this process's environment: ${failureOf(error).message}`,
    );
  }
}

/** A change of the queue's health, in a line. */
export function healthLine(health: QueueHealth): string {
  return health === "degraded"
    ? "redis: degraded: it does not answer; running work goes on, new work waits"
    : "redis: connected again";
}

/** The site configuration root of option or environment. Throws `configuration` when it is no existing directory. */
export function siteRoot({
  siteConfigRoot,
  environment,
}: Pick<ConfigurationOptions, "siteConfigRoot" | "environment">): string | undefined {
  const path = siteConfigRoot ?? environment["AUTOLITH_SITE_CONFIG_ROOT"];
  if (path === undefined || path === "") return undefined;
  if (!isAbsolute(path) || statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new AutolithError(
      "configuration",
      `The site configuration root must be an absolute path of an existing directory, not ${JSON.stringify(path)}.`,
    );
  return path;
}

/** The model id of the run: option, environment, default; an explicit provider becomes its prefix. */
export function selectedModel({ model, provider, environment }: ConfigurationOptions): string {
  const selected = model ?? (environment["AUTOLITH_MODEL"]?.trim() || defaultModel);
  if (provider === undefined) return selected;
  if (provider !== openAiProvider)
    throw new AutolithError(
      "configuration",
      `There is no provider ${JSON.stringify(provider)} in this version; known: ${openAiProvider}.`,
    );
  return selected.startsWith(`${provider}/`) ? selected : `${provider}/${selected}`;
}

/** What agents are told about how commands are permitted. `someoneToAsk`: a person may approve in mode ask. */
export function permissionNote(mode: PermissionMode, someoneToAsk: boolean): string {
  const confined = "Commands run in a sandbox: no network, writes only in the working directory and /tmp.";
  switch (mode) {
    case "full":
      return "Commands run with the user's own privileges.";
    case "sandbox":
      return confined;
    case "auto":
      return `${confined} A command that plainly needs more may be allowed to run outside it; a refused command is not run at all.`;
    case "ask":
      return someoneToAsk
        ? "Each command is shown to the person, who approves or refuses it; so ask for few, and say in the description what each is for."
        : "Commands cannot run: they need an approval and nobody can be asked. Work with the other tools.";
  }
}
