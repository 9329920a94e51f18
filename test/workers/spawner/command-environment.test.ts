import { describe, expect, test } from "vitest";
import { commandEnvironment } from "../../../workers/spawner/command-environment.ts";

describe("commandEnvironment", () => {
  test("passes what is allowed and nothing else", () => {
    const environment = commandEnvironment({
      PATH: "/bin",
      HOME: "/home/u",
      LC_ALL: "C.UTF-8",
      OPENAI_API_KEY: "sk-secret",
      SOME_NEW_VENDOR_CREDENTIAL: "secret",
      AUTOLITH_REDIS_URL: "redis://:secret@localhost",
      AUTOLITH_PROCESS_COOKIE: "another host's",
      LD_PRELOAD: "/tmp/evil.so",
      UNSET: undefined,
    });
    expect(environment).toMatchObject({ PATH: "/bin", HOME: "/home/u", LC_ALL: "C.UTF-8" });
    expect(JSON.stringify(environment)).not.toMatch(/secret|evil|another host/);
  });

  test("leaves out addresses that carry credentials", () => {
    const environment = commandEnvironment({
      HTTPS_PROXY: "http://user:pw@proxy:3128",
      HTTP_PROXY: "http://proxy:3128",
      PIP_INDEX_URL: "https://token@index.example/simple",
    });
    expect(environment["HTTP_PROXY"]).toBe("http://proxy:3128");
    expect(environment).not.toHaveProperty("HTTPS_PROXY");
    expect(environment).not.toHaveProperty("PIP_INDEX_URL");
  });

  test("keeps commands unattended whatever the host has set", () => {
    const environment = commandEnvironment({ PATH: "/bin", PAGER: "less", EDITOR: "vim", TERM: "xterm" });
    expect(environment).toMatchObject({
      PAGER: "cat",
      GIT_EDITOR: "false",
      GIT_TERMINAL_PROMPT: "0",
      CI: "1",
      TERM: "dumb",
    });
  });

  test("takes further names and settings from its caller", () => {
    const environment = commandEnvironment(
      { MY_FLAG: "1", OTHER: "2" },
      { extraNames: ["MY_FLAG"], set: { TMPDIR: "/t" } },
    );
    expect(environment).toMatchObject({ MY_FLAG: "1", TMPDIR: "/t" });
    expect(environment).not.toHaveProperty("OTHER");
  });

  test("always has a search path", () => {
    expect(commandEnvironment({})["PATH"]).toContain("/bin");
  });
});
