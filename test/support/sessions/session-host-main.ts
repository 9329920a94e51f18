/**
 * A session host in a process of its own, for tests that kill it. Usage: session-host-main.ts WORKSPACE [CONVERSATION]. It opens the
 * conversation, or a new one, and takes lines `prompt TEXT`, `queue TEXT`, `steer TEXT` and `jobs`; it prints each event as a line of JSON.
 */
import { createInterface } from "node:readline";
import { composeSessions } from "../../../cli/compose-session.ts";
import { conversationIdSchema } from "../../../orchestrator/contract/identifiers.ts";

const [workspace = "", conversation] = process.argv.slice(2);

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

const composed = await composeSessions({
  environment: process.env,
  permissions: "full",
  model: undefined,
  provider: undefined,
  siteConfigRoot: undefined,
  diagnostics: (line) => process.stderr.write(`${line}\n`),
});
const session =
  conversation === undefined
    ? await composed.service.create({ workingDirectory: workspace })
    : await composed.service.load(conversationIdSchema.parse(conversation));
const client = await session.attach({ name: "test", answersPermissions: true, tail: "all" });
print({ kind: "open", id: session.id, state: client.state, history: client.history.updates });

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const [verb, ...words] = line.split(" ");
  if (verb === "jobs") {
    const detached = session.jobs().filter((job) => job.detached);
    print({
      kind: "jobs",
      jobs: detached.map(({ jobId, name, state, depth }) => ({ jobId, name, state, depth })),
    });
    return;
  }
  const text = words.join(" ");
  const input = { parts: [{ type: "text" as const, text }] };
  const act =
    verb === "queue" ? session.queue(input) : verb === "steer" ? session.steer(input) : session.prompt(input);
  act.then(
    () => print({ kind: "accepted", verb, text }),
    (error: unknown) => print({ kind: "refused", verb, text, error: String(error) }),
  );
});
lines.on("close", () => void composed.close());
for (;;) {
  const { events, ended } = await client.read();
  for (const event of events) print(event);
  if (ended) break;
}
