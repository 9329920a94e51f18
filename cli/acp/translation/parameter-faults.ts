/**
 * Parameters that a method refuses, told in our words: for each place what was expected and what came. Values are not repeated, they may hold
 * credentials; only the short names that choose between shapes are. Pure.
 */
import { type AnyMessage, RequestError } from "@agentclientprotocol/sdk";

/** What a validator found, as `z.formatError` gives it and the protocol library sends it. */
export type FaultTree = { readonly _errors?: readonly string[]; readonly [key: string]: unknown };

export type ParameterProblem = {
  /** `prompt[0].type`. */
  readonly path: string;
  readonly expected: string;
  readonly received: string;
};

/** Problems that are told; more are counted. */
const toldProblems = 4;
const discriminators: ReadonlySet<string> = new Set(["type", "kind", "output", "as", "how"]);
/** Names of the shapes that the standard methods take: the validator names only the others. */
const knownShapes: ReadonlySet<unknown> = new Set([
  ...["text", "image", "audio", "resource_link", "resource"],
  ...["http", "sse", "stdio"],
]);
const shownCharacters = 40;

/** The refusal of these parameters. `data.problems` has them in parts. `place`: a path of `params` as the client knows it. */
export function parameterFault(
  method: string,
  tree: FaultTree,
  params: unknown,
  place = (path: string): string => path,
): RequestError {
  const problems = problemsOf(tree, params, "").map((each) => ({ ...each, path: place(each.path) }));
  const told = problems
    .slice(0, toldProblems)
    .map(({ path, expected, received }) => `${path}: expected ${expected}, received ${received}`);
  const more = problems.length - told.length;
  const list = [...told, ...(more > 0 ? [`${more} more`] : [])].join("; ") || "they have another shape";
  return new RequestError(
    -32_602,
    `The parameters of ${method} are not valid: ${list}. Correct them and send the request again.`,
    { code: "invalid-argument", method, problems: problems.slice(0, toldProblems) },
  );
}

/** An answer of the protocol library to parameters that it refused, in our words; any other message as it is. */
export function withToldFaults(
  message: AnyMessage,
  request: { method: string; params: unknown },
): AnyMessage {
  if (!("error" in message) || message.error.code !== -32_602) return message;
  const tree = message.error.data as FaultTree | undefined;
  if (typeof tree !== "object" || !("_errors" in tree)) return message;
  return { ...message, error: parameterFault(request.method, tree, request.params).toErrorResponse() };
}

function problemsOf(tree: FaultTree, value: unknown, path: string): readonly ParameterProblem[] {
  const own = (tree._errors ?? []).map(expectation);
  const here: readonly ParameterProblem[] =
    own.length === 0
      ? []
      : [{ path: path || "params", expected: expectedAt(path, own), received: receivedOf(value, path) }];
  return [
    ...here,
    ...chosenBranches(tree, value).flatMap(([key, branch]) =>
      problemsOf(branch, at(value, key), step(path, key)),
    ),
  ];
}

/** The places below, without those of shapes that the value's own name does not choose. */
function chosenBranches(tree: FaultTree, value: unknown): readonly (readonly [string, FaultTree])[] {
  const branches = Object.entries(tree).filter(
    (entry): entry is [string, FaultTree] => entry[0] !== "_errors" && typeof entry[1] === "object",
  );
  const chooser = branches.find(([key]) => discriminators.has(key));
  if (chooser === undefined) return branches;
  const came = at(value, chooser[0]);
  if (came === undefined || knownShapes.has(came)) return branches.filter((each) => each !== chooser);
  return [chooser];
}

function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function step(path: string, key: string): string {
  if (/^\d+$/.test(key)) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

const kinds: Readonly<Record<string, string>> = {
  array: "an array",
  object: "an object",
  record: "an object",
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
};

/** `Invalid input: expected string, received number` says what was expected, and what came we know ourselves. */
function expectation(text: string): string {
  const wanted = /expected (.*?)(?:, received \S+)?$/is.exec(text)?.[1];
  return wanted === undefined ? text.replace(/^Invalid (?:input: )?/, "a valid ") : (kinds[wanted] ?? wanted);
}

/** The prompt of a turn is what clients most often send as plain text. */
function expectedAt(path: string, own: readonly string[]): string {
  const words = alternatives(own);
  return path === "prompt" && words === kinds["array"]
    ? `${words} of content blocks, such as [{"type":"text","text":"Hello"}]`
    : words;
}

function alternatives(texts: readonly string[]): string {
  return [...new Set(texts)].join(" or ");
}

function receivedOf(value: unknown, path: string): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  const name = path.slice(path.lastIndexOf(".") + 1);
  if (typeof value === "string")
    return discriminators.has(name) ? JSON.stringify(value.slice(0, shownCharacters)) : "a string";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "number") return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
