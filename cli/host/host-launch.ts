/** What a host was launched with for good, beside its build: terminals join hosts that were launched as they were. */
import { realpathSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { HostLaunch } from "../../orchestrator/contract/acp/endpoint-record.ts";
import type { SessionOptions } from "../arguments.ts";
import type { Environment } from "../machine.ts";

const siteRootVariable = "AUTOLITH_SITE_CONFIG_ROOT";

/** The options of a command line and its environment, as hosts are told apart by them. A relative root is one of the working directory. */
export function hostLaunch(
  { pristine, immutable, siteConfigRoot }: Pick<SessionOptions, "pristine" | "immutable" | "siteConfigRoot">,
  environment: Environment,
): HostLaunch {
  const root =
    siteConfigRoot === undefined || siteConfigRoot === ""
      ? siteConfigRoot
      : realPath(resolve(siteConfigRoot));
  return {
    mode: pristine ? "pristine" : immutable ? "immutable" : "usual",
    siteConfigRoot: (root ?? environmentRoot(environment)) || undefined,
  };
}

/** True for a host that must not be joined with these options. One that does not say how it was launched is another. */
export function isOtherLaunch(launched: HostLaunch | undefined, wanted: HostLaunch): boolean {
  return launched?.mode !== wanted.mode || launched.siteConfigRoot !== wanted.siteConfigRoot;
}

/** Arguments and environment of a process that is to be a host of this launch. */
export function launchedWith(
  { mode, siteConfigRoot }: HostLaunch,
  environment: Environment,
): { readonly argv: readonly string[]; readonly environment: Environment } {
  const { [siteRootVariable]: _replaced, ...others } = environment;
  const isOfEnvironment = siteConfigRoot !== undefined && environmentRoot(environment) === siteConfigRoot;
  return {
    argv: [
      ...(siteConfigRoot === undefined || isOfEnvironment ? [] : ["--site-config-root", siteConfigRoot]),
      ...(mode === "usual" ? [] : [`--${mode}`]),
    ],
    environment: isOfEnvironment ? { ...others, [siteRootVariable]: siteConfigRoot } : others,
  };
}

/** A relative one is refused by the host, as it is. */
function environmentRoot(environment: Environment): string | undefined {
  const path = environment[siteRootVariable];
  return path !== undefined && isAbsolute(path) ? realPath(path) : path;
}

/** The path itself where nothing is: the host refuses it, and says what it must be. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
