/** Real repositories for tests, made and asked by the git of this machine, under no configuration of the user. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const environment = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "c",
  GIT_COMMITTER_EMAIL: "c@example.org",
  GIT_ALLOW_PROTOCOL: "file",
};

/** Runs git and answers what it printed, without the last newline. */
export function git(directory: string, ...parameters: readonly string[]): string {
  return execFileSync("git", ["-C", directory, ...parameters], { env: environment, stdio: "pipe" })
    .toString("utf8")
    .replace(/\n$/, "");
}

/** Writes files (paths relative to the directory). */
export function writeFiles(directory: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
}

/** Commits everything in the directory; answers the commit. */
export function commitAll(directory: string, message = "change"): string {
  git(directory, "add", "--all", "--force");
  git(directory, "commit", "-q", "--allow-empty", "-m", message);
  return git(directory, "rev-parse", "HEAD");
}

/** A new repository with one commit of these files. */
export function makeRepository(
  directory: string,
  files: Readonly<Record<string, string | Buffer>> = { "a.txt": "one\n" },
): string {
  mkdirSync(directory, { recursive: true });
  git(directory, "init", "-q", "-b", "main");
  git(directory, "config", "user.name", "n");
  git(directory, "config", "user.email", "n@example.org");
  writeFiles(directory, files);
  commitAll(directory, "first");
  return directory;
}
