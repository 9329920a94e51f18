/** The permission modes as ACP session modes, by the names of the manual. */
import { RequestError, type SessionModeState } from "@agentclientprotocol/sdk";
import type { PermissionMode } from "../../../orchestrator/contract/permissions.ts";

const modes: Readonly<Record<PermissionMode, { id: string; name: string; description: string }>> = {
  ask: { id: "ask", name: "Ask", description: "Commands and external tools ask for approval." },
  auto: {
    id: "auto",
    name: "Auto",
    description: "Each command is judged: run in the sandbox, run with full access, or refused.",
  },
  sandbox: { id: "sandboxed", name: "Sandboxed", description: "Commands run in the sandbox or not at all." },
  full: {
    id: "full-access",
    name: "Full access",
    description: "Commands run with your own privileges.",
  },
};

export function acpModeId(mode: PermissionMode): string {
  return modes[mode].id;
}

/** The mode with that id. Throws invalid params for another name. */
export function modeOfId(id: string): PermissionMode {
  const found = (Object.keys(modes) as PermissionMode[]).find((mode) => modes[mode].id === id);
  if (found !== undefined) return found;
  const known = Object.values(modes).map((mode) => mode.id);
  throw RequestError.invalidParams(
    { known },
    `modeId is one of ${known.join(", ")}, not ${JSON.stringify(id.slice(0, 80))}`,
  );
}

export function modeState(current: PermissionMode): SessionModeState {
  return { currentModeId: acpModeId(current), availableModes: Object.values(modes) };
}
