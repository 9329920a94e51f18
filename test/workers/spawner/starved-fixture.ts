import { closeSync, openSync, readdirSync } from "node:fs";
import { startTicksOf } from "../../../orchestrator/record/process-identity.ts";
import { commandEnvironment } from "../../../workers/spawner/command-environment.ts";
import type { CommandEnd } from "../../../workers/spawner/command-end.ts";
import { isAlive } from "../../../workers/spawner/process-table.ts";
import { Spawner } from "../../../workers/spawner/spawner.ts";

// A host that uses up its descriptors while a command runs, starts another, ends the first, and gets its descriptors back.
// Run as: sh -c 'ulimit -n 400; exec node starved-fixture.ts LEDGER-DIRECTORY'
const [, , ledgerDirectory = ""] = process.argv;
const spawner = new Spawner({ ledgerDirectory });
const cancel = new AbortController();
let printed = "";
const said = Promise.withResolvers<void>();

function run(script: string, signal?: AbortSignal): Promise<CommandEnd> {
  return spawner.run({
    argv: ["/bin/bash", "-c", script],
    directory: "/",
    environment: commandEnvironment(process.env),
    graceMs: 200,
    ...(signal === undefined ? {} : { signal }),
    stdout: {
      write: (chunk) => {
        printed += chunk.toString();
        if (printed.trim().split("\n").length >= 2) said.resolve();
      },
    },
  });
}

/** Takes every descriptor there is. */
function takeAll(): readonly number[] {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    return taken;
  }
}

const first = run(
  `setsid bash -c 'trap "" TERM; echo $$; while :; do sleep 1; done' & trap "" TERM; echo $$; while :; do sleep 1; done`,
  cancel.signal,
);
await said.promise;
const pids = printed.trim().split("\n").map(Number);
const before = readdirSync("/proc/self/fd").length;

const taken = takeAll();
const refused = await run("echo never");
cancel.abort();
const cancelled = await first;
for (const descriptor of taken) closeSync(descriptor);

const alive = pids.filter((pid) => isAlive({ pid, startTicks: startTicksOf(pid) }));
const again = await run("exit 0");
const after = readdirSync("/proc/self/fd").length;
await spawner.close();
process.stdout.write(
  JSON.stringify({
    refused,
    cancelled,
    alive,
    again,
    kept: after - before,
    left: readdirSync(ledgerDirectory),
  }),
);
