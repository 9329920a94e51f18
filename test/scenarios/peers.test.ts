/** Mail between the agents of a session, and between sessions in two host processes on one Redis (issue 6, part 8). */
import { describe, expect, it } from "vitest";
import { type Sandpit, makeSandpit } from "../support/cli/launch.ts";
import type { RecordedRequest, ScriptedTurn } from "../support/model-server/script.ts";
import { type Part, cast, lastOutput, submit, tool } from "../support/sessions/cast.ts";
import { openScene, say } from "../support/sessions/composed-sessions.ts";
import { type HostDialogue, hostDialogue } from "../support/sessions/host-dialogue.ts";
import { type HostProcess, startHostProcess } from "../support/sessions/session-host-process.ts";

function valueOf(text: string, key: string): string {
  return new RegExp(`:${key} "([^"]*)"`, "i").exec(text)?.[1] ?? "";
}

const word = (text: string, key: string): string =>
  new RegExp(`:${key} :?([A-Z0-9-]+)`).exec(text)?.[1] ?? "";
const text = (content: string): ScriptedTurn => ({ kind: "answer", text: content });

/** The roles that children of these tests have: one may use mail, the other not. */
function writeRoles(pit: { write(path: string, content: string): string }): void {
  const role = (name: string, tools: string): string =>
    `(:name "${name}" :description "d" :instructions "i" :tools ${tools})`;
  pit.write(".autolith/agents/talker.sexp", role("talker", '("peer.*" "shell.run")'));
  pit.write(".autolith/agents/mute.sexp", role("mute", '("shell.run")'));
}

describe("peers of one session", () => {
  it("a child writes to another along a grant, which receives and acknowledges; the sender waits for that", async () => {
    const seen: Record<string, string[]> = { A: [], B: [], P: [] };
    const note = (who: string, request: RecordedRequest): void => void seen[who]?.push(lastOutput(request));
    const alpha: Part = [
      () => tool("shell__run", { command: "until [ -e granted ]; do sleep 0.05; done" }),
      () => tool("peer__discover", {}),
      (request) => {
        note("A", request);
        return tool("peer__send", {
          id: "m1",
          receiver: valueOf(lastOutput(request), "receiver"),
          text: "the code is PEACH",
        });
      },
      (request) => {
        note("A", request);
        return tool("peer__wait", { id: "m1", timeout: 5 });
      },
      (request) => {
        note("A", request);
        return submit("sent");
      },
    ];
    const beta: Part = [
      () => tool("shell__run", { command: "until [ -e granted ]; do sleep 0.05; done" }),
      () => tool("peer__wait", { timeout: 5 }),
      () => tool("peer__receive", {}),
      (request) => {
        note("B", request);
        return tool("peer__ack", { id: "m1", token: Number(word(lastOutput(request), "TOKEN")) });
      },
      (request) => {
        note("B", request);
        return tool("peer__send", {
          id: "back",
          receiver: valueOf(seen["B"]?.[0] ?? "", "sender"),
          text: "no way back",
        });
      },
      (request) => {
        note("B", request);
        return submit("heard");
      },
    ];
    const primary: Part = [
      () =>
        tool("task__run", {
          context: "c",
          tasks: [
            { agent: "talker", name: "one", task: "ALPHA" },
            { agent: "talker", name: "two", task: "BETA" },
          ],
        }),
      () => tool("peer__grant", { id: "g", sender: "one-1", receiver: "two-2" }),
      (request) => {
        note("P", request);
        return tool("shell__run", { command: "touch granted" });
      },
      () => tool("job__wait", { id: "one-1", "timeout-seconds": 60 }),
      () => tool("job__wait", { id: "two-2", "timeout-seconds": 60 }),
      () => tool("peer__inspect", {}),
      (request) => {
        note("P", request);
        return text("done");
      },
    ];
    await using scene = await openScene(cast({ ALPHA: alpha, BETA: beta, PRIMARY: primary }));
    writeRoles(scene.pit);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect(await say(session, "Go.")).toMatchObject({ outcome: "end-turn" });
    expect(seen["P"]?.[0]).toContain(':ID "g"');
    expect(seen["A"]?.[1]).toContain(":STATE :QUEUED");
    expect(seen["A"]?.[2]).toContain("(:STATE :ACKNOWLEDGED");
    expect(seen["B"]?.[0]).toContain('"the code is PEACH"');
    expect(seen["B"]?.[1]).toContain(":STATE :ACKNOWLEDGED");
    expect(seen["B"]?.[2]).toContain("grant: No current grant");
    expect(seen["P"]?.[1]).toContain(":TOTAL 1");
  });

  it("mail under a grant with context comes by itself at the receiver's boundary, once, and is acknowledged by that", async () => {
    const heard: string[] = [];
    const outputs: string[] = [];
    const alpha: Part = [
      () => tool("shell__run", { command: "until [ -e granted ]; do sleep 0.05; done" }),
      () => tool("peer__discover", {}),
      (request) =>
        tool("peer__send", {
          id: "news",
          receiver: valueOf(lastOutput(request), "receiver"),
          text: "MELON is ripe",
        }),
      () => submit("sent"),
    ];
    const primary: Part = [
      () => tool("task__run", { agent: "talker", name: "one", task: "ALPHA" }),
      () => tool("peer__grant", { id: "g", sender: "one-1", receiver: "primary", context: true }),
      () => tool("shell__run", { command: "touch granted" }),
      () => tool("job__wait", { id: "one-1", "timeout-seconds": 60 }),
      (request) => {
        heard.push(request.text);
        return tool("peer__inspect", { id: "news" });
      },
      (request) => {
        heard.push(request.text);
        outputs.push(lastOutput(request));
        return text("done");
      },
    ];
    await using scene = await openScene(cast({ ALPHA: alpha, PRIMARY: primary }));
    writeRoles(scene.pit);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await say(session, "Go.");
    expect(heard[0]?.split("MELON is ripe")).toHaveLength(2);
    // The second time it is what peer.inspect shows.
    expect(heard[1]?.split("MELON is ripe")).toHaveLength(3);
    expect(heard[0]).toContain("Coordination data from one-1");
    expect(outputs[0]).toContain(":STATE :ACKNOWLEDGED");
    // It is in the record, with nobody as its author.
    const { updates } = await session.history({});
    expect(
      updates.filter(({ update }) => update.type === "user-message" && update.text.includes("MELON")),
    ).toMatchObject([{ update: { origin: "automatic" } }]);
  });

  it("peer tools need the role's permission, and grants are the primary's", async () => {
    const offered: string[] = [];
    const names = (request: RecordedRequest): string =>
      (request.body as { tools: { name: string }[] }).tools
        .map(({ name }) => name)
        .filter((name) => name.startsWith("peer"))
        .join(" ");
    const child: Part = [
      (request) => {
        offered.push(names(request));
        return submit("x");
      },
    ];
    const primary: Part = [
      (request) => {
        offered.push(names(request));
        return tool("task__run", { agent: "talker", task: "ALPHA", blocking: true });
      },
      () => tool("task__run", { agent: "mute", task: "BETA", blocking: true }),
      () => tool("peer__grant", { id: "g", sender: "talker-1", receiver: "primary" }),
      (request) => {
        offered.push(lastOutput(request));
        return text("done");
      },
    ];
    await using scene = await openScene(cast({ ALPHA: child, BETA: child, PRIMARY: primary }));
    writeRoles(scene.pit);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await say(session, "Go.");
    const common = "peer__discover peer__send peer__receive peer__ack peer__wait peer__inspect";
    expect(offered[0]?.split(" ")).toHaveLength(9);
    expect(offered.slice(1, 3)).toEqual([common, ""]);
    // The child has ended: it takes part in no new mail.
    expect(offered[3]).toMatch(/endpoint-lifecycle|no visible job/);
  });
});

/** Two hosts on one Redis, and the grants of a pair. */
async function twoHosts(pit: Sandpit, dialogue: HostDialogue) {
  const environment = { AUTOLITH_OPENAI_BASE_URL: dialogue.server.baseUrl };
  const [here, there] = await Promise.all([
    startHostProcess(pit, environment),
    startHostProcess(pit, environment),
  ]);
  const [near, far] = [here.opened.id, there.opened.id];
  const grant = (host: HostProcess, args: object): Promise<string> => dialogue.ask(host, "peer__grant", args);
  return {
    ...{ environment, here, there, near, far, receiver: `P7:${far}` },
    outgoing: () =>
      grant(here, { id: "out", sender: "primary", "remote-session": far, direction: "outgoing" }),
    incoming: (id: string, from: string): Promise<string> =>
      grant(there, { id, receiver: "primary", "remote-session": from, direction: "incoming" }),
  };
}

describe("peers in two hosts on one Redis", () => {
  it("write along paired grants; a receiver's kill -9 leaves its claim uncertain, and only its primary decides", async () => {
    using pit = makeSandpit();
    await using dialogue = await hostDialogue();
    const { ask } = dialogue;
    const { environment, here, there, near, far, receiver, outgoing, incoming } = await twoHosts(
      pit,
      dialogue,
    );
    // One grant alone is not enough.
    expect(await incoming("in", "zzzzzzz")).toContain(":ACTIVE T");
    expect(await outgoing()).toContain(":ACTIVE T");
    const hello = { id: "m", receiver, text: "hello" };
    expect(await ask(here, "peer__send", hello)).toContain("refused the message");
    expect(await incoming("in2", near)).toContain(`P7:${near}`);
    expect(await ask(here, "peer__send", hello)).toContain(":STATE :QUEUED");

    const claimed = await ask(there, "peer__receive", {});
    expect(claimed).toContain('"hello"');
    await there.kill();
    const back = await startHostProcess(pit, environment, far);
    const token = Number(word(claimed, "TOKEN"));
    expect(await ask(back, "peer__ack", { id: "m", token })).toContain("is unknown");
    expect(await ask(back, "peer__resolve", { id: "m", token, action: "retry" })).toContain(":STATE :QUEUED");
    const again = Number(word(await ask(back, "peer__receive", { id: "m" }), "TOKEN"));
    expect(again).toBeGreaterThan(token);
    expect(await ask(back, "peer__ack", { id: "m", token: again })).toContain(":STATE :ACKNOWLEDGED");
    expect(await ask(here, "peer__wait", { id: "m", timeout: 5 })).toContain(":STATE :ACKNOWLEDGED");
    await back.close();
    await here.close();
  });

  it("what is sent while the other is dead waits for it; a sender's kill -9 loses and doubles nothing", async () => {
    using pit = makeSandpit();
    await using dialogue = await hostDialogue();
    const { ask } = dialogue;
    const { environment, here, there, near, far, receiver, outgoing, incoming } = await twoHosts(
      pit,
      dialogue,
    );
    await outgoing();
    await incoming("in", near);
    await there.kill();
    const message = { id: "n", receiver, text: "while you were away" };
    expect(await ask(here, "peer__send", message)).toContain(":STATE :QUEUED");
    await here.kill();
    const [back, next] = await Promise.all([
      startHostProcess(pit, environment, near),
      startHostProcess(pit, environment, far),
    ]);
    expect(await ask(next, "peer__wait", { timeout: 5 })).toContain("while you were away");
    expect(await ask(back, "peer__send", message)).toContain(":STATE :QUEUED");
    expect(await ask(back, "peer__send", { ...message, text: "other words" })).toContain("identity-conflict");
    expect(await ask(next, "peer__inspect", {})).toContain(":TOTAL 1");
    await next.close();
    await back.close();
  });
});
