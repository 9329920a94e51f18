/** `autolith completion SHELL`: prints the completion script of a shell. */
import { UsageError, checkPositionals, parseArguments } from "../arguments.ts";
import { exitStatus } from "../exit-status.ts";
import { completionScript, shells } from "./completion-scripts.ts";

const usage = `Usage: autolith completion bash|zsh|fish
Prints a completion script on standard output.

  bash   eval "$(autolith completion bash)"              in ~/.bashrc
  zsh    eval "$(autolith completion zsh)"               in ~/.zshrc, behind compinit
  fish   autolith completion fish | source               in ~/.config/fish/config.fish
`;

/** Resolves to the exit status. Throws UsageError for a shell that is not known. */
export function completionCommand(argv: readonly string[]): Promise<number> {
  const parsed = parseArguments(argv, {});
  checkPositionals(parsed, 1, "autolith completion bash|zsh|fish");
  if (parsed.help) {
    process.stdout.write(usage);
    return Promise.resolve(exitStatus.ok);
  }
  const [name] = parsed.positionals;
  const shell = shells.find((each) => each === name);
  if (shell === undefined)
    throw new UsageError(
      `autolith completion takes one of ${shells.join(", ")}, not ${name === undefined ? "nothing" : JSON.stringify(name)}.`,
    );
  process.stdout.write(completionScript(shell));
  return Promise.resolve(exitStatus.ok);
}
