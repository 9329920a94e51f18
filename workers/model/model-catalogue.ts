/** The models that are known by name: what is offered for choice, and what the aliases of roles stand for. */
import { type Environment, openAiProvider } from "./openai-endpoint.ts";

/** A model that is offered for choice. The window is in tokens (manual). */
export type CataloguedModel = { readonly id: string; readonly contextWindow: number };

/** The models of the default family; others can be named. */
export const cataloguedModels: readonly CataloguedModel[] = [
  { id: `${openAiProvider}/gpt-5.6`, contextWindow: 272_000 },
  { id: `${openAiProvider}/gpt-6`, contextWindow: 272_000 },
  { id: `${openAiProvider}/gpt-6.1`, contextWindow: 272_000 },
];

/** What the aliases stand for in the default family. */
const familyAliases = { cheap: `${openAiProvider}/gpt-5-mini`, strong: `${openAiProvider}/gpt-6.1` } as const;

/** Variables that name the models of the aliases, for other servers and other tastes. */
export const aliasVariables = { cheap: "AUTOLITH_MODEL_SMOL", strong: "AUTOLITH_MODEL_SLOW" } as const;

/**
 * The models behind `@smol` (cheap) and behind `@slow` and `@designer` (strong). A server of one's own knows neither unless they are named:
 * undefined means the parent's model.
 */
export function aliasModels(environment: Environment): {
  readonly cheap: string | undefined;
  readonly strong: string | undefined;
} {
  const isOfficial = (environment["AUTOLITH_OPENAI_BASE_URL"]?.trim() ?? "") === "";
  const named = (alias: keyof typeof aliasVariables): string | undefined => {
    const text = environment[aliasVariables[alias]]?.trim() ?? "";
    return text === "" ? (isOfficial ? familyAliases[alias] : undefined) : text;
  };
  return { cheap: named("cheap"), strong: named("strong") };
}
