/** The management REPL's settings as sessions list them: what is in force where it is on, else what it would begin with. Pure. */
import { join } from "node:path";
import type { Roots } from "../../orchestrator/record/roots.ts";
import type { SettingInForce } from "../../orchestrator/sessions/settings/settings-store.ts";
import { managementSettings } from "../../orchestrator/sessions/settings/management-settings.ts";
import type { Environment } from "../machine.ts";
import { type ManagementConfiguration, managementConfiguration } from "./management-configuration.ts";

type ManagementName = (typeof managementSettings)[number]["name"];

/** Values by name. Throws as {@link managementConfiguration} does. */
export function managementValues(
  environment: Environment,
  roots: Pick<Roots, "state" | "config">,
): Readonly<Record<ManagementName, SettingInForce>> {
  const configuration = managementConfiguration(environment, roots);
  const entries = managementSettings.map(({ name, environment: variable, initial }) => {
    const isGiven = (environment[variable] ?? "") !== "";
    const value =
      configuration === undefined
        ? (defaultPath(name, roots) ?? initial)
        : (valueIn(configuration, name) ?? initial);
    return [name, { value, source: isGiven && configuration !== undefined ? "environment" : "default" }];
  });
  return Object.fromEntries(entries) as Record<ManagementName, SettingInForce>;
}

function defaultPath(
  name: ManagementName,
  { state, config }: Pick<Roots, "state" | "config">,
): string | undefined {
  if (name === "management-repl-unix-socket-path") return join(state, "management", "repl.sock");
  return name === "management-repl-token-file-path" ? join(config, "management-repl.token") : undefined;
}

function valueIn(
  { address, ...configuration }: ManagementConfiguration,
  name: ManagementName,
): SettingInForce["value"] | undefined {
  switch (name) {
    case "management-repl-enabled-p":
      return true;
    case "management-repl-transport":
      return address.transport;
    case "management-repl-unix-socket-path":
      return address.transport === "unix" ? address.path : undefined;
    case "management-repl-token-file-path":
      return configuration.tokenFile;
    case "management-repl-tcp-address":
      return address.transport === "tcp" ? address.host : undefined;
    case "management-repl-tcp-port":
      return address.transport === "tcp" ? address.port : undefined;
    case "management-repl-evaluation-timeout":
      return configuration.evaluationMs / 1_000;
    case "management-repl-authentication-timeout":
      return configuration.authenticationMs / 1_000;
    case "management-repl-maximum-frame-size":
      return configuration.maxFrameBytes;
    case "management-repl-maximum-source-size":
      return configuration.maxSourceBytes;
    case "management-repl-maximum-output-size":
      return configuration.maxOutputCharacters;
    case "management-repl-queue-capacity":
      return configuration.queueCapacity;
    case "management-repl-maximum-clients":
      return configuration.maxClients;
  }
}
