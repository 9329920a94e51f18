import { existsSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { PassThrough, type Writable } from "node:stream";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { describe, expect, test } from "vitest";
import { frameStream } from "../../../cli/acp/wire/frame-stream.ts";
import { lineChannel } from "../../../cli/acp/wire/line-channel.ts";
import { linksToHosts } from "../../../cli/host/connect.ts";
import { launch, makeSandpit } from "../../support/cli/launch.ts";
import { answer } from "../../support/model-server/script.ts";
import { startModelServer } from "../../support/model-server/server.ts";
import { eventually } from "../../support/eventually.ts";
import { testClient } from "../../support/acp/test-client.ts";

const environment = { OPENAI_API_KEY: "sk-editor" };
const prompt = [{ type: "text" as const, text: "Say hello." }];

describe("autolith acp", () => {
  test("serves an editor on standard input and output, and nothing else is on it", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer([answer("Hello, editor.")]);
    const editor = launch(pit, ["acp", "--permissions", "auto"], {
      environment: { ...environment, AUTOLITH_OPENAI_BASE_URL: server.baseUrl },
    });
    const stdin = editor.child.stdin as Writable;
    const read = new PassThrough();
    editor.child.stdout?.on("data", (text: string) => read.write(text)).once("end", () => read.end());
    const client = await testClient(frameStream(lineChannel(read, stdin, () => stdin.end())));
    const session = await client.request("session/new", { cwd: pit.workspace, mcpServers: [] });
    expect(session.modes?.currentModeId).toBe("auto");
    await client.request("session/prompt", { sessionId: session.sessionId, prompt });
    expect(client.text()).toBe("Hello, editor.");
    // `autolith lg` finds it like any other session.
    const [link] = await linksToHosts({ environment: pit.environment, client: "lg" });
    expect(link?.record).toMatchObject({ role: "acp", conversations: [session.sessionId] });
    link?.socket.destroy();
    stdin.end();
    const ended = await editor.ended;
    expect([ended.status, ended.stderr]).toEqual([0, ""]);
    for (const line of ended.stdout.trim().split("\n"))
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
    expect(existsSync(link?.record.socket ?? "")).toBe(false);
  });

  test("ends at Ctrl-C with status 130, its sessions released", async () => {
    using pit = makeSandpit();
    const editor = launch(pit, ["acp"], { environment, stdin: "open" });
    editor.child.stdin?.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } })}\n${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "session/new", params: { cwd: pit.workspace, mcpServers: [] } })}\n`,
    );
    await editor.printed('"id":2');
    editor.child.kill("SIGINT");
    expect((await editor.ended).status).toBe(130);
    const sessionId = /"sessionId":"(\w{7})"/.exec((await editor.ended).stdout)?.[1] ?? "none";
    expect(existsSync(join(pit.home, `.local/share/autolith/conversations/${sessionId}.lock`))).toBe(false);
  });

  test("answers the prompt that Ctrl-C stops", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer([{ ...answer("too late"), latencyMs: 600_000 }]);
    const editor = launch(pit, ["acp"], {
      environment: { ...environment, AUTOLITH_OPENAI_BASE_URL: server.baseUrl },
      stdin: "open",
    });
    const send = (id: string, method: string, params: object): void =>
      void editor.child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    let stdout = "";
    editor.child.stdout?.on("data", (text: string) => (stdout += text));
    send("i", "initialize", { protocolVersion: 1 });
    send("n", "session/new", { cwd: pit.workspace, mcpServers: [] });
    await editor.printed('"id":"n"');
    send("p", "session/prompt", { sessionId: /"sessionId":"(\w{7})"/.exec(stdout)?.[1], prompt });
    await editor.printed('"state":"running"');
    editor.child.kill("SIGINT");
    const ended = await editor.ended;
    expect(ended.status).toBe(130);
    const answered = ended.stdout.split("\n").find((line) => line.includes('"id":"p"'));
    expect(JSON.parse(answered ?? "")).toMatchObject({ result: { stopReason: "cancelled" } });
  });

  test("refuses a wrong command line with status 64 and an empty standard output", async () => {
    using pit = makeSandpit();
    const ended = await launch(pit, ["acp", "9000"], { environment, stdin: "ignore" }).ended;
    expect(ended).toMatchObject({ status: 64, stdout: "", stderr: expect.stringContaining('"9000"') });
  });

  test("serves HTTP and WebSocket on a port, with a token that is on no line", async () => {
    using pit = makeSandpit();
    const running = launch(pit, ["acp", "--http", "0", "--token", "t0k3n-of-test"], {
      environment,
      stdin: "ignore",
    });
    let stderr = "";
    running.child.stderr?.on("data", (text: string) => (stderr += text));
    await eventually(() => stderr).toContain("Ctrl-C ends it");
    const url = /http:\/\/127\.0\.0\.1:\d+\/acp/.exec(stderr)?.[0] ?? "";
    const http = await testClient(
      createHttpStream(url, { headers: { authorization: "Bearer t0k3n-of-test" } }),
    );
    const webSocket = await testClient(
      createWebSocketStream(`${url.replace("http:", "ws:")}?token=t0k3n-of-test`),
    );
    for (const client of [http, webSocket])
      expect(await client.request("session/list", {})).toMatchObject({ sessions: [] });
    running.child.kill("SIGINT");
    const ended = await running.ended;
    expect([ended.status, ended.stdout]).toEqual([130, ""]);
    expect(ended.stderr).not.toContain("t0k3n-of-test");
    expect(ended.stderr).not.toContain("warning");
  });

  test("names an address that is taken, and how to name another", async () => {
    using pit = makeSandpit();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as AddressInfo;
    const { ended } = launch(pit, ["acp", "--http", String(port)], { environment, stdin: "ignore" });
    expect(await ended).toMatchObject({
      status: 64,
      stdout: "",
      stderr: `autolith: acp cannot listen on 127.0.0.1:${port}: something else listens there. Name another [HOST:]PORT: autolith acp --http 9000.\n`,
    });
    taken.close();
  });

  test("warns off loopback", async () => {
    using pit = makeSandpit();
    const running = launch(pit, ["acp", "--websocket", "0.0.0.0:0"], { environment, stdin: "ignore" });
    let stderr = "";
    running.child.stderr?.on("data", (text: string) => (stderr += text));
    await eventually(() => stderr).toContain("TLS");
    expect(stderr).toContain("ws://0.0.0.0:");
    expect(stderr).toContain("this endpoint is not secure");
    running.child.kill("SIGTERM");
    expect((await running.ended).status).toBe(143);
  });
});
