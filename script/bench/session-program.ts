/**
 * A session host to be measured. `resume CONVERSATION`: opens it and attaches a client. `children DIRECTORY COUNT`: lets a primary start so many
 * children and measures the event loop until they have ended, with two clients attached, one of which never reads. Prints one line of JSON.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { composeSessions } from "../../cli/compose-session.ts";
import { conversationIdSchema } from "../../orchestrator/contract/identifiers.ts";
import type { Session, SessionService } from "../../orchestrator/contract/session.ts";
import { pssMiB } from "./process-figures.ts";

export type ResumeReport = { readonly loadMs: number; readonly cpuMs: number; readonly pssMiB: number };
export type ChildrenReport = {
  readonly loopDelayP99Ms: number;
  readonly loopDelayMaxMs: number;
  readonly events: number;
  readonly seconds: number;
  readonly pssMiB: number;
};

const [action = "", place = "", count = "16"] = process.argv.slice(2);

async function resume(service: SessionService): Promise<ResumeReport> {
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  const session = await service.load(conversationIdSchema.parse(place));
  await session.attach({ name: "bench", answersPermissions: true, tail: 200 });
  const loadMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  await settle();
  return { loadMs, cpuMs: (user + system) / 1_000, pssMiB: pssMiB(process.pid) };
}

/** Lets the collector and what was put off have their turn. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_500));
}

async function children(service: SessionService): Promise<ChildrenReport> {
  const session = await service.create({ workingDirectory: place });
  await session.attach({ name: "asleep", answersPermissions: false, tail: 0 });
  const reader = await session.attach({ name: "awake", answersPermissions: true, tail: 0 });
  let events = 0;
  const reading = (async () => {
    for (;;) {
      const batch = await reader.read();
      // What a connection would write.
      for (const event of batch.events) events += JSON.stringify(event).length > 0 ? 1 : 0;
      if (batch.ended) return;
    }
  })();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const startedAt = performance.now();
  delay.enable();
  await session.prompt({ parts: [{ type: "text", text: `start ${count} children` }] });
  await allEnded(session);
  delay.disable();
  const seconds = (performance.now() - startedAt) / 1_000;
  const report = {
    loopDelayP99Ms: delay.percentile(99) / 1e6,
    loopDelayMaxMs: delay.max / 1e6,
    events,
    seconds,
    pssMiB: pssMiB(process.pid),
  };
  reader.detach();
  await reading;
  return report;
}

async function allEnded(session: Session): Promise<void> {
  const client = await session.attach({ name: "bench", answersPermissions: false, tail: 0 });
  for (;;) {
    const jobs = session.jobs();
    if (jobs.length >= Number(count) && jobs.every(({ finishedAt }) => finishedAt !== null)) break;
    await client.read();
  }
  client.detach();
}

const composed = await composeSessions({
  environment: process.env,
  permissions: "full",
  model: undefined,
  provider: undefined,
  siteConfigRoot: undefined,
  diagnostics: (line) => process.stderr.write(`${line}\n`),
});
const report = action === "resume" ? await resume(composed.service) : await children(composed.service);
process.stdout.write(`${JSON.stringify(report)}\n`);
await composed.close();
