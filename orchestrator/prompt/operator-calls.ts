/** What happens when Lisp calls an operator: tools through the dispatcher, commands through the invoker, the prompt's own ones here. */
import { AutolithError } from "../contract/failure.ts";
import {
  type HostCall,
  type HostCalls,
  HostReport,
  type HostReturn,
  type LispJson,
} from "../contract/lisp-image.ts";
import type { Session } from "../contract/session/service.ts";
import type { VaultEntry } from "../contract/session/input.ts";
import { entryText } from "../sessions/input/pending-inputs.ts";
import type { SessionCommandSet } from "../sessions/commands/session-command-set.ts";
import type { Invoker } from "../sessions/commands/invoker.ts";
import { settingText } from "../sessions/settings/setting-values.ts";
import type { SessionCore } from "../sessions/session-core.ts";
import { absentOperator } from "../tools/absent-operators.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import { checkToolArguments } from "./argument-refusal.ts";
import { type ExtensionParts, extensionOperators } from "./extension-operators.ts";
import { commandText, namedArguments } from "./operator-arguments.ts";
import type { RecordedForm } from "./form-records.ts";
import { configurationRows, nativeSettingValue, settingAnswer } from "./operator-settings.ts";
import { readText } from "./read-file.ts";
import { vaultEntries } from "./vault-entries.ts";

export type OperatorParts = {
  readonly core: SessionCore;
  readonly session: Session;
  readonly tools: ToolRegistry;
  readonly commands: Pick<SessionCommandSet, "find">;
  readonly invoker: Pick<Invoker, "callTool" | "invokeText">;
  /** Admits a message; see PROMPT. */
  readonly prompt: (args: readonly LispJson[], call: HostCall) => Promise<LispJson>;
  readonly extension: ExtensionParts;
};

/** Answers calls for one conversation, given the form that they come from. */
export function operatorCalls(parts: OperatorParts): (form: RecordedForm | undefined) => HostCalls {
  const own = { ...ownOperators(parts), ...extensionOperators(parts.extension) };
  return (form) => async (args, call) => {
    const special = own[call.name];
    if (special !== undefined) return special(args, call);
    const name = call.name.toLowerCase();
    const tool = parts.tools.get(name);
    if (tool !== undefined) {
      const named = namedArguments(tool, args, call);
      checkToolArguments(tool, named);
      const { result, code } = await parts.invoker.callTool(name, named, call.signal);
      if (result.status === "ok") return new HostReport(result.output);
      throw new AutolithError(code ?? "tool-failed", result.output);
    }
    const command = parts.commands.find(name);
    if (command === undefined)
      throw (
        absentOperator(name) ??
        new AutolithError("unknown-operation", `There is no operator ${call.name} in this session.`)
      );
    if (command.name === "settings" && args.length === 2) return setting(parts, args);
    const invocation = await parts.invoker.invokeText(command.name, commandText(command, args, call));
    const { clientAction: action } = invocation;
    if (action !== undefined && form !== undefined) {
      const { formId, inputId } = form;
      parts.core.emit({
        kind: "form-action",
        formId,
        ...(inputId === undefined ? {} : { inputId }),
        action,
        ...(invocation.complaint === undefined ? {} : { complaint: invocation.complaint }),
      });
    }
    return new HostReport(invocation.text);
  };
}

type Operator = (args: readonly LispJson[], call: HostCall) => HostReturn | Promise<HostReturn>;

function ownOperators(parts: OperatorParts): Readonly<Record<string, Operator>> {
  const { session, core } = parts;
  return {
    "READ-FILE": ([path]) => readText(core.workingDirectory, path),
    "%PROMPT": (args, call) => parts.prompt(args, call),
    "%CONFIG": ([name]) => settingAnswer(session.settings(), name),
    "%SET-CONFIG": async ([name, value]) => {
      await session.setSetting(...nativeSettingValue(name, value ?? null));
      return true;
    },
    "%CONFIGURATION": () => configurationRows(session.settings()),
    "%VAULT-CONTENTS": () => session.vaultContents().map((entry) => [entry.type, entryText(entry)]),
    "%SET-VAULT-CONTENTS": async ([entries, index]) => {
      await session.setVaultContents(replaced(session.vaultContents(), vaultEntries(entries), index));
      return true;
    },
  };
}

/** `(settings :name value)`: the native value. */
async function setting({ session }: OperatorParts, [name, value]: readonly LispJson[]): Promise<HostReturn> {
  const row = await session.setSetting(...nativeSettingValue(name, value ?? null));
  return new HostReport(`${row.name} = ${settingText(row.value)} (${row.source})`);
}

function replaced(
  present: readonly VaultEntry[],
  given: readonly VaultEntry[],
  index: LispJson | undefined,
): readonly VaultEntry[] {
  if (index === undefined) return given;
  if (typeof index === "number" && Number.isInteger(index) && index >= 0 && index < present.length)
    return present.map((entry, place) => (place === index ? (given[0] ?? entry) : entry));
  throw new AutolithError(
    "invalid-argument",
    `The vault has ${present.length} entries, counted from 0; there is none at ${JSON.stringify(index)}.`,
  );
}
