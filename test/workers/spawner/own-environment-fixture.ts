import { spawnSync } from "node:child_process";
import { hideOwnEnvironment } from "../../../workers/spawner/own-environment.ts";

// Hides its environment and prints what a child sees of it, and what it still sees itself.
const hidden = hideOwnEnvironment();
const { stdout } = spawnSync("/bin/sh", ["-c", "tr '\\0' '\\n' < /proc/$PPID/environ"], { encoding: "utf8" });
process.stdout.write(
  JSON.stringify({
    hidden,
    seen: stdout,
    own: process.env["SECRET_KEY"],
    path: process.env["PATH"],
    env: { ...process.env },
  }),
);
