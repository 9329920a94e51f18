/** The models of the OpenAI API and of compatible servers, as agents choose and reach them. */
import { resolveRoleModel } from "../../roles/index.ts";
import type { ModelChoice, ModelDirectory } from "../../orchestrator/models/model-directory.ts";
import { type ModelFailureCode, ModelRequestError } from "../../orchestrator/contract/model-failure.ts";
import { aliasModels } from "./model-catalogue.ts";
import { type RegisteredProviders, providerEndpoint } from "./registered-providers.ts";
import { type Environment, openAiProvider, resolveOpenAiModel } from "./openai-endpoint.ts";

export type OpenAiDirectoryOptions = {
  readonly environment: Environment;
  /** Answer from a cassette: nothing is sent, so no credential is needed and every id is taken. */
  readonly replay: boolean;
  /** Report each exchange so that it can be recorded. */
  readonly record: boolean;
  /** Those that initialization registered; absent where there is none. */
  readonly providers?: RegisteredProviders;
};

/** A directory over what the environment configures. */
export function openAiDirectory(options: OpenAiDirectoryOptions): ModelDirectory {
  const aliases = aliasModels(options.environment);
  return {
    choose: (candidates, parent) =>
      resolveRoleModel(candidates, {
        parent,
        ...aliases,
        isRegistered: (id) => refusalOf(id, options) === undefined,
      }),
    knows: (id) => refusalOf(id, options) !== "unknown-model",
    reach: (id) => reach(id, options),
  };
}

function reach(id: string, options: OpenAiDirectoryOptions): ModelChoice {
  const registered = options.providers?.find(id);
  if (options.replay)
    return { id, model: registered?.model ?? withoutProvider(id), source: { kind: "replay" } };
  if (registered !== undefined) {
    const { provider, model } = registered;
    const endpoint = providerEndpoint(provider, model, options.environment);
    return { id, model, source: { kind: "live", endpoint, record: options.record } };
  }
  const { endpoint, model } = resolveOpenAiModel(id, options.environment);
  return { id, model, source: { kind: "live", endpoint, record: options.record } };
}

function withoutProvider(id: string): string {
  const prefix = `${openAiProvider}/`;
  return id.startsWith(prefix) && id.length > prefix.length ? id.slice(prefix.length) : id;
}

/** Why the model cannot be reached; undefined when it can. */
function refusalOf(id: string, options: OpenAiDirectoryOptions): ModelFailureCode | undefined {
  try {
    reach(id, options);
    return undefined;
  } catch (error) {
    if (error instanceof ModelRequestError) return error.code;
    throw error;
  }
}
