import { commandEnvironment } from "../../../workers/spawner/command-environment.ts";
import { Spawner } from "../../../workers/spawner/spawner.ts";

// A host that starts one command, says what the command prints, and lives until it is killed.
// Run as: node host-fixture.ts LEDGER-DIRECTORY SCRIPT
const [, , ledgerDirectory = "", script = ""] = process.argv;
const spawner = new Spawner({ ledgerDirectory });
const end = await spawner.run({
  argv: ["/bin/bash", "-c", script],
  directory: "/",
  environment: commandEnvironment(process.env),
  stdout: {
    write: (chunk) => {
      process.stdout.write(chunk);
    },
  },
});
process.stdout.write(JSON.stringify(end));
