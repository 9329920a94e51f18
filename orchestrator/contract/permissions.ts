/** Permission modes and the authority port: who may run which command or touch which path. Approval needed and nobody to ask = denied at once. */
import { z } from "zod";
import { type PermissionMode, permissionModes } from "./permission-mode.ts";
import type { ToolCaller } from "./caller.ts";

export const permissionModeSchema = z.enum(permissionModes);
export type { PermissionMode } from "./permission-mode.ts";

/** How an authorised command runs, or why it does not. */
export type CommandDecision =
  | { readonly kind: "full" }
  | { readonly kind: "sandboxed" }
  | { readonly kind: "denied"; readonly code: string; readonly reason: string };

export type PathDecision =
  | { readonly kind: "allowed" }
  | { readonly kind: "denied"; readonly code: string; readonly reason: string };

export type CommandRequest = {
  /** The exact shell text. */
  readonly command: string;
  /** Absolute directory it runs in. */
  readonly directory: string;
  /** The provider call that asks. */
  readonly callId: string;
  readonly caller: ToolCaller;
};

export type PathRequest = {
  /** Absolute path after symbolic links are resolved (of the deepest existing ancestor for new files). */
  readonly path: string;
  readonly access: "read" | "write";
  /** The provider call that asks. */
  readonly callId: string;
  readonly caller: ToolCaller;
};

export type ExternalToolRequest = {
  readonly tool: string;
  readonly arguments: unknown;
  /** The provider call that asks. */
  readonly callId: string;
  readonly caller: ToolCaller;
};

/** Decides; never prompts by itself. Rejects only with an abort; an unavailable classifier is a `denied` decision. */
export interface Authority {
  readonly mode: PermissionMode;
  decideCommand(request: CommandRequest, signal: AbortSignal): Promise<CommandDecision>;
  decidePath(request: PathRequest, signal: AbortSignal): Promise<PathDecision>;
  decideExternalTool(request: ExternalToolRequest, signal: AbortSignal): Promise<PathDecision>;
  /** The same authority for an agent whose workspace is another directory (absolute real path): its isolated checkout. */
  within(workspace: string): Authority;
}
