import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { probeSandbox } from "../../../workers/sandbox/sandbox.ts";
import { commandEnvironment } from "../../../workers/spawner/command-environment.ts";
import { descendantsOf, readProcessTable } from "../../../workers/spawner/process-table.ts";
import { Spawner } from "../../../workers/spawner/spawner.ts";

// Runs a fork bomb in a sandbox and prints how many processes it reached.
// Run as: node fork-bomb-fixture.ts BASE-DIRECTORY [USER-NUMBER]
const [, , base = "", user] = process.argv;
if (user !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(Number(user));
  process.setuid?.(Number(user));
  process.chdir(base);
}
const [workspace, temporary] = [join(base, "workspace"), join(base, "temporary")];
for (const path of [workspace, temporary]) mkdirSync(path);
const probe = await probeSandbox({ environment: process.env, hidden: [], processLimit: 200 });
if (!probe.available) throw new Error(probe.reason);
const spawner = new Spawner({ ledgerDirectory: join(base, "ledger") });
// Each process starts two more and stays, so that the number doubles until something refuses.
const argv: [string, ...string[]] = [
  "/bin/bash",
  "-c",
  "bomb() { bomb | bomb & sleep 30; }; bomb 2>/dev/null; wait",
];
const command = probe.sandbox.confine({ argv, directory: workspace, workspace, temporary });
const running = spawner.start({
  argv: command.argv,
  directory: workspace,
  environment: commandEnvironment(process.env, { set: command.set }),
  stdout: { write: () => undefined },
  timeoutMs: 2_000,
  graceMs: 0,
  contained: true,
  opened: command.opened,
});
let most = 0;
const count = (): number => descendantsOf(running.pid ?? 0, readProcessTable()).length;
const sampling = setInterval(() => {
  most = Math.max(most, count());
}, 100);
const end = await running.ended;
clearInterval(sampling);
command.release();
await spawner.close(0);
const left = count();
probe.sandbox.close();
process.stdout.write(JSON.stringify({ most, left, cause: end.cause, exit: end.exit }));
