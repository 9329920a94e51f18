/** What is offered to the children of a role: selected and described once, because many children are of the same role. */
import type { ToolSchema } from "../contract/model.ts";
import type { ToolDeclaration } from "../contract/tool.ts";
import { type ToolRegistry, toolSchemaOf } from "../tools/registry.ts";
import type { RunnableRole } from "./child-role.ts";

type Offer = { readonly tools: ToolRegistry; schemas: ToolSchema[] | undefined };

export class RoleTools {
  readonly #all: ToolRegistry;
  /** By whether the child may start children. */
  readonly #offers = new WeakMap<RunnableRole, Map<boolean, Offer>>();

  /** `all` are the tools of the conversation. */
  constructor(all: ToolRegistry) {
    this.#all = all;
  }

  /** The tools of one child, `own` being the one that belongs to it alone, and what its model is told of them. */
  of(
    role: RunnableRole,
    spawning: { readonly allowed: boolean; readonly refusal: string },
    own: ToolDeclaration,
  ): { readonly registry: ToolRegistry; readonly schemas: ToolSchema[] } {
    const offers = this.#offers.get(role) ?? new Map<boolean, Offer>();
    this.#offers.set(role, offers);
    const offer = offers.get(spawning.allowed) ?? {
      tools: this.#all.select((tool) => isOffered(tool, role, spawning.allowed)),
      schemas: undefined,
    };
    offers.set(spawning.allowed, offer);
    offer.schemas ??= [...offer.tools.schemas(), toolSchemaOf(own)];
    return {
      registry: offer.tools.with([own], (name) => this.#whyAbsent(name, role, spawning.refusal)),
      schemas: offer.schemas,
    };
  }

  /** Why a child does not have a tool that there is. */
  #whyAbsent(name: string, role: RunnableRole, spawnRefusal: string): string | undefined {
    // A tool that was not offered is called by its name on the wire.
    const tool = this.#all.get(name) ?? this.#all.get(name.replaceAll("__", "."));
    if (tool === undefined) return undefined;
    if (tool.audience === "primary") return `${tool.name} is for the primary agent only.`;
    if (tool.name.startsWith("task.")) return spawnRefusal;
    return role.withholds?.(tool.name) === true
      ? `An agent above this one has no ${tool.name}, and a child has no tool that its parent lacks.`
      : `The role ${role.name} does not grant ${tool.name}.`;
  }
}

function isOffered(tool: ToolDeclaration, role: RunnableRole, canSpawn: boolean): boolean {
  if (tool.audience === "primary") return false;
  if (tool.name.startsWith("task.")) return canSpawn;
  return role.grants(tool.name);
}
