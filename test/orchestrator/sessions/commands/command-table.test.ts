import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operationRowSchema } from "../../../../orchestrator/contract/session.ts";
import {
  checkWords,
  commandRow,
  commands,
  findCommand,
  slashText,
} from "../../../../orchestrator/sessions/commands/command-table.ts";
import { helpText } from "../../../../orchestrator/sessions/commands/help.ts";
import { slashWords } from "../../../../orchestrator/sessions/commands/slash-words.ts";

const tools = [
  {
    name: "shell.run",
    description: "Runs a command. It may take long.",
    parameters: {
      type: "object",
      properties: { command: { type: "string", description: "Shell text" }, async: { type: "boolean" } },
      required: ["command"],
    },
  },
];

describe("slash text", () => {
  it("is a command, a message with a literal slash, or text", () => {
    expect(slashText("/Model  gpt \n")).toEqual({ kind: "command", name: "model", input: "gpt" });
    expect(slashText("//model")).toEqual({ kind: "text", text: "/model" });
    for (const text of ["/etc/hosts", "/ x", "/", "see /model", "/a.b"])
      expect(slashText(text)).toEqual({ kind: "text", text });
  });

  it("loses nothing of other text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = slashText(text);
        if (read.kind === "text") expect([text, text.slice(1)]).toContain(read.text);
        else expect(text.toLowerCase()).toContain(read.name);
      }),
    );
  });
});

describe("the commands", () => {
  it("have names and aliases of their own, rows of the contract, and help", () => {
    const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    for (const command of commands) {
      expect(operationRowSchema.parse(commandRow(command)).name).toBe(command.name);
      expect(helpText(command.name, { commands, tools })).toContain(command.summary);
      expect(helpText("commands", { commands, tools })).toContain(`/${command.name}`);
      expect(helpText("", { commands, tools })).toContain(command.topic);
    }
    expect(findCommand("/EXIT")?.name).toBe("quit");
    expect(helpText("'nonsense", { commands, tools })).toContain("There is no help");
  });

  it("have help by topic, by namespace of tools and for one tool with its arguments", () => {
    const help = (topic: string): string => helpText(topic, { commands, tools });
    expect(help(":workspace")).toContain("/cwd");
    expect(help("")).toContain("workspace");
    expect(help(":conversations")).toContain("/resume");
    expect(help(":conversations")).not.toContain("/effort");
    expect(help(":shell")).toBe("shell.run  Runs a command.");
    expect(help('"shell.run"')).toContain("  command string (required): Shell text\n  async boolean");
    expect(help("all")).toContain("/quit");
    expect(help("all")).toContain("shell.run\nRuns");
  });

  it("refuse more words than they take, before they run", () => {
    const command = findCommand("effort");
    if (command === undefined) throw new Error("effort is a command");
    expect(() => checkWords(command, "high higher")).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
    expect(() => checkWords(command, "high")).not.toThrow();
  });
});

describe("words behind a command", () => {
  it("are taken apart as slash text and as the inside of a form", () => {
    const { words, options } = slashWords(':transcript "clear-otter-3" :offset 0 :limit 40');
    expect(words).toEqual(["transcript", "clear-otter-3"]);
    expect([...options]).toEqual([
      ["offset", "0"],
      ["limit", "40"],
    ]);
    expect(slashWords('send exec:4 keep "the \\"rest\\""').words).toEqual([
      "send",
      "exec:4",
      "keep",
      'the "rest"',
    ]);
    expect(() => slashWords("get x :offset")).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });
});
