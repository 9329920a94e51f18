/** Calls a command that Lisp has defined, for somebody who can choose among the restarts of its conditions. */
import type {
  HostCalls,
  LispDecision,
  LispEvaluationOptions,
  LispJson,
  LispResult,
} from "../contract/lisp-image.ts";
import { formValueCharacters } from "../contract/session/forms.ts";
import { defaultColumns, formResult } from "./form-result.ts";
import type { SecretRemover } from "../secrets/secret-removal.ts";
import { formResultText } from "./form-text.ts";
import { type LispAnswer, callLisp, lispCallOutputCharacters } from "./lisp-calls.ts";
import type { FormDecision, RestartBroker } from "./restart-broker.ts";

type Evaluate = (source: string, options: LispEvaluationOptions) => Promise<LispResult>;

export type CommandCallParts = {
  /** Answers what Lisp calls meanwhile. */
  readonly calls: HostCalls;
  readonly restarts: Pick<RestartBroker, "ask">;
  readonly withoutSecrets: SecretRemover;
};

/**
 * `args`: the name, the text behind it, its words. The command is called as often as whoever stands before the restarts wants; values that
 * were chosen instead are its answer. Rejects with `lisp-condition`, `cancelled`, `image-ended`.
 */
export async function callCommand(
  evaluate: Evaluate,
  args: readonly LispJson[],
  parts: CommandCallParts,
): Promise<LispAnswer> {
  const { calls, restarts } = parts;
  const [command = "", input = ""] = args.map((word) => (typeof word === "string" ? word : ""));
  const asked = { formId: `command:${command}`, source: `/${command} ${input}`.trim() };
  for (;;) {
    const chosen: { next?: Exclude<FormDecision, LispDecision> } = {};
    try {
      return await callLisp(evaluate, ["command", ...args], {
        calls,
        onCondition: async (condition, signal) => {
          const decision = await restarts.ask(asked, condition, signal);
          if (decision.kind === "restart" || decision.kind === "abort") return decision;
          chosen.next = decision;
          return { kind: "abort" };
        },
      });
    } catch (error) {
      const { next } = chosen;
      if (next === undefined) throw error;
      if (next.kind === "values") return valuesOf(evaluate, next.source, parts);
    }
  }
}

/** The values of a form in place of what the command would have answered. */
async function valuesOf(
  evaluate: Evaluate,
  source: string,
  { calls, withoutSecrets }: CommandCallParts,
): Promise<LispAnswer> {
  let output = "";
  const result = await evaluate(source, {
    package: "AUTOLITH",
    onCall: calls,
    previewLength: formValueCharacters,
    outputLimit: lispCallOutputCharacters,
    onOutput: (_stream, text) => {
      output += text;
    },
  });
  const shown = formResult(result, {
    captured: { text: output, omitted: 0 },
    columns: defaultColumns,
    durationMs: 0,
    withoutSecrets,
  });
  return { value: "continue", output: formResultText(shown) };
}
