/** What is asked of `tasks`, from the words behind the command: `list 32 limit 16`, `send ID message …`. Pure. */
import { AutolithError } from "../contract/failure.ts";

export type TaskRequest =
  | { readonly action: "list"; readonly offset?: number; readonly limit?: number }
  | { readonly action: "get" | "cancel"; readonly id: string }
  | { readonly action: "transcript"; readonly id: string; readonly offset?: number; readonly limit?: number }
  | { readonly action: "send"; readonly id: string; readonly message: string }
  | { readonly action: "revive" | "abandon"; readonly id: string; readonly authorize: boolean };

const actions = ["list", "get", "transcript", "send", "cancel", "revive", "abandon"] as const;

/** How it is written. */
export const taskUsage =
  "list [:offset N] [:limit N] | get ID | transcript ID [:offset N] [:limit N] | send ID :message TEXT | cancel ID | revive ID :authorize t | abandon ID :authorize t";

/** Throws `invalid-argument` with what was expected. Colons before words and quotes around them may be left out. */
export function taskRequest(input: string): TaskRequest {
  const text = input.trim();
  const [first = "list", ...rest] = text === "" ? ["list"] : text.split(/\s+/);
  const action = actions.find((each) => each === plain(first));
  if (action === undefined) throw usage(`there is no action ${JSON.stringify(first.slice(0, 40))}`);
  if (action === "list") return { action, ...numbers(rest) };
  const [id, ...options] = rest;
  if (id === undefined) throw usage(`${action} needs an ID`);
  switch (action) {
    case "get":
    case "cancel":
      if (options.length > 0) throw usage(`${action} takes nothing behind the ID`);
      return { action, id: unquoted(id) };
    case "transcript":
      return { action, id: unquoted(id), ...numbers(options) };
    case "send":
      return { action, id: unquoted(id), message: messageOf(text, id) };
    case "revive":
    case "abandon":
      return { action, id: unquoted(id), authorize: authorized(options) };
  }
}

function usage(problem: string): AutolithError {
  return new AutolithError("invalid-argument", `tasks: ${problem}. Expected: ${taskUsage}`);
}

function plain(word: string): string {
  return word.replace(/^:/, "").toLowerCase();
}

function unquoted(text: string): string {
  return text.replace(/^"(.*)"$/s, "$1");
}

function numbers(words: readonly string[]): { offset?: number; limit?: number } {
  const found: { offset?: number; limit?: number } = {};
  for (let index = 0; index < words.length; index += 2) {
    const [name, value] = [plain(words[index] ?? ""), words[index + 1]];
    if (name !== "offset" && name !== "limit") throw usage(`${JSON.stringify(words[index])} is no option`);
    if (value === undefined || !/^\d{1,9}$/.test(value)) throw usage(`${name} takes a whole number`);
    found[name] = Number(value);
  }
  return found;
}

/** Everything behind the ID, without the word `message` before it and quotes around it. */
function messageOf(text: string, id: string): string {
  const behind = text.slice(text.indexOf(id) + id.length).trim();
  const message = unquoted(behind.replace(/^:?message\s+/i, "").trim());
  if (message === "") throw usage("send needs a message");
  return message;
}

function authorized(words: readonly string[]): boolean {
  if (words.length === 0) return false;
  const [name, value = "t"] = words;
  if (plain(name ?? "") !== "authorize" || words.length > 2) throw usage("the only option is :authorize t");
  return ["t", "true", "on", "yes"].includes(plain(value));
}
