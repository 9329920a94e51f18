/** The scripted session of a terminal drill: what is typed, and the model behind it, whose words can be told from each other on a screen. */
import { answer, calls } from "../../../test/support/model-server/script.ts";
import type { RecordedRequest, ScriptedTurn } from "../../../test/support/model-server/script.ts";
import { sessionEffectLog } from "../sessions/session-script.ts";

export type TypedInput = {
  readonly text: string;
  /** The key behind it: Enter sends or steers, Tab queues. */
  readonly key: "Enter" | "Tab";
};

/** What the person types, in order. */
export const typedInputs: readonly TypedInput[] = [
  { text: "typed-one", key: "Enter" },
  { text: "typed-two", key: "Tab" },
  { text: "typed-three", key: "Enter" },
  { text: "/compact", key: "Enter" },
  { text: "typed-four", key: "Tab" },
];
/** What is typed at the end, so that everything that waits goes on. */
export const lastTyped: TypedInput = { text: "typed-last", key: "Enter" };

/** Milliseconds between two frames of an answer. */
const paceMs = 12;

/** Lines of an answer that stand alone in a paragraph each. */
const answerLines = 8;

/** Two commands for what a person typed, words for everything else. */
export function answerTerminal(request: RecordedRequest): ScriptedTurn {
  if (request.text.includes("Give the conversation below a title")) return answer("A title");
  if (request.text.includes("You compact the conversation")) return answer("SUMMARY");
  const { input } = request.body as {
    readonly input: readonly { readonly type: string; readonly role?: string; readonly content?: unknown }[];
  };
  const last = input.at(-1);
  const typed =
    last?.type === "message" && last.role === "user"
      ? /typed-(\w+)/.exec(JSON.stringify(last.content))?.[1]
      : undefined;
  const usage = { input: 1_000, output: 20 };
  if (typed === undefined)
    return answer(
      Array.from({ length: answerLines }, (_, index) => `answer-${request.number}-${index + 1}`).join("\n\n"),
      { usage, pieces: 30, paceMs },
    );
  const effect = (name: string): string => `echo ${typed}-${name} >> ${sessionEffectLog}`;
  return calls(
    [
      { name: "shell__run", arguments: { command: effect("first") } },
      { name: "shell__run", arguments: { command: effect("detached"), async: true } },
    ],
    { usage, text: `before-${request.number}`, pieces: 4, paceMs },
  );
}
