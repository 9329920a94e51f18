import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { makeSandpit } from "../../support/cli/launch.ts";
import { openScene, text } from "../../support/sessions/composed-sessions.ts";

type Client = { evaluate(source: string): Promise<string>; end(): void };

const guide = readFileSync(new URL("../../../docs/management.md", import.meta.url), "utf8");

/** The client of the guide, as it stands there. */
async function guideClient(directory: string): Promise<(socket: string, token: string) => Promise<Client>> {
  const source = /```js\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
  const path = join(directory, "client.mjs");
  writeFileSync(path, source);
  const module = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as {
    managementClient: (socket: string, token: string) => Promise<Client>;
  };
  return module.managementClient;
}

it("the client of the guide evaluates in the image of the session that was used last; without one, in one of its own", async () => {
  using pit = makeSandpit();
  const token = join(pit.home, ".config/autolith/management-repl.token");
  mkdirSync(join(pit.home, ".config/autolith"), { recursive: true });
  writeFileSync(token, "secret words\n", { mode: 0o600 });
  chmodSync(token, 0o600);
  const socket = join(pit.home, "m", "s");
  const environment = { AUTOLITH_MANAGEMENT_REPL: "on", AUTOLITH_MANAGEMENT_REPL_UNIX_SOCKET: socket };
  await using scene = await openScene([], { pit, environment });
  const connect = await guideClient(pit.home);
  const client = await connect(socket, token);
  const expected = /resolves with\n\n```lisp\n(.*)\n```/.exec(guide)?.[1];
  expect(await client.evaluate("(values (+ 20 22) *package*)")).toBe(expected);
  const session = await scene.service.create({ workingDirectory: pit.workspace });
  const defined = await session.prompt(text("(defun twice (n) (* 2 n))"));
  if (defined.kind === "form") await defined.finished;
  expect(await client.evaluate("(twice 21)")).toContain(':VALUES ("42")');
  expect(await client.evaluate("(config :model)")).toContain("gpt");
  expect(await client.evaluate('(resource.read :uri "workspace:nothing")')).toContain(":STATUS :CONDITION");
  client.end();
  expect(scene.diagnostics.join("\n")).not.toContain("secret");
});

it("a second host at the same socket does not start, and says why", async () => {
  using pit = makeSandpit();
  const environment = {
    AUTOLITH_MANAGEMENT_REPL: "on",
    AUTOLITH_MANAGEMENT_REPL_UNIX_SOCKET: join(pit.home, "m", "s"),
  };
  await using scene = await openScene([], { pit, environment });
  await expect(openScene([], { pit, environment })).rejects.toMatchObject({ code: "management-address" });
  expect(scene.service.sessions()).toHaveLength(0);
});
