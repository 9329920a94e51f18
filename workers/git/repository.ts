import { patchLimitBytes } from "../../orchestrator/worktrees/worktree.ts";
import { realpath } from "node:fs/promises";
import { WorktreeError } from "../../orchestrator/worktrees/worktree-error.ts";
import { type GitAnswer, type GitCommand, type GitProcessParts, runGit } from "./git-process.ts";
import { filterNames, parseConfiguration, safeSettings, settingVariables } from "./safe-configuration.ts";

type RunOptions = Pick<GitCommand, "outputLimitBytes" | "overLimit"> & {
  /** Exit codes that are answers; default 0 only. */
  readonly accepted?: readonly number[];
  /** The command may take the index's lock to refresh it; default no. */
  readonly mayRefresh?: boolean;
};

/** A directory that git works in, under settings that run no command of its configuration. */
export class Repository {
  readonly directory: string;
  /** Content filters that are configured and do not run. */
  readonly filters: readonly string[];
  readonly #parts: GitProcessParts;
  readonly #signal: AbortSignal;
  readonly #variables: Readonly<Record<string, string>>;

  private constructor(
    directory: string,
    filters: readonly string[],
    variables: Readonly<Record<string, string>>,
    parts: GitProcessParts,
    signal: AbortSignal,
  ) {
    this.directory = directory;
    this.filters = filters;
    this.#variables = variables;
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Reads the configuration in force at a directory; it need not be a repository. Throws {@link WorktreeError}. */
  static async open(directory: string, parts: GitProcessParts, signal: AbortSignal): Promise<Repository> {
    // Listing settings runs none of them. The user's own are read once here and never again.
    const { code, output, errors } = await runGit(
      { directory, parameters: ["config", "--list", "-z", "--show-scope", "--includes"], set: {}, signal },
      parts,
    );
    if (code !== 0) throw failed(["config"], errors);
    const entries = parseConfiguration(output.toString("utf8"));
    const variables = {
      ...settingVariables(safeSettings(entries)),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
    };
    return new Repository(directory, filterNames(entries), variables, parts, signal);
  }

  /** The same repository from another directory of it. */
  at(directory: string): Repository {
    return new Repository(directory, this.filters, this.#variables, this.#parts, this.#signal);
  }

  /** Runs git; an exit code that is no accepted answer throws {@link WorktreeError} `worktree-git-failed` with git's words. */
  async run(parameters: readonly string[], options: RunOptions = {}): Promise<GitAnswer> {
    const { accepted = [0], mayRefresh = false, ...bounds } = options;
    const answer = await runGit(
      {
        directory: this.directory,
        parameters,
        set: { ...this.#variables, ...(mayRefresh ? {} : { GIT_OPTIONAL_LOCKS: "0" }) },
        signal: this.#signal,
        ...bounds,
      },
      this.#parts,
    );
    if (!accepted.includes(answer.code)) throw failed(parameters, answer.errors);
    return answer;
  }

  /** One line of output. */
  async line(parameters: readonly string[]): Promise<string> {
    return (await this.run(parameters)).output.toString("utf8").replace(/\n$/, "");
  }

  /** A list whose items end with NUL. Bytes that are no UTF-8 become U+FFFD. */
  async list(parameters: readonly string[]): Promise<readonly string[]> {
    const { output } = await this.run(parameters, { outputLimitBytes: patchLimitBytes });
    return splitNul(output);
  }

  /** Whether a question that git answers by its exit code (0 or 1) is answered with yes. */
  async holds(parameters: readonly string[]): Promise<boolean> {
    return (await this.run(parameters, { accepted: [0, 1] })).code === 0;
  }

  /** The repository's common directory, real and absolute. */
  async commonDirectory(): Promise<string> {
    return realpath(await this.line(["rev-parse", "--path-format=absolute", "--git-common-dir"]));
  }
}

/** The items of NUL-ended output. */
export function splitNul(output: Buffer): readonly string[] {
  return output
    .toString("utf8")
    .split("\0")
    .filter((item) => item !== "");
}

function failed(parameters: readonly string[], errors: string): WorktreeError {
  const words = errors === "" ? "it ended without saying why" : errors;
  return new WorktreeError("worktree-git-failed", `git ${parameters[0] ?? ""} failed: ${words}`);
}
