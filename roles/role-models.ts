/** The models that a role's aliases stand for, and how to tell whether an id is registered. */
export interface ModelChoices {
  /** The parent's model id: `@task`, `@parent` and `@auto`, and the last resort. */
  readonly parent: string;
  /** The cheap model of the default family: `@smol`. */
  readonly cheap: string | undefined;
  /** The strong model of the default family: `@slow` and `@designer`. */
  readonly strong: string | undefined;
  /** Is the id one that some configured provider serves? */
  readonly isRegistered: (id: string) => boolean;
}

/** Aliases a role may use for models. */
export const modelAliases = ["@task", "@parent", "@auto", "@smol", "@slow", "@designer"] as const;
type ModelAlias = (typeof modelAliases)[number];

/** Is the text one of {@link modelAliases}? */
export function isModelAlias(text: string): text is ModelAlias {
  return modelAliases.some((alias) => alias === text);
}

/** The first of a role's models that can be resolved, else the parent's. */
export function resolveRoleModel(models: readonly string[], choices: ModelChoices): string {
  for (const model of models) {
    const resolved = resolveOne(model, choices);
    if (resolved !== undefined) return resolved;
  }
  return choices.parent;
}

function resolveOne(model: string, choices: ModelChoices): string | undefined {
  const id = isModelAlias(model) ? aliased(model, choices) : model;
  return id !== undefined && choices.isRegistered(id) ? id : undefined;
}

function aliased(alias: ModelAlias, choices: ModelChoices): string | undefined {
  switch (alias) {
    case "@task":
    case "@parent":
    case "@auto":
      return choices.parent;
    case "@smol":
      return choices.cheap;
    case "@slow":
    case "@designer":
      return choices.strong;
    default:
      return alias satisfies never;
  }
}
