/**
 * A model that answers by what the last user message says: `shell COMMAND` runs a command, `children N` starts N children, `slow N` streams
 * N pieces, `stall N` streams N of sixty pieces and then nothing, anything else is answered with itself.
 */
import { type RecordedRequest, type ScriptedTurn, answer, calls } from "../model-server/script.ts";
import { markdownSample } from "./markdown-sample.ts";

type Item = {
  readonly type?: string;
  readonly role?: string;
  readonly content?: string | readonly { readonly text?: string }[];
};

function textOf({ content }: Item): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("");
}

/** The answer to a request. */
export function scriptedReply(request: RecordedRequest): ScriptedTurn {
  const { input = [] } = request.body as { input?: readonly Item[] };
  const last = input.findLastIndex(({ role }) => role === "user");
  const text = textOf(input[last] ?? {}).trim();
  const isAnswered = input.slice(last + 1).some(({ type }) => type === "function_call_output");
  const usage = { input: 12_000 + request.number * 500, output: 300 };
  if (isAnswered) return answer("The tool has answered.", { usage });
  const [word = "", ...rest] = text.split(" ");
  const argument = rest.join(" ");
  switch (word) {
    case "shell":
      return calls([{ name: "shell__run", arguments: { command: argument } }], { usage });
    case "children":
      return calls(
        [
          {
            name: "task__run",
            arguments: {
              context: "The children of a try.",
              tasks: Array.from({ length: Number(argument) }, (_, index) => ({
                agent: "scout",
                task: `stall 20 of child ${index + 1}`,
              })),
            },
          },
        ],
        { usage },
      );
    case "stall":
      return answer(
        Array.from({ length: 60 }, (_, index) => `piece ${index + 1} of the answer.\n\n`).join(""),
        { usage, pieces: 60, fault: { kind: "stall", after: Number(rest[0]) } },
      );
    case "slow":
      return answer(
        Array.from(
          { length: Number(rest[0] ?? "50") },
          (_, index) => `piece ${index + 1} of the answer.\n\n`,
        ).join(""),
        { usage, pieces: Number(rest[0] ?? "50") },
      );
    case "markdown":
      return answer(markdownSample, { usage, pieces: 200 });
    case "fail":
      return { kind: "status", status: 401, body: { error: { message: "no such key" } } };
    default:
      return answer(`You said: ${text}`, { usage, pieces: 3, reasoning: "thinking about it" });
  }
}
