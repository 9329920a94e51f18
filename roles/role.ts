import type { OutputContract } from "./output-contract/index.ts";
import type { ToolGrant } from "./tool-grant.ts";

/** Reasoning efforts a role may name, weakest first. */
export const reasoningEfforts = ["none", "low", "medium", "high", "xhigh", "max", "ultra"] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/** Where a role comes from, in order of precedence; `programmatic` ones are made by code and come before all files. */
export const roleSources = ["programmatic", "project", "user", "site", "bundled"] as const;
export type RoleSource = (typeof roleSources)[number];

/** Which roles an agent of this role may start children of. */
export type SpawnPolicy =
  | { readonly kind: "none" }
  | { readonly kind: "all" }
  | { readonly kind: "roles"; readonly names: readonly string[] };

/** What an agent may be: a checked role definition. */
export interface Role {
  /** Lower case. */
  readonly name: string;
  /** 1 to 512 characters, for those who choose a role. */
  readonly description: string;
  /** 1 to 32,768 characters, for the agent. */
  readonly instructions: string;
  readonly tools: ToolGrant;
  readonly spawns: SpawnPolicy;
  /** Model ids and aliases, the first that can be resolved wins; empty means the parent's model. */
  readonly models: readonly string[];
  /** `medium` when the definition leaves it out or says `:auto`: a child never inherits its parent's effort. */
  readonly reasoningEffort: ReasoningEffort;
  /** What the agent's structured output must be, if anything. */
  readonly output: OutputContract | undefined;
  /** Does the parent always wait for a child of this role? */
  readonly blocking: boolean;
  readonly source: RoleSource;
  /** The file it was read from; none for programmatic roles. */
  readonly path: string | undefined;
  /** Where in the file, 1-based, fields stand that name other things: what they name is looked for later. */
  readonly lines?: { readonly spawns: number | undefined; readonly models: number | undefined };
}

/** Longest role name. */
export const maxRoleNameCharacters = 64;

const roleName = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;

/** Is the text a role's name: an ASCII letter, then letters, digits and hyphens, at most 64 in all, in either case? */
export function isRoleName(text: string): boolean {
  return roleName.test(text);
}

/** May an agent of `role` start a child of the role called `child`? */
export function maySpawn(role: Role, child: string): boolean {
  switch (role.spawns.kind) {
    case "none":
      return false;
    case "all":
      return true;
    case "roles":
      return role.spawns.names.includes(child.toLowerCase());
    default:
      return role.spawns satisfies never;
  }
}
