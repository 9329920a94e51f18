import { describe, expect, it } from "vitest";
import type { VaultEntry } from "../../../../orchestrator/contract/session.ts";
import { editedVault } from "../../../../orchestrator/sessions/commands/vault-text.ts";

const present: readonly VaultEntry[] = [
  { type: "message", input: "one" },
  { type: "command", text: "/compact" },
];

describe("the text behind /vault-contents", () => {
  it("replaces one entry, all of them, or leaves none", () => {
    expect(editedVault('0 (:message "Revised \\"task\\"")', present)).toEqual([
      { type: "message", input: 'Revised "task"' },
      present[1],
    ]);
    expect(editedVault('((:message "First task") (:lisp "(+ 1 2)"))', present)).toEqual([
      { type: "message", input: "First task" },
      { type: "lisp", source: "(+ 1 2)" },
    ]);
    expect(editedVault("nil", present)).toEqual([]);
    expect(editedVault("()", present)).toEqual([]);
  });

  it.each([
    ['2 (:message "x")', "has 2 entries"],
    ['-1 (:message "x")', "none at -1"],
    ["0", "takes nothing, INDEX"],
    ['0 (:message "x") 1', "takes nothing, INDEX"],
    ['((:message ""))', "not empty"],
    ['((:shout "x"))', "An entry is"],
    ['((:message "a" "b"))', "An entry is"],
    ["(#.(exit))", "cannot be read"],
    ['"text"', "takes nothing, INDEX"],
    ["((:message", "cannot be read"],
  ])("refuses %s and says what is wanted", (text, part) => {
    expect(() => editedVault(text, present)).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(part) as string }),
    );
  });
});
