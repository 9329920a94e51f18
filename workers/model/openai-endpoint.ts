import type { ModelEndpoint, ModelWire } from "../../orchestrator/contract/model.ts";
import { ModelRequestError, type ModelFailureCode } from "../../orchestrator/contract/model-failure.ts";
import { isReasoningModel } from "./model-families.ts";

/** Name of the provider that holds API keys of the official API and of compatible servers. */
export const openAiProvider = "openai-api";

/** A model and the way to reach it. */
export interface ResolvedModel {
  readonly endpoint: ModelEndpoint;
  /** The id the server knows, without the provider prefix. */
  readonly model: string;
}

/** Environment variables by name; secrets among them never leave the returned endpoint. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Bare ids that are known to belong to the official API. */
const knownFamily = /^(gpt-|chatgpt-|o[1-9](-|$)|codex-|computer-use-)/;
/**
 * Finds the endpoint of a model id.
 *
 * `AUTOLITH_OPENAI_BASE_URL` names a compatible server, which takes any id and needs no key; without it the official API
 * is used, which needs `OPENAI_API_KEY` and takes `openai-api/NAME` or a bare id of a known family.
 * `AUTOLITH_OPENAI_WIRE` is `responses` (default) or `chat`.
 *
 * @throws ModelRequestError with code `configuration` or `unknown-model`; nothing has been sent then.
 */
export function resolveOpenAiModel(modelId: string, environment: Environment): ResolvedModel {
  const baseUrl = baseUrlFrom(environment);
  const wire = wireFrom(environment);
  const apiKey = environment["OPENAI_API_KEY"]?.trim();
  const prefix = `${openAiProvider}/`;
  const isQualified = modelId.startsWith(prefix);
  const model = isQualified ? modelId.slice(prefix.length) : modelId;
  if (model === "") {
    throw refusal("unknown-model", `Expected a model id such as ${prefix}NAME, but "${modelId}" came.`);
  }
  if (!isQualified && baseUrl === undefined && !knownFamily.test(model)) {
    throw refusal(
      "unknown-model",
      `The model id "${modelId}" is not known. Use ${prefix}NAME for a model of the OpenAI API, or set ` +
        "AUTOLITH_OPENAI_BASE_URL to the server that has it.",
    );
  }
  if ((apiKey === undefined || apiKey === "") && baseUrl === undefined) {
    throw refusal(
      "configuration",
      "No API key for the OpenAI API: set OPENAI_API_KEY, or AUTOLITH_OPENAI_BASE_URL for a server of your own.",
    );
  }
  const headers = accountHeaders(environment);
  return {
    model,
    endpoint: {
      provider: openAiProvider,
      wire,
      reasoning: isReasoningModel(model),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(apiKey === undefined || apiKey === "" ? {} : { apiKey }),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
    },
  };
}

function refusal(code: ModelFailureCode, message: string): ModelRequestError {
  return new ModelRequestError({ code, message, outputReceived: false });
}

function baseUrlFrom(environment: Environment): string | undefined {
  const text = environment["AUTOLITH_OPENAI_BASE_URL"]?.trim();
  if (text === undefined || text === "") return undefined;
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw refusal(
      "configuration",
      "AUTOLITH_OPENAI_BASE_URL must be an http or https URL such as http://HOST/v1.",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw refusal(
      "configuration",
      "AUTOLITH_OPENAI_BASE_URL must hold no user or password; use OPENAI_API_KEY.",
    );
  }
  return text.replace(/\/+$/, "");
}

function wireFrom(environment: Environment): ModelWire {
  const text = environment["AUTOLITH_OPENAI_WIRE"]?.trim().toLowerCase();
  if (text === undefined || text === "" || text === "responses") return "responses";
  if (text === "chat") return "chat";
  throw refusal("configuration", `AUTOLITH_OPENAI_WIRE must be "responses" or "chat", but "${text}" came.`);
}

function accountHeaders(environment: Environment): Record<string, string> {
  const organization = environment["OPENAI_ORG_ID"];
  const project = environment["OPENAI_PROJECT_ID"];
  return {
    ...(organization === undefined ? {} : { "OpenAI-Organization": organization }),
    ...(project === undefined ? {} : { "OpenAI-Project": project }),
  };
}
