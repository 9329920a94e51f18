/** The command about work: list, look at, read, message, cancel, and decide about what died with its host. */
import { AutolithError } from "../../contract/failure.ts";
import { type Command, type CommandContext, said } from "./command.ts";
import { type SlashWords, isGiven, slashWords, wholeOption } from "./slash-words.ts";

const actions = ["list", "get", "transcript", "send", "cancel", "revive", "abandon"] as const;
type Action = (typeof actions)[number];

export const jobCommands: readonly Command[] = [
  {
    name: "tasks",
    busy: "inspect",
    topic: "jobs",
    summary: "Lists work, live first; shows, reads, messages, cancels, revives or abandons one task.",
    arguments:
      "[list [:offset N] [:limit N] | get ID | transcript ID [:offset N] [:limit N] | send ID :message TEXT | cancel ID | revive ID :authorize t | abandon ID :authorize t]",
    lambdaList: "&optional (action :list) id &key offset limit message authorize",
    quotes: true,
    run: async (input, context) => {
      const given = slashWords(input);
      const [first = "list", id = ""] = given.words;
      const action = actions.find((each) => each === first.toLowerCase());
      if (action === undefined)
        throw new AutolithError(
          "invalid-argument",
          `tasks takes ${actions.join(", ")}, not ${/^-?\d+$/.test(first) ? first.slice(0, 40) : JSON.stringify(first.slice(0, 40))}.`,
        );
      const surplus = given.words.slice(wordsOf(action));
      if (surplus.length > 0)
        throw new AutolithError(
          "invalid-argument",
          `tasks ${action} does not take ${surplus
            .slice(0, 8)
            .map((each) => each.slice(0, 40))
            .join(", ")}${surplus.length > 8 ? ` and ${surplus.length - 8} more` : ""} behind its arguments.`,
        );
      if (action === "list")
        return said(await context.tasks.listText(wholeOption(given, "offset"), wholeOption(given, "limit")));
      if (id === "")
        throw new AutolithError("invalid-argument", `tasks ${action} needs a task: its name or id.`);
      return said(await aboutTask(action, id, given, context));
    },
  },
];

/** How many words an action takes, itself among them; the message of `send` may be any number. */
function wordsOf(action: Action): number {
  if (action === "list") return 1;
  return action === "send" ? Number.POSITIVE_INFINITY : 2;
}

async function aboutTask(
  action: Exclude<Action, "list">,
  name: string,
  given: SlashWords,
  { tasks, core, callTool }: CommandContext,
): Promise<string> {
  const id = await tasks.resolve(name);
  if (action === "transcript")
    return tasks.transcriptText(id, wholeOption(given, "offset"), wholeOption(given, "limit"));
  const [tool, args] = toolCall(action, given);
  const text = await callTool(tool, { id, ...args });
  await core.note("task-inspector", { action, "execution-id": id });
  return text;
}

/** The ordinary job tool that does it, with its arguments besides the id. */
function toolCall(
  action: Exclude<Action, "list" | "transcript">,
  given: SlashWords,
): readonly [tool: string, args: Readonly<Record<string, unknown>>] {
  switch (action) {
    case "get":
    case "cancel":
      return [`job.${action}`, {}];
    case "send": {
      const message = given.options.get("message") ?? given.words.slice(2).join(" ");
      if (message.trim() === "")
        throw new AutolithError("invalid-argument", "tasks send needs a message behind the task.");
      return ["job.send", { message }];
    }
    case "revive":
    case "abandon":
      return ["job.continuity", { action, authorize: isGiven(given, "authorize") }];
  }
}
