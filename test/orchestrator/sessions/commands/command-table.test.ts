import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operationRowSchema } from "../../../../orchestrator/contract/session.ts";
import {
  checkWords,
  commandRow,
  commands,
  findCommand,
  helpText,
  slashText,
} from "../../../../orchestrator/sessions/commands/command-table.ts";

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
      expect(helpText(command.name)).toContain(command.summary);
      expect(helpText("")).toContain(`/${command.name}`);
    }
    expect(findCommand("/EXIT")?.name).toBe("quit");
    expect(helpText("'nonsense")).toContain("There is no help");
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
