/** All commands, found by name; slash text taken apart. Pure. */
import { AutolithError } from "../../contract/failure.ts";
import type { OperationRow } from "../../contract/session/catalogs.ts";
import type { Command } from "./command.ts";
import { correctionCommands } from "./correction-commands.ts";
import { usageOf } from "./help.ts";
import { jobCommands } from "./job-commands.ts";
import { papercutCommands } from "./papercut-commands.ts";
import { sessionCommands } from "./session-commands.ts";
import { slashPieces } from "./slash-words.ts";
import { settingCommands } from "./setting-commands.ts";

export const commands: readonly Command[] = [
  ...sessionCommands,
  ...settingCommands,
  ...jobCommands,
  ...correctionCommands,
  ...papercutCommands,
].sort((left, right) => left.name.localeCompare(right.name));

/** The command of that name or alias, in any case, with or without its slash. */
export function findCommand(name: string): Command | undefined {
  const wanted = name.replace(/^\//, "").toLowerCase();
  return commands.find((each) => each.name === wanted || each.aliases?.includes(wanted) === true);
}

export type SlashText =
  /** `/name text`. */
  | { readonly kind: "command"; readonly name: string; readonly input: string }
  /** Ordinary text; a first `//` stands for one slash. */
  | { readonly kind: "text"; readonly text: string };

/** What a submitted text is. A path such as `/etc/hosts` is text: no command's name holds a slash. */
export function slashText(text: string): SlashText {
  if (text.startsWith("//")) return { kind: "text", text: text.slice(1) };
  const match = /^\/([a-z][a-z0-9-]*)(?:\s+([\s\S]*))?$/i.exec(text.trimEnd());
  if (match === null) return { kind: "text", text };
  return { kind: "command", name: (match[1] ?? "").toLowerCase(), input: (match[2] ?? "").trim() };
}

/** Refuses more words than a command takes, before it is run. Throws `invalid-argument`. */
export function checkWords(command: Command, input: string): void {
  const count = slashPieces(input).length;
  if (command.maxWords === undefined || count <= command.maxWords) return;
  throw new AutolithError(
    "invalid-argument",
    `${command.name} takes ${command.maxWords === 0 ? "no arguments" : `at most ${command.maxWords}`}, not ${count}: ${usageOf(command)}`,
  );
}

/** The row of a command in the catalogue. */
export function commandRow(command: Command): OperationRow {
  return {
    name: command.name,
    aliases: [...(command.aliases ?? [])],
    kind: "command",
    summary: command.summary,
    usage: usageOf(command),
    busy: command.busy,
    topic: command.topic,
    terminalWithoutArguments: command.terminalWithoutArguments === true,
    available: true,
  };
}
