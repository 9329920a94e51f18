/** Tools that only a primary has: its plan. */
import { z } from "zod";
import type { PlanEntry } from "../contract/session/updates.ts";
import { type ToolDeclaration, declareTool } from "../contract/tool.ts";

export type PlanAccess = {
  readonly plan: () => readonly PlanEntry[];
  /** Makes the plan durable and shows it. */
  readonly replace: (entries: readonly PlanEntry[], explanation: string | undefined) => Promise<void>;
};

/** Steps of a plan, at most. */
const stepLimit = 64;

const statusWords = { pending: "pending", doing: "in_progress", done: "completed" } as const;

const planArguments = z.strictObject({
  steps: z
    .array(
      z.strictObject({
        step: z.string().trim().min(1).max(1_000),
        status: z.enum(["pending", "doing", "done"]),
      }),
    )
    .max(stepLimit),
  explanation: z.string().max(2_000).optional(),
});

/** `plan.update` and `plan.list`. */
export function planTools(access: PlanAccess): readonly ToolDeclaration[] {
  return [
    declareTool({
      name: "plan.update",
      description:
        "Replaces your plan: its steps in order, each pending, doing or done; at most one is doing. The person sees it.",
      arguments: planArguments,
      effects: "local",
      concurrency: () => "plan",
      audience: "primary",
      execute: async ({ steps, explanation }) => {
        if (steps.filter(({ status }) => status === "doing").length > 1)
          return { status: "error", code: "invalid-plan", content: "At most one step may be doing." };
        await access.replace(
          steps.map(({ step, status }) => ({
            content: step,
            priority: "medium",
            status: statusWords[status],
          })),
          explanation,
        );
        return { status: "ok", content: `The plan has ${steps.length} step(s).` };
      },
    }),
    declareTool({
      name: "plan.list",
      description: "Shows your plan.",
      arguments: z.strictObject({}),
      effects: "none",
      concurrency: () => "plan",
      audience: "primary",
      execute: () =>
        Promise.resolve({
          status: "ok",
          content:
            access
              .plan()
              .map(({ content, status }, index) => `${index + 1}. [${planWord(status)}] ${content}`)
              .join("\n") || "There is no plan.",
        }),
    }),
  ];
}

/** The model's word for a status. */
export function planWord(status: PlanEntry["status"]): keyof typeof statusWords {
  return status === "in_progress" ? "doing" : status === "completed" ? "done" : "pending";
}
