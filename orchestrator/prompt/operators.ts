/** The operators of the prompt as Lisp sees them: every tool and command, and what is only for Lisp. Pure. */
import { z } from "zod";
import { extensionFunctions } from "./extension-operators.ts";
import type { HostFunctionDefinition } from "../contract/lisp-image.ts";
import type { ToolDeclaration } from "../contract/tool.ts";
import type { Command } from "../sessions/commands/command.ts";
import { absentOperators } from "../tools/absent-operators.ts";
import type { ToolRegistry } from "../tools/registry.ts";

/** Functions of the host that only the prelude calls, and those that are no commands. */
const ownOperators: readonly HostFunctionDefinition[] = [
  own("READ-FILE", "path", "The text of a UTF-8 file of at most 131072 characters."),
  own("%PROMPT", "&rest arguments", "Admits a message."),
  own("%CONFIG", "name", "Type and value of a setting."),
  own("%SET-CONFIG", "name value", "Sets a setting."),
  own("%CONFIGURATION", "", "Name, type and value of every setting."),
  own("%VAULT-CONTENTS", "", "Kind and text of each entry of the vault."),
  own("%SET-VAULT-CONTENTS", "entries &optional index", "Replaces entries of the vault."),
];

/** Commands that Lisp defines itself. */
const lispCommands: ReadonlySet<string> = new Set(["vault-contents"]);

/** Everything that a new active image gets. */
export function operatorDefinitions(
  commands: readonly Command[],
  tools: Pick<ToolRegistry, "names" | "get">,
): readonly HostFunctionDefinition[] {
  const names = commands.flatMap((command) =>
    [command.name, ...(command.aliases ?? [])].map((name) => ({ name, command })),
  );
  return [
    ...names
      .filter(({ name }) => !lispCommands.has(name))
      .map(({ name, command }) => ({
        name: name.toUpperCase(),
        lambdaList: commandLambdaList(command),
        documentation: command.summary,
      })),
    ...tools.names().flatMap((name) => {
      const tool = tools.get(name);
      return tool === undefined ? [] : [toolDefinition(tool)];
    }),
    ...ownOperators,
    ...[...absentOperators]
      .filter(([name]) => tools.get(name) === undefined)
      .map(([name, why]) => own(name.toUpperCase(), "&rest arguments", `Not here: ${why}.`)),
    ...extensionFunctions,
  ];
}

function own(name: string, lambdaList: string, documentation: string): HostFunctionDefinition {
  return { name, lambdaList, documentation };
}

function toolDefinition(tool: ToolDeclaration): HostFunctionDefinition {
  const names = argumentNames(tool);
  return {
    name: tool.name.toUpperCase(),
    lambdaList: names === undefined ? "&key &allow-other-keys" : ["&key", ...names.map(lispName)].join(" "),
    documentation: tool.description,
  };
}

/** Names of a tool's arguments; undefined when they depend on each other and so are not one list. */
export function argumentNames({ arguments: schema }: ToolDeclaration): readonly string[] | undefined {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : undefined;
}

/** A name that has upper-case letters keeps them. */
function lispName(name: string): string {
  return name === name.toLowerCase() ? name : `|${name}|`;
}

/** The lambda list of a command, by its own word or by the number of words it takes. */
export function commandLambdaList({ lambdaList, maxWords, arguments: usage }: Command): string {
  if (lambdaList !== undefined) return lambdaList;
  if (maxWords === 0 || usage === "") return "";
  const word = /[A-Za-z][A-Za-z-]*/.exec(usage)?.[0]?.toLowerCase() ?? "argument";
  return maxWords === 1 || maxWords === undefined ? `&optional ${word}` : "&rest arguments";
}
