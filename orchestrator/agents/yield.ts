/**
 * `yield.submit`: how a child ends (facts C.5). Exactly one submission is accepted; a rejected one changes nothing and the child
 * may try again.
 */
import { z } from "zod";
import type { JobResult } from "../contract/job-catalog.ts";
import { type ToolDeclaration, declareTool } from "../contract/tool.ts";

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

/** Checks structured data against the output contract; answers the problems found, each with its path. */
export type ContractCheck = (data: JsonValue) => readonly string[];

type Rejection = { readonly code: string; readonly reason: string };

/** Why a submission is not acceptable, or undefined. A pure function of the arguments and the contract. */
export function submissionProblem(
  args: z.infer<typeof yieldArguments>,
  contract: ContractCheck | undefined,
): Rejection | undefined {
  if (args.status !== "success") return failureProblem(args);
  if (args.error !== undefined)
    return {
      code: "yield-arguments",
      reason: "A success carries no error. Leave `error` out, or use status failed.",
    };
  if (contract !== undefined) return contractProblem(args.data, contract);
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

function contractProblem(data: JsonValue | undefined, contract: ContractCheck): Rejection | undefined {
  if (data === undefined)
    return { code: "contract-violation", reason: "The output contract requires `data`; none was given." };
  const problems = contract(data);
  if (problems.length === 0) return undefined;
  return {
    code: "contract-violation",
    reason: `The data does not satisfy the output contract:\n${problems.slice(0, 20).join("\n")}`,
  };
}

/** The state of one child's ending. */
export class YieldState {
  #accepted: Submission | undefined;
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

  /** The child's own `yield.submit`. */
  tool(): ToolDeclaration {
    return declareTool({
      name: "yield.submit",
      description:
        "Ends your work with its result. Call it exactly once, alone, when the work is done or cannot be done: status success with text (and data when an output contract is given), or failed/aborted with error.",
      arguments: yieldArguments,
      effects: "none",
      concurrency: "barrier",
      audience: "children",
      execute: (args) => Promise.resolve(this.#submit(args)),
    });
  }

  #submit(args: z.infer<typeof yieldArguments>): Awaited<ReturnType<ToolDeclaration["execute"]>> {
    const rejection = this.#rejection(args);
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

  #rejection(args: z.infer<typeof yieldArguments>): Rejection | undefined {
    if (this.#accepted !== undefined)
      return { code: "yield-duplicate", reason: "A submission was accepted already; the work has ended." };
    const pending = this.#pendingSteering();
    if (pending > 0)
      return {
        code: "yield-steering-pending",
        reason: `${pending} message(s) for you are waiting. Read them after this turn, then submit again.`,
      };
    return submissionProblem(args, this.#contract);
  }
}
