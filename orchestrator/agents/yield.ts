/**
 * `yield.submit`: how a child ends (facts C.5). Exactly one submission is accepted; a rejected one changes nothing and the child
 * may try again.
 */
import { z } from "zod";
import {
  type DataForm,
  DataFormError,
  jsonTextToForm,
  jsonToForm,
  portableObject,
} from "../../lisp/data-forms/index.ts";
import type { JobResult } from "../contract/job-catalog.ts";
import { type ToolContext, type ToolDeclaration, declareTool } from "../contract/tool.ts";
import type { SettledCall } from "../tools/dispatcher.ts";

const toolName = "yield.submit";

/** Identical submissions refused in a row, with the same reason, after which a child is ended: it does not read what it is told. */
export const repeatedRejectionLimit = 8;

/** Longest label, in characters. */
export const labelLimit = 256;

const yieldArguments = z.strictObject({
  status: z.enum(["success", "failed", "aborted"]),
  text: z.string().optional().describe("The final answer in prose."),
  data: z.json().optional().describe("The structured result; required when an output contract is given."),
  error: z
    .string()
    .optional()
    .describe("Why the work failed or was aborted; required then, forbidden for success."),
  label: z.string().max(labelLimit).optional().describe("A short title of the result."),
});

type JsonValue = z.infer<ReturnType<typeof z.json>>;

/** The accepted submission. */
export type Submission = {
  readonly status: JobResult<"agent">["status"];
  readonly text: string | undefined;
  readonly data: JsonValue | undefined;
  readonly error: string | undefined;
  readonly label: string | undefined;
};

/** Checks structured data, as a portable form, against the output contract; answers the problems found, each with its path. */
export type ContractCheck = (data: DataForm) => readonly string[];

type Rejection = { readonly code: string; readonly reason: string };

/**
 * Why a submission is not acceptable, or undefined. A pure function of the arguments, the contract and the arguments' text, which
 * tells `3` from `3.0`.
 */
export function submissionProblem(
  args: z.infer<typeof yieldArguments>,
  contract: ContractCheck | undefined,
  argumentText: string | undefined,
): Rejection | undefined {
  if (args.status !== "success") return failureProblem(args);
  if (args.error !== undefined)
    return {
      code: "yield-arguments",
      reason: "A success carries no error. Leave `error` out, or use status failed.",
    };
  if (contract !== undefined) return contractProblem(args.data, contract, argumentText);
  if (args.data === undefined && (args.text ?? "").trim() === "")
    return { code: "yield-arguments", reason: "A success needs a non-empty `text` or explicit `data`." };
  return undefined;
}

function failureProblem(args: z.infer<typeof yieldArguments>): Rejection | undefined {
  if ((args.error ?? "").trim() === "")
    return {
      code: "yield-arguments",
      reason: `Status ${args.status} needs a non-empty \`error\` that says why.`,
    };
  if (args.data !== undefined)
    return { code: "yield-arguments", reason: `Status ${args.status} carries no \`data\`.` };
  return undefined;
}

function contractProblem(
  data: JsonValue | undefined,
  contract: ContractCheck,
  argumentText: string | undefined,
): Rejection | undefined {
  if (data === undefined)
    return { code: "contract-violation", reason: "The output contract requires `data`; none was given." };
  const problems = dataProblems(data, contract, argumentText);
  if (problems.length === 0) return undefined;
  return {
    code: "contract-violation",
    reason: `The data does not satisfy the output contract:\n${problems.join("\n")}`,
  };
}

/** Both the data as written and the data as kept must hold: an integer that no double holds is kept as a float. */
function dataProblems(
  data: JsonValue,
  contract: ContractCheck,
  argumentText: string | undefined,
): readonly string[] {
  try {
    const written = argumentText === undefined ? undefined : writtenData(argumentText);
    const problems = written === undefined ? [] : contract(written);
    return problems.length > 0 ? problems : contract(jsonToForm(data));
  } catch (error) {
    if (error instanceof DataFormError) return [error.problem];
    throw error;
  }
}

function writtenData(argumentText: string): DataForm | undefined {
  return portableObject(jsonTextToForm(argumentText, argumentText.length))?.get("data");
}

/** The state of one child's ending. */
export class YieldState {
  #accepted: Submission | undefined;
  #rejected = { what: "", reason: "", times: 0 };
  readonly #contract: ContractCheck | undefined;
  readonly #pendingSteering: () => number;

  /** `pendingSteering` counts messages that the child has not seen; while there are any it may not end. */
  constructor(contract: ContractCheck | undefined, pendingSteering: () => number) {
    this.#contract = contract;
    this.#pendingSteering = pendingSteering;
  }

  get accepted(): Submission | undefined {
    return this.#accepted;
  }

  /** Why the child is ended without a submission: it repeats one that was refused. Undefined while it is not. */
  get givenUp(): string | undefined {
    const { times, reason } = this.#rejected;
    if (times < repeatedRejectionLimit) return undefined;
    return `The child was ended: it sent the same refused ${toolName} ${times} times in a row. It was told each time: ${reason}`;
  }

  /** Takes note of the settled calls of a turn, whoever refused them. */
  observe(settled: readonly SettledCall[]): void {
    for (const { call, code, result } of settled) {
      // Messages that came in between are no fault of the child.
      if (call.tool !== toolName || code === "yield-steering-pending") continue;
      const what = result.status === "error" ? `${call.arguments}\n${result.output}` : "";
      const times = what === "" ? 0 : what === this.#rejected.what ? this.#rejected.times + 1 : 1;
      this.#rejected = { what, reason: result.output, times };
    }
  }

  /** The child's own `yield.submit`. */
  tool(): ToolDeclaration {
    return declareTool({
      name: toolName,
      description:
        "Ends your work with its result. Call it exactly once, alone, when the work is done or cannot be done: status success with text (and data when an output contract is given), or failed/aborted with error.",
      arguments: yieldArguments,
      effects: "none",
      concurrency: "barrier",
      audience: "children",
      execute: (args, context) => Promise.resolve(this.#submit(args, context)),
    });
  }

  #submit(
    args: z.infer<typeof yieldArguments>,
    { argumentText }: ToolContext,
  ): Awaited<ReturnType<ToolDeclaration["execute"]>> {
    const rejection = this.#rejection(args, argumentText);
    if (rejection !== undefined) return { status: "error", code: rejection.code, content: rejection.reason };
    this.#accepted = {
      status: args.status,
      text: args.text,
      data: args.data,
      error: args.error,
      label: args.label,
    };
    return { status: "ok", content: "(:yield-submit :accepted-p t)" };
  }

  #rejection(args: z.infer<typeof yieldArguments>, argumentText: string | undefined): Rejection | undefined {
    if (this.#accepted !== undefined)
      return { code: "yield-duplicate", reason: "A submission was accepted already; the work has ended." };
    const pending = this.#pendingSteering();
    if (pending > 0)
      return {
        code: "yield-steering-pending",
        reason: `${pending} message(s) for you are waiting. Read them after this turn, then submit again.`,
      };
    return submissionProblem(args, this.#contract, argumentText);
  }
}
