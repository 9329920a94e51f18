import { describe, expect, it } from "vitest";
import { splitCommand } from "../../cli/arguments.ts";
import { acpService, parseAcpArguments } from "../../cli/acp/acp-arguments.ts";
import { messageCharacterLimit } from "../../cli/acp/wire/message-limits.ts";
import { extensionMethodNames } from "../../orchestrator/contract/acp/method-table.ts";
import { jsonDepthLimit } from "../../orchestrator/contract/json-nesting.ts";
import { type Answer, rawLines } from "../support/acp/raw-lines.ts";
import { serveHost } from "../support/acp/served-host.ts";
import { answer } from "../support/model-server/script.ts";
import { openScene } from "../support/sessions/composed-sessions.ts";
import { documentedExamples, examplesOf, pageText, tableColumn } from "./documented-examples.ts";

const page = "acp.md";

describe("docs/acp.md", () => {
  it("its conversation takes place as written", async () => {
    await using scene = await openScene([answer("Hello.")], { permissions: undefined });
    await using served = serveHost(scene.service);
    const { write, read } = served.pipes();
    const raw = rawLines(write, read);
    let session = "";
    const filled = (text: string): unknown =>
      JSON.parse(text.replaceAll("SESSION", session).replaceAll("/path/to/project", scene.pit.workspace));
    const messages = documentedExamples(page).filter(
      ({ language, what }) => language === "json" && what[0] !== "editor",
    );
    expect(messages.length).toBeGreaterThan(10);
    for (const { what, text } of messages) {
      const message = filled(text) as Answer;
      if (what[0] === "request") write.write(`${JSON.stringify(message)}\n`);
      else if (what[0] === "answer") {
        const given = await raw.answerTo(message.id);
        session ||= (given.result as { sessionId?: string }).sessionId ?? "";
        expect(given).toMatchObject(filled(text) as object);
      } else {
        await raw.answerTo(3);
        expect(raw.lines).toContainEqual(expect.objectContaining({ method: message.method }));
        expect(raw.lines.some((line) => holds(line, message))).toBe(true);
      }
    }
  });

  it("its command lines are taken", () => {
    const [shell] = examplesOf(page, "sh");
    const lines = shell?.text.split("\n") ?? [];
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const words = line.split(" ").map((word) => word.replaceAll('"', "").replace("$ACP_TOKEN", "token"));
      const { command, rest } = splitCommand(words.slice(1));
      expect([words[0], command]).toEqual(["autolith", "acp"]);
      expect(acpService(parseAcpArguments(rest)).kind).toMatch(/http|websocket/);
    }
    const [editor] = examplesOf(page, "json", "editor");
    const servers = JSON.parse(editor?.text ?? "") as { agent_servers: { Autolith: { args: string[] } } };
    const { command, rest } = splitCommand(servers.agent_servers.Autolith.args);
    expect([command, acpService(parseAcpArguments(rest)).kind]).toEqual(["acp", "stdio"]);
  });

  it("its table has every method", () => {
    const named = tableColumn(page, "method").flatMap((cell) => cell.match(/[a-z-]+/g) ?? []);
    expect(named.toSorted()).toEqual(extensionMethodNames.toSorted());
  });

  it("its bounds are the program's", () => {
    const text = pageText(page);
    expect(text).toContain(messageCharacterLimit.toLocaleString("en-US"));
    expect(text).toContain(`nest too deep (${jsonDepthLimit})`);
  });
});

/** Whether a value has everything of another one. */
function holds(value: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return value === part;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(part).every(([key, each]) => holds((value as Record<string, unknown>)[key], each));
}
