/** A terminal that opens a session says which initialization file it waits for. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { watchedOpening } from "../../cli/terminal/edge/loading-watch.ts";
import { openHostScene } from "../support/acp/host-scene.ts";

test(
  "an opening that waits for init.lisp says so with its path, until it is loaded",
  { timeout: 60_000 },
  async () => {
    await using scene = openHostScene();
    const configuration = join(scene.pit.home, ".config/autolith");
    const [path, go] = [join(configuration, "init.lisp"), join(scene.pit.home, "go")];
    mkdirSync(configuration, { recursive: true });
    writeFileSync(path, `(loop until (probe-file ${JSON.stringify(go)}) do (sleep 0.05))`, { mode: 0o600 });
    const { client } = await scene.client();
    const shown: string[] = [];
    const opened = await watchedOpening(
      () => client.value("open", { how: "new", cwd: scene.pit.workspace, mode: "full" }),
      {
        link: () => ({ request: (method, params) => client.value(method, params) }),
        show: (text) => {
          shown.push(text);
          writeFileSync(go, "");
        },
        everyMs: 50,
      },
    );
    expect(shown[0]).toBe(`loading ${path}…`);
    expect(opened.sessionId).toMatch(/./);
    expect((await client.value("sessions", {})).loading).toEqual([]);
  },
);
