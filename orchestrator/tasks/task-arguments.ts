/** `task.run` arguments: one task or a batch with shared context (facts C.7), checked and brought into one shape. */
import { parseForeignJson } from "../contract/json-nesting.ts";
import { z } from "zod";
import { AutolithError } from "../contract/failure.ts";
import { type CompletionPolicy, completionPolicySchema, isolationSchema } from "../contract/job-catalog.ts";

/** Items of one batch; admitted together or not at all. */
export const batchLimit = 16;
/** Times a value that was JSON-encoded once too often is unwrapped. */
const unwrapLimit = 2;

const name = z.string().min(1).max(64).describe("Short name of the child.");
const agent = z.string().min(1).max(64).describe("Role; `task` when absent. task.agents lists the roles.");
const task = z.string().min(1).max(1_048_576).describe("What the child is to do, complete in itself.");

const itemSchema = z.strictObject({
  name: name.optional(),
  agent: agent.optional(),
  task,
  context: z.string().max(1_048_576).optional().describe("Background for this child."),
  blocking: z.boolean().optional().describe("Wait for the child. Not together with async."),
  async: z.boolean().optional().describe("The opposite of blocking."),
  "completion-policy": completionPolicySchema.optional(),
  isolation: isolationSchema.partial().optional(),
});

/** One schema for both shapes, as models see it. */
export const taskRunArguments = z.strictObject({
  ...itemSchema.shape,
  task: task.optional(),
  tasks: z
    .array(itemSchema)
    .min(1)
    .max(batchLimit)
    .optional()
    .describe("A batch; then context is required and shared."),
});

type TaskRunArguments = z.infer<typeof taskRunArguments>;

/** One child to start. */
export type TaskItem = {
  readonly name: string | undefined;
  readonly agent: string;
  readonly task: string;
  readonly context: string | undefined;
  readonly blocking: boolean;
  readonly completionPolicy: CompletionPolicy;
  readonly isolation: z.infer<typeof isolationSchema> | undefined;
};

/** The children a call asks for, in order. Throws `task-arguments` naming the field and the rule. */
export function taskItems(args: TaskRunArguments): readonly TaskItem[] {
  if (args.tasks === undefined) {
    if (args.task === undefined) throw problem("Give `task` for one child, or `tasks` for a batch.");
    return [itemOf({ ...args, task: args.task }, {})];
  }
  for (const field of ["task", "name", "agent", "isolation"] as const)
    if (args[field] !== undefined)
      throw problem(`\`${field}\` does not go with \`tasks\`; set it in the items.`);
  if ((args.context ?? "").trim() === "") throw problem("A batch needs a non-empty shared `context`.");
  checkNames(args.tasks);
  return args.tasks.map((item) => itemOf(item, args));
}

function problem(text: string): AutolithError {
  return new AutolithError("task-arguments", `task.run: ${text}`);
}

function checkNames(items: readonly z.infer<typeof itemSchema>[]): void {
  const seen = new Set<string>();
  for (const item of items) {
    const folded = item.name?.toLowerCase();
    if (folded === undefined) continue;
    if (seen.has(folded)) throw problem(`the name ${JSON.stringify(item.name)} is used twice in the batch.`);
    seen.add(folded);
  }
}

type Shared = Pick<TaskRunArguments, "context" | "blocking" | "async" | "completion-policy">;

function itemOf(item: z.infer<typeof itemSchema>, shared: Shared): TaskItem {
  const text = unwrapped(item.task).trim();
  if (text === "") throw problem("`task` is empty.");
  return {
    name: item.name,
    agent: (item.agent ?? "task").toLowerCase(),
    task: text,
    context: joined(shared.context, item.context),
    blocking: blockingOf(item) ?? blockingOf(shared) ?? false,
    completionPolicy: item["completion-policy"] ?? shared["completion-policy"] ?? "continue",
    isolation: item.isolation === undefined ? undefined : isolationSchema.parse(item.isolation),
  };
}

function blockingOf(options: {
  blocking?: boolean | undefined;
  async?: boolean | undefined;
}): boolean | undefined {
  if (options.blocking !== undefined && options.async !== undefined)
    throw problem("`blocking` and `async` say the same thing; give one of them.");
  if (options.async !== undefined) return !options.async;
  return options.blocking;
}

function joined(shared: string | undefined, own: string | undefined): string | undefined {
  const parts = [shared, own].flatMap((text) => (text === undefined ? [] : [unwrapped(text)]));
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

/** Text that a model JSON-encoded again is unwrapped, at most twice; anything else stays as it is. */
function unwrapped(text: string): string {
  let value = text;
  for (let level = 0; level < unwrapLimit; level += 1) {
    if (!/^\s*"[\s\S]*"\s*$/.test(value)) return value;
    try {
      const inner: unknown = parseForeignJson(value);
      if (typeof inner !== "string") return value;
      value = inner;
    } catch {
      return value;
    }
  }
  return value;
}
