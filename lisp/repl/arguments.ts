/** One thing `autolith lisp` is asked to do, in the order given. */
export type LispAction =
  | { readonly kind: "load"; readonly file: string }
  /** `print`: show the values (for `--print`). */
  | { readonly kind: "eval"; readonly text: string; readonly print: boolean }
  /** Forms from standard input, without prompts. */
  | { readonly kind: "input" }
  /** The listener on a terminal. */
  | { readonly kind: "listen" };

/** The arguments were wrong; the message says what was expected. */
export class LispArgumentError extends Error {
  readonly code = "lisp-arguments";
  override readonly name = "LispArgumentError";
}

/** Options that take a value, and the action they ask for. */
const valued: Readonly<Record<string, (value: string) => LispAction>> = {
  "--eval": (text) => ({ kind: "eval", text, print: false }),
  "--print": (text) => ({ kind: "eval", text, print: true }),
  "--load": (file) => ({ kind: "load", file }),
};

/** Takes `--image FILE` out of the arguments after `lisp`: the image to start from, null for a fresh one, and the others. */
export function takeImageOption(argv: readonly string[]): {
  readonly image: string | null;
  readonly rest: readonly string[];
} {
  const end = argv.indexOf("--");
  const at = argv.indexOf("--image");
  if (at < 0 || (end >= 0 && at > end)) return { image: null, rest: argv };
  const image = argv[at + 1];
  if (image === undefined)
    throw new LispArgumentError(
      "--image needs a value: autolith lisp --image FILE, a file that SAVE-IMAGE wrote",
    );
  const rest = [...argv.slice(0, at), ...argv.slice(at + 2)];
  if (takeImageOption(rest).image !== null) throw new LispArgumentError("--image may be given once");
  return { image, rest };
}

/** What the arguments after `lisp` ask for. */
export interface LispArguments {
  readonly actions: readonly LispAction[];
  /** What follows `--`: for the program that is loaded. */
  readonly programArguments: readonly string[];
}

/**
 * Reads the arguments after `lisp`. Without an action: the listener on a terminal, else standard input. What follows `--` are
 * arguments of the program; when nothing stands before it, the first is the file to load, whatever its name begins with.
 */
export function parseLispArguments(argv: readonly string[], interactive: boolean): LispArguments {
  const end = argv.indexOf("--");
  const actions = parseActions(end < 0 ? argv : argv.slice(0, end));
  const after = end < 0 ? [] : argv.slice(end + 1);
  if (actions.length > 0) return { actions, programArguments: after };
  const [file, ...programArguments] = after;
  if (file !== undefined) return { actions: [{ kind: "load", file }], programArguments };
  return { actions: [{ kind: interactive ? "listen" : "input" }], programArguments };
}

function parseActions(argv: readonly string[]): LispAction[] {
  const actions: LispAction[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    const option = valued[word];
    if (option !== undefined) {
      const value = argv[++i];
      if (value === undefined)
        throw new LispArgumentError(`${word} needs a value: autolith lisp ${word} TEXT`);
      actions.push(option(value));
    } else if (word === "-") actions.push({ kind: "input" });
    else if (word.startsWith("-")) {
      throw new LispArgumentError(
        `unknown option ${word}; expected FILE…, --image FILE, --eval FORM, --print FORM, --load FILE, - (standard input), or -- and arguments of the program`,
      );
    } else actions.push({ kind: "load", file: word });
  }
  return actions;
}
