/** `tasks`: the work of this conversation, and what a person does about it. */
import { taskRequest, taskUsage } from "../../inspection/index.ts";
import { type Command, type CommandContext, said } from "./command.ts";

export const taskCommands: readonly Command[] = [
  {
    name: "tasks",
    busy: "inspect",
    topic: "jobs",
    summary: "Lists child agents and background work, shows one, its transcript, or acts on it.",
    arguments: `[${taskUsage}]`,
    run: async (input, context) => said(await perform(input, context)),
  },
];

async function perform(input: string, { session, tasks, core }: CommandContext): Promise<string> {
  const request = taskRequest(input);
  if (request.action === "list") return tasks.listText(request.offset, request.limit);
  const id = tasks.resolve(request.id);
  const call = async (tool: string, args: object): Promise<string> => {
    const { text } = await session.invoke(tool, { id, ...args });
    await core.note("task-inspector", { action: request.action, "execution-id": id });
    return text;
  };
  switch (request.action) {
    case "get":
      return call("job.get", {});
    case "send":
      return call("job.send", { message: request.message });
    case "cancel":
      return call("job.cancel", {});
    case "revive":
    case "abandon":
      return call("job.continuity", { action: request.action, authorize: request.authorize });
    case "transcript": {
      const { text, path, offset, nextOffset, atEnd } = await tasks.transcript(
        id,
        request.offset,
        request.limit,
      );
      const place = atEnd ? `The end is at ${nextOffset}.` : `More: offset ${nextOffset}.`;
      return `${text}\n\nCharacters ${offset} to ${nextOffset} of ${path}. ${place}`;
    }
  }
}
