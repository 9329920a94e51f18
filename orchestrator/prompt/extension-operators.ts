/** The host functions by which Lisp extends its sessions; `lisp/library/97-prompt-extensions.lisp` calls them. */
import { z } from "zod";
import { readDataForm } from "../../lisp/data-forms/index.ts";
import { contextRuleOf } from "../advice/context-rule.ts";
import { adviceStatusText } from "../advice/status-text.ts";
import { AutolithError } from "../contract/failure.ts";
import {
  type HostCall,
  type HostFunctionDefinition,
  HostReport,
  type HostReturn,
  type LispJson,
} from "../contract/lisp-image.ts";
import { busyBehaviourSchema } from "../contract/session/catalogs.ts";
import type { SessionCore } from "../sessions/session-core.ts";
import type { DefinedCommand, ImageExtensions } from "./image-extensions.ts";
import { lispText } from "./argument-types.ts";
import type { LispAnswer } from "./lisp-calls.ts";

export type ExtensionParts = {
  readonly core: SessionCore;
  readonly extensions: () => ImageExtensions;
  /** True for a name that a command or tool of ours has. */
  readonly isTaken: (name: string) => boolean;
  /** Calls what Lisp offers, for a contributor. */
  readonly callLisp: (name: string, args: readonly LispJson[], signal: AbortSignal) => Promise<LispAnswer>;
};

/** What Lisp sees of them. */
export const extensionFunctions: readonly HostFunctionDefinition[] = [
  hidden("%REQUEST", ""),
  hidden("%ANSWER", "value"),
  hidden("%CONVERSATION", ""),
  hidden(
    "%REGISTER-COMMAND",
    "name aliases argument options description tip busy terminal minimum maximum parsed",
  ),
  hidden("%REGISTER-CONTRIBUTOR", "name"),
  hidden("%UNREGISTER-CONTRIBUTOR", "name"),
  hidden("%REGISTER-RULE", "text"),
  hidden("%UNREGISTER-RULE", "id"),
  hidden("%REGISTER-PROVIDER", "name description endpoint models-endpoint headers models"),
  {
    name: "CONTEXT-STATUS",
    lambdaList: "",
    documentation:
      "What the last request carried besides the conversation, and which contributors and rules are registered.",
  },
];

function hidden(name: string, lambdaList: string): HostFunctionDefinition {
  return { name, lambdaList, documentation: "For the prompt's own Lisp." };
}

/** Name of a command: what a slash can stand before. */
const commandName = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/);

const commandArguments = z.tuple([
  commandName,
  z.array(commandName).max(16),
  z.string().max(200),
  z.array(z.string().max(200)).max(64),
  z.string().max(1_000),
  z.string().max(1_000),
  busyBehaviourSchema,
  z.enum(["shared", "exclusive", "exclusive-without-arguments"]),
  z.int().min(0).max(64),
  z.int().min(-1).max(64),
  z.boolean(),
]);

type Operator = (args: readonly LispJson[], call: HostCall) => HostReturn | Promise<HostReturn>;

/** Answers their calls. They reject with `invalid-argument`, `name-taken`, `extension-limit`, `invalid-context-rule`. */
export function extensionOperators(parts: ExtensionParts): Readonly<Record<string, Operator>> {
  const { core, extensions } = parts;
  return {
    "%CONVERSATION": () => core.id,
    "%REGISTER-COMMAND": (args) => {
      const command = definedCommand(args);
      for (const name of [command.name, ...command.aliases])
        if (parts.isTaken(name))
          throw new AutolithError(
            "name-taken",
            `${name} is an operator of autolith; choose another name for the command.`,
          );
      extensions().addCommand(command);
      core.invalidate("operations");
      return command.name;
    },
    "%REGISTER-CONTRIBUTOR": ([given]) => {
      const name = textOf(given, "the name of a contributor");
      extensions().addContributor({
        name,
        contribute: async (request, signal) => {
          const { value } = await parts.callLisp("contribute", [name, request], signal);
          return Array.isArray(value) ? (value as readonly unknown[]) : [];
        },
      });
      return name;
    },
    "%UNREGISTER-CONTRIBUTOR": ([given]) =>
      extensions().removeContributor(textOf(given, "the name of a contributor")),
    "%REGISTER-RULE": ([given]) => {
      const rule = contextRuleOf(
        readDataForm(Buffer.from(textOf(given, "a rule")), {
          limits: { maxBytes: 65_536, maxDepth: 8, maxNodes: 2_048, maxStringCharacters: 16_384 },
        }),
      );
      extensions().addRule(rule);
      return rule.id;
    },
    "%UNREGISTER-RULE": ([given]) => extensions().removeRule(textOf(given, "the id of a rule")),
    "%REGISTER-PROVIDER": (args) => core.environment.registerProvider(args),
    "CONTEXT-STATUS": () => new HostReport(statusText(core)),
  };
}

function statusText(core: SessionCore): string {
  const status = core.advice.status();
  const carried = adviceStatusText(status);
  return [
    carried === "" ? "The last request carried nothing besides the conversation." : carried,
    `Contributors: ${status.sources.join(", ") || "none"}`,
    `Registered rules: ${status.rules.map(({ id }) => id).join(", ") || "none"}`,
  ].join("\n");
}

function definedCommand(args: readonly LispJson[]): DefinedCommand {
  const checked = commandArguments.safeParse(args);
  if (!checked.success) throw commandRefusal(args, checked.error);
  const [name, aliases, argument, choices, description, tip, busy, terminal, , maximum, isParsed] =
    checked.data;
  return {
    name,
    aliases,
    busy,
    summary: tip === "" ? description : `${description} Tip: ${tip}`,
    arguments: argument === "" && choices.length > 0 ? `[${choices.join("|")}]` : argument,
    choices,
    needsTerminal: terminal !== "shared",
    maxWords: isParsed || maximum < 0 ? undefined : maximum,
  };
}

/** Options of a command as {@link commandArguments} has them, and what each one takes. */
const commandOptions: readonly (readonly [option: string, expected: string])[] = [
  [":name", 'a name such as "/release": a letter, then letters, digits and hyphens, 64 characters at most'],
  [":aliases", "a list of at most 16 names like that of :name"],
  [":argument", "a string of at most 200 characters"],
  [":static-options", "a list of at most 64 strings, keywords or booleans of at most 200 characters"],
  [":description", "a string of at most 1000 characters"],
  [":tip", "a string of at most 1000 characters"],
  [":busy-behavior", `one of ${busyBehaviourSchema.options.map((each) => `:${each}`).join(", ")}`],
  [":terminal-behavior", "one of :shared, :exclusive, :exclusive-without-arguments"],
];

function commandRefusal(args: readonly LispJson[], { issues }: z.ZodError): AutolithError {
  const place = Number(issues[0]?.path[0] ?? 0);
  const [option, expected] = commandOptions[place] ?? ["its lambda list", "at most 64 parameters"];
  return new AutolithError(
    "invalid-argument",
    `define-application-command takes ${expected} for ${option}, not ${lispText(args[place])}.\nExample: (define-application-command release-command (:name "/release" :description "Says what is released." :busy-behavior :inspect) (application) (application-present application "3.1") :continue)`,
    { details: { problem: "value", ...(option.startsWith(":") ? { argument: option.slice(1) } : {}) } },
  );
}

function textOf(given: LispJson | undefined, what: string): string {
  if (typeof given === "string" && given !== "" && given.length <= 65_536) return given;
  throw new AutolithError(
    "invalid-argument",
    `Expected ${what} as a string of at most 65536 characters that is not empty, not ${lispText(given)}.`,
  );
}
