/** Commands of the session as a front end without its own screens sees them. */
import type { AvailableCommand } from "@agentclientprotocol/sdk";
import { AutolithError } from "../../../orchestrator/contract/failure.ts";
import type { OperationRow, PromptInput } from "../../../orchestrator/contract/session.ts";
import type { Reach } from "../session/client-sessions.ts";

/** What each of them is instead, for a client that has no terminal. */
const terminalOnly: Readonly<Record<string, string>> = {
  new: "use session/new",
  resume: "use session/load",
  fork: "use _autolith/open with how: fork",
  detach: "close the connection; the session ends with it unless somebody watches it",
  quit: "use session/close",
  exit: "use session/close",
};

/** Throws `unsupported` for an operation that only a terminal can carry out. */
export function requireNoTerminal(operation: string, reach: Reach): void {
  const name = operation.toLowerCase();
  const instead = Object.hasOwn(terminalOnly, name) ? terminalOnly[name] : undefined;
  if (reach === "host" || instead === undefined) return;
  throw new AutolithError("unsupported", `${name} is for terminals; ${instead}.`);
}

/** Throws `invalid-argument` for an operation that without an argument would open a picker in a terminal. */
export function requireArgument(
  operation: string,
  input: string,
  reach: Reach,
  rows: () => readonly OperationRow[],
): void {
  if (reach === "host" || input.trim() !== "") return;
  const name = operation.toLowerCase();
  const row = rows().find((each) => each.name === name || each.aliases.includes(name));
  if (row?.terminalWithoutArguments !== true) return;
  throw new AutolithError(
    "invalid-argument",
    `${row.name} needs an argument here: ${row.usage}. Without one a terminal opens a picker.`,
  );
}

/** Both for a prompt that is a slash command, or a form that calls one. */
export function refuseTerminalOperation(
  { parts }: PromptInput,
  reach: Reach,
  rows: () => readonly OperationRow[],
): void {
  const [first] = parts;
  if (first?.type !== "text") return;
  const [, name, input = ""] =
    /^\/([a-z][a-z0-9-]*)(?:\s(.*))?$/is.exec(first.text.trimEnd()) ??
    /^\s*\(\s*(?:autolith::?)?([a-z][a-z0-9-]*)(?:\s([^)]*))?\)/i.exec(first.text) ??
    [];
  if (name === undefined) return;
  requireNoTerminal(name, reach);
  requireArgument(name, input, reach, rows);
}

/** The catalogue as that client can use it. */
export function operationsFor(rows: readonly OperationRow[], reach: Reach): readonly OperationRow[] {
  if (reach === "host") return rows;
  return rows.map((row) => {
    const instead = row.kind === "command" ? terminalOnly[row.name] : undefined;
    return instead === undefined ? row : { ...row, available: false, reason: `for terminals; ${instead}` };
  });
}

/** The commands that an editor may offer. */
export function availableCommands(rows: readonly OperationRow[]): readonly AvailableCommand[] {
  return operationsFor(rows, "own")
    .filter(({ kind, available }) => kind === "command" && available)
    .map(({ name, summary, usage }) => {
      const hint = usage.split(" ").slice(1).join(" ");
      return { name, description: summary, ...(hint === "" ? {} : { input: { hint } }) };
    });
}
