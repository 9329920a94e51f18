import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { commandLines, sessionOptionLines } from "../../../cli/completion/command-lines.ts";
import { completionScript, shells } from "../../../cli/completion/completion-scripts.ts";
import { launch, makeSandpit } from "../../support/cli/launch.ts";

/** What bash offers for these words; the last one is being written. */
function bashOffers(...words: readonly string[]): readonly string[] {
  const program = `${completionScript("bash")}
autolith() { printf 'ID STATUS\\nb-6uouHJ idle\\n'; }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _autolith; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync("bash", ["-c", program, "bash", "autolith", ...words], { encoding: "utf8" });
  return output.split("\n").filter((line) => line !== "");
}

async function helpOf(...argv: readonly string[]): Promise<string> {
  using pit = makeSandpit();
  const { status, stdout } = await launch(pit, argv, { stdin: "ignore" }).ended;
  expect(status).toBe(0);
  return stdout;
}

/** Each help is a program that starts from source. */
const patience = { timeout: 240_000 };

describe("shell completion", patience, () => {
  it("knows exactly the commands and session options of the program", async () => {
    const help = await helpOf("--help");
    const commands = [...help.matchAll(/^ {2}([a-z][a-z-]*) {2,}\S/gm)].map((match) => match[1] ?? "");
    expect(new Set(commandLines.map(({ name }) => name))).toEqual(new Set(commands));
    for (const { name } of sessionOptionLines) expect(help).toContain(name);
  });

  it("knows the options that each command's help names", async () => {
    for (const { name, options, subcommands = [] } of commandLines) {
      const help = await helpOf(name, "--help");
      const known = new Set(
        [...options, ...sessionOptionLines, ...subcommands.flatMap((sub) => sub.options)].map(
          (each) => each.name,
        ),
      );
      const own = [...help.matchAll(/^ {2}(?:[a-z]+ \[?)?(--[a-z-]+)/gm)].map((match) => match[1] ?? "");
      for (const option of own) expect(known, `${name} ${option}`).toContain(option);
      for (const { name: sub } of subcommands) expect(help).toContain(`  ${sub} `);
    }
  });

  it("completes commands, subcommands, options and their values in bash", () => {
    expect(bashOffers("resu")).toEqual(["resume"]);
    expect(bashOffers("lg", "")).toEqual(["status", "tell", "pause", "attach", "detach", "kill"]);
    expect(bashOffers("lg", "attach", "--r")).toEqual(["--read-only"]);
    expect(bashOffers("lg", "attach", "b")).toEqual(["b-6uouHJ"]);
    expect(bashOffers("--permissions", "")).toEqual(["ask", "auto", "sandbox", "full"]);
    expect(bashOffers("--permissions", "ask", "run")).toEqual(["run-job"]);
    expect(bashOffers("run-job", "--input", "/etc/host")).toContain("/etc/hosts");
    expect(bashOffers("completion", "")).toEqual([...shells]);
  });

  it("names every command and option in the scripts of the other shells, with quotes kept apart", () => {
    for (const shell of ["zsh", "fish"] as const) {
      const script = completionScript(shell);
      for (const { name, options } of commandLines) {
        expect(script).toContain(name);
        for (const option of options) expect(script).toContain(option.name.slice(2));
      }
      const quotes = script.replaceAll("'\\''", "").replaceAll("\\'", "").replace(/^#.*$/gm, "");
      expect((quotes.match(/'/g) ?? []).length % 2).toBe(0);
    }
  });
});
