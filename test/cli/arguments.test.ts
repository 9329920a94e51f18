import { describe, expect, it } from "vitest";
import {
  checkPositionals,
  optionValue,
  parseArguments,
  splitCommand,
  UsageError,
} from "../../cli/arguments.ts";

const table = { input: { value: true }, output: { value: true }, events: { value: true } };

function refusal(argv: readonly string[]): string {
  try {
    checkPositionals(parseArguments(argv, table), 0, "autolith run-job");
  } catch (error) {
    if (error instanceof UsageError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "accepted";
}

describe("the command line", () => {
  it("takes session options before and after the subcommand", () => {
    for (const argv of [
      ["--permissions", "auto", "--model", "m", "run-job", "--input", "a"],
      ["run-job", "--input", "a", "--permissions=auto", "--model=m"],
    ]) {
      const { command, rest } = splitCommand(argv);
      const parsed = parseArguments(rest, table);
      expect([
        command,
        parsed.session.permissions,
        parsed.session.model,
        optionValue(parsed, "input"),
      ]).toEqual(["run-job", "auto", "m", "a"]);
    }
  });

  it("does not take an option's value for the subcommand", () => {
    expect(splitCommand(["--model", "run-job"]).command).toBeUndefined();
  });

  it.each([
    [["--wrong"], "usage: Unknown option --wrong"],
    [["--input"], "--input needs a value"],
    [["--input", "--output", "x"], "--input needs a value"],
    [["--input", "a", "--input", "b"], "given twice"],
    [["--permissions", "yolo"], "--permissions takes ask, auto, sandbox, full"],
    [["--provider", "p"], "--provider needs --model"],
    [["--pristine=1"], "--pristine takes no value"],
    [["extra"], 'Unexpected argument "extra"'],
    [["--", "--input"], 'Unexpected argument "--input"'],
    [["--__proto__"], "Unknown option"],
  ])("refuses %j", (argv, expected) => {
    expect(refusal(argv)).toContain(expected);
  });
});
