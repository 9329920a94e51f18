/** Providers that initialization registers: servers of the Chat Completions protocol, reached as `NAME/MODEL` (manual). */
import { z } from "zod";
import { AutolithError } from "../../orchestrator/contract/failure.ts";
import type { ModelEndpoint } from "../../orchestrator/contract/model.ts";
import { isReasoningModel } from "./model-families.ts";
import { type Environment, openAiProvider } from "./openai-endpoint.ts";

/** Providers of one host, and models that one lists, at most. */
export const registeredProviderLimit = 64;
export const providerModelLimit = 1_024;

/** A model that a provider lists by itself. */
export type ProviderModel = {
  readonly name: string;
  readonly description: string;
  /** Tokens; undefined when it is not said. */
  readonly contextWindow: number | undefined;
};

export type RegisteredProvider = {
  readonly name: string;
  readonly description: string;
  /** Up to and including `/v1`. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly models: readonly ProviderModel[];
};

const endpointSuffix = "/chat/completions";

const httpUrl = z.url({ protocol: /^https?$/ }).refine((text) => {
  const url = URL.parse(text);
  return url !== null && url.username === "" && url.password === "";
}, "must hold no user or password");

const definitionSchema = z.tuple([
  z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,63}$/, "is lower-case letters, digits and hyphens, beginning with a letter"),
  z.string().max(1_000),
  httpUrl.refine((text) => text.replace(/\/+$/, "").endsWith(endpointSuffix), `ends with ${endpointSuffix}`),
  z.union([httpUrl, z.literal("")]),
  z.record(z.string().min(1).max(128), z.string().max(4_096)),
  z
    .array(
      z.object({
        name: z.string().min(1).max(256),
        description: z.string().max(1_000).optional(),
        "context-window": z.int().positive().optional(),
      }),
    )
    .max(providerModelLimit),
]);

const fields = [":name", ":description", ":endpoint", ":models-endpoint", ":headers", ":models"] as const;

export class RegisteredProviders {
  readonly #providers = new Map<string, RegisteredProvider>();

  /** Takes `[name, description, endpoint, models endpoint, headers, models]`; replaces the provider of its name. Throws `invalid-argument`. */
  register(definition: readonly unknown[]): string {
    const checked = definitionSchema.safeParse(definition);
    if (!checked.success) {
      const [issue] = checked.error.issues;
      const field = fields[Number(issue?.path[0] ?? 0)] ?? "an argument";
      throw new AutolithError(
        "invalid-argument",
        `register-openai-compatible-provider: ${field} ${issue?.message ?? "is not valid"}.`,
      );
    }
    const [name, description, endpoint, , headers, models] = checked.data;
    if (name === openAiProvider)
      throw new AutolithError("invalid-argument", `${name} is a provider of autolith; choose another name.`);
    if (!this.#providers.has(name) && this.#providers.size >= registeredProviderLimit)
      throw new AutolithError(
        "invalid-argument",
        `${this.#providers.size} providers are registered, which is the limit.`,
      );
    this.#providers.set(name, {
      name,
      description,
      baseUrl: endpoint.replace(/\/+$/, "").slice(0, -endpointSuffix.length),
      headers,
      models: models.map((model) => ({
        name: model.name,
        description: model.description ?? "",
        contextWindow: model["context-window"],
      })),
    });
    return name;
  }

  all(): readonly RegisteredProvider[] {
    return [...this.#providers.values()];
  }

  /** The provider and the server's id of a qualified model; undefined for the ids of others. */
  find(modelId: string): { readonly provider: RegisteredProvider; readonly model: string } | undefined {
    const slash = modelId.indexOf("/");
    const provider = this.#providers.get(modelId.slice(0, Math.max(0, slash)));
    const model = modelId.slice(slash + 1);
    return provider === undefined || model === "" ? undefined : { provider, model };
  }
}

/** How a model of a registered provider is reached. Its key is in `NAME_API_KEY`, the name in capitals with underscores. */
export function providerEndpoint(
  { name, baseUrl, headers }: RegisteredProvider,
  model: string,
  environment: Environment,
): ModelEndpoint {
  const apiKey = environment[providerKeyVariable(name)]?.trim() ?? "";
  return {
    provider: name,
    wire: "chat",
    baseUrl,
    reasoning: isReasoningModel(model),
    ...(apiKey === "" ? {} : { apiKey }),
    ...(Object.keys(headers).length === 0 ? {} : { headers: { ...headers } }),
  };
}

/** The variable that holds the key of a registered provider. */
export function providerKeyVariable(name: string): string {
  return `${name.toUpperCase().replaceAll("-", "_")}_API_KEY`;
}
