import { EscapeScene } from "./escape-scene.ts";
import { escapeTries } from "./escape-tries.ts";

// Runs all tries as the user whose number is given, and prints what was noticed.
// Run as: node escape-fixture.ts BASE-DIRECTORY [USER-NUMBER]
const [, , base = "", user] = process.argv;
if (user !== undefined) {
  // Every module is loaded by now, so nothing has to be read with the other user's rights any more.
  process.setgroups?.([]);
  process.setgid?.(Number(user));
  process.setuid?.(Number(user));
  process.chdir(base);
}
const scene = await EscapeScene.build(base);
try {
  process.stdout.write(JSON.stringify(await scene.run(escapeTries)));
} finally {
  await scene.close();
}
