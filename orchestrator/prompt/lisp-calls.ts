/** The host calls Lisp: a function that Lisp offers under a name is called with JSON values and answers one. */
import { AutolithError, boundedMessage } from "../contract/failure.ts";
import type { HostCalls, LispEvaluationOptions, LispJson, LispResult } from "../contract/lisp-image.ts";

/** Host functions by which a call fetches its arguments and gives its answer; see `lisp/library/97-prompt-extensions.lisp`. */
const requestName = "%REQUEST";
const answerName = "%ANSWER";

/** Most characters of output of one call. */
export const lispCallOutputCharacters = 65_536;

export type LispCallOptions = Pick<LispEvaluationOptions, "onCondition" | "signal"> & {
  /** Answers what Lisp calls meanwhile. */
  readonly calls: HostCalls;
};

export type LispAnswer = {
  readonly value: LispJson;
  /** What was written to standard and error output. */
  readonly output: string;
};

/**
 * Calls what Lisp offers as `name`. Rejects with `lisp-condition` (type and report in the message), `cancelled`, `image-ended`.
 */
export async function callLisp(
  evaluate: (source: string, options: LispEvaluationOptions) => Promise<LispResult>,
  [name, ...args]: readonly [name: string, ...args: LispJson[]],
  { calls, ...options }: LispCallOptions,
): Promise<LispAnswer> {
  let value: LispJson = null;
  let output = "";
  const result = await evaluate("(autolith::%serve)", {
    ...options,
    package: "AUTOLITH",
    outputLimit: lispCallOutputCharacters,
    onOutput: (_stream, text) => {
      output += text;
    },
    onCall: (given, call) => {
      if (call.name === requestName) return [name, ...args];
      if (call.name !== answerName) return calls(given, call);
      value = given[0] ?? null;
      return true;
    },
  });
  if (result.droppedOutput > 0) output += `\n… (${result.droppedOutput} more characters of output)`;
  if (result.kind === "values") return { value, output };
  throw callFailure(name, result);
}

function callFailure(name: string, result: Exclude<LispResult, { kind: "values" }>): AutolithError {
  switch (result.kind) {
    case "failed": {
      const { condition, reason } = result;
      const report = condition === null ? reason : `${condition.type}: ${condition.text}`;
      return new AutolithError("lisp-condition", boundedMessage(report));
    }
    case "cancelled":
      return new AutolithError("cancelled", `${name} was cancelled: ${result.reason}.`);
    case "quit":
      return new AutolithError("lisp-condition", `${name} asked to end the image; the session goes on.`);
    case "lost":
      return new AutolithError("image-ended", `${name} was lost with its image: ${result.reason}.`);
  }
}
