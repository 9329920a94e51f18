/** The command about jobs: list, look at, read, message, cancel, and decide about those that died with their host. */
import { AutolithError } from "../../contract/failure.ts";
import type { JobRow } from "../../contract/session/catalogs.ts";
import { type Command, type CommandContext, said } from "./command.ts";
import { type SlashWords, isGiven, slashWords, wholeOption } from "./slash-words.ts";

const actions = ["list", "get", "transcript", "send", "cancel", "revive", "abandon"] as const;
type Action = (typeof actions)[number];

/** Jobs that a listing shows. */
const listedJobs = 100;

export const jobCommands: readonly Command[] = [
  {
    name: "tasks",
    busy: "inspect",
    topic: "jobs",
    summary: "Lists jobs; shows, reads, messages, cancels, revives or abandons one.",
    arguments:
      "[list | get ID | transcript ID [:offset N] [:limit N] | send ID TEXT | cancel ID | revive ID :authorize t | abandon ID :authorize t]",
    run: async (input, context) => {
      const given = slashWords(input);
      const [first = "list", id = ""] = given.words;
      const action = actions.find((each) => each === first.toLowerCase());
      if (action === undefined)
        throw new AutolithError(
          "invalid-argument",
          `tasks takes ${actions.join(", ")}, not ${JSON.stringify(first.slice(0, 40))}.`,
        );
      if (action === "list") return said(listing(context.session.jobs()));
      if (id === "")
        throw new AutolithError("invalid-argument", `tasks ${action} needs a job: its name or id.`);
      return said(await aboutJob(action, id, given, context));
    },
  },
];

async function aboutJob(
  action: Exclude<Action, "list">,
  id: string,
  given: SlashWords,
  { session, callTool }: CommandContext,
): Promise<string> {
  switch (action) {
    case "get":
      return (await session.job(id)).text;
    case "transcript": {
      const [offset, limit] = [wholeOption(given, "offset"), wholeOption(given, "limit")];
      const transcript = await session.jobTranscript({
        jobId: id,
        output: "text",
        ...(offset === undefined ? {} : { offset }),
        ...(limit === undefined ? {} : { limit }),
      });
      if (transcript.output !== "text") return "";
      const { text, nextOffset, total, complete } = transcript;
      return complete
        ? text || "(nothing yet)"
        : `${text}\n[… of ${total} characters; :offset ${nextOffset} reads on]`;
    }
    case "send": {
      const message = given.options.get("message") ?? given.words.slice(2).join(" ");
      if (message.trim() === "")
        throw new AutolithError("invalid-argument", "tasks send needs a message behind the job.");
      return `Accepted; ${await session.sendToJob(id, message)} message(s) wait.`;
    }
    case "cancel":
      await session.cancelJob(id);
      return `${id} is being cancelled.`;
    case "revive":
    case "abandon":
      return callTool("job.continuity", { action, id, authorize: isGiven(given, "authorize") });
  }
}

function listing(jobs: readonly JobRow[]): string {
  if (jobs.length === 0) return "There are no jobs.";
  const lines = jobs.slice(0, listedJobs).map((job) => {
    const doing = job.activity === null ? "" : `  (${job.activity})`;
    return `${job.name}  ${job.state}${job.detached ? ", detached" : ""}  ${job.summary}${doing}`;
  });
  const more = jobs.length - lines.length;
  return more === 0 ? lines.join("\n") : `${lines.join("\n")}\n… and ${more} older ones`;
}
