/**
 * The scripted session of a drill: what is typed, and the model that answers by what it is sent, never by how often it was asked. Every
 * command appends a line of its own to a file, so that what happened can be read after any kill.
 */
import { answer, calls } from "../../../test/support/model-server/script.ts";
import type { RecordedRequest, ScriptedTurn } from "../../../test/support/model-server/script.ts";

/** Where commands leave their lines, in the workspace. */
export const sessionEffectLog = "effects.log";

/** What the first host is told, in order; each line is a verb and a text. */
export const firstInputs: readonly string[] = [
  "prompt typed-one",
  "queue typed-two",
  "steer typed-three",
  "queue /compact",
  "queue typed-four",
];
/** Lisp that leaves a file of that name in the workspace, or one that says that it was done before. */
function effectForm(place: string, name: string): string {
  return `(let ((f "${place}/${lispEffect}${name}")) (open (if (probe-file f) (concatenate 'string f ".again") f) :direction :output :if-exists :append :if-does-not-exist :create) :left)`;
}

/** What the name of a file begins with that Lisp has left. */
export const lispEffect = "lisp-effect-";

/** Forms that a person evaluates beside everything else, at once (issue 8). */
const formCount = 50;

/**
 * What a host is told besides: evaluations of the model, and forms of the person beside them, which end one after the other. `place`: the
 * workspace.
 */
export function lispInputs(place: string): readonly string[] {
  const forms = Array.from(
    { length: formCount },
    (_, index) => `prompt ? (progn (sleep ${index / 100}) ${effectForm(place, `form-${index}`)})`,
  );
  return ["queue typed-lisp", ...forms];
}

/** The effect of a form that {@link lispInputs} gives; undefined for other forms. */
export function formEffect(source: string): string | undefined {
  return /\/(lisp-effect-form-\d+)"/.exec(source)?.[1];
}
/** What a host that is killed as well is told. */
export const lateInput = "typed-late";
/** What the last host is told, so that everything that waits goes on. */
export const lastInput = "typed-last";

/** An item of a request on the Responses wire. */
export type WireItem = {
  readonly type: string;
  readonly role?: string;
  readonly call_id?: string;
  readonly content?: unknown;
};

export function itemsOf({ body }: RecordedRequest): readonly WireItem[] {
  return (body as { readonly input: readonly WireItem[] }).input;
}

/** Tools for what a person typed, words for everything else. */
export function answerSession(request: RecordedRequest): ScriptedTurn {
  if (request.text.includes("Give the conversation below a title")) return answer("A title");
  if (request.text.includes("You compact the conversation")) return answer("SUMMARY");
  const last = itemsOf(request).at(-1);
  const typed =
    last?.type === "message" && last.role === "user"
      ? /typed-(\w+)/.exec(JSON.stringify(last.content))?.[1]
      : undefined;
  const usage = { input: 1_000, output: 20 };
  if (typed === undefined) return answer(`answer ${request.number}`, { usage });
  if (typed === "lisp")
    return calls(
      [
        { name: "lisp__eval", arguments: { form: effectForm(".", "first") } },
        { name: "lisp__eval", arguments: { form: effectForm(".", "detached"), repl: "side", async: true } },
        {
          name: "lisp__eval",
          arguments: {
            form: String.raw`(autolith:worker-tool-call "shell.run" "{\"command\":\"echo lisp-tool >> ${sessionEffectLog}\"}")`,
            "host-tools": ["shell.run"],
          },
        },
      ],
      { usage },
    );
  const effect = (name: string): string => `echo ${typed}-${name} >> ${sessionEffectLog}`;
  return calls(
    [
      { name: "shell__run", arguments: { command: effect("first") } },
      { name: "shell__run", arguments: { command: effect("detached"), async: true } },
      { name: "shell__run", arguments: { command: effect("second") } },
    ],
    { usage },
  );
}
