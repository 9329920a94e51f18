/**
 * The model behind the measured terminals, as a process: `start N children` starts N children that write for a while, each about a hundred
 * words a second, with a tool call between two answers. Prints its base URL.
 */
import { answer, calls } from "../../test/support/model-server/script.ts";
import { startModelServer } from "../../test/support/model-server/server.ts";

/** Words of an answer of a child, its pace, and its answers. */
const words = 600;
const paceMs = 10;
const childTurns = 4;

const server = await startModelServer((request) => {
  const { input } = request.body as {
    readonly input: readonly { readonly type: string; readonly role?: string }[];
  };
  const results = input.filter(({ type }) => type === "function_call_output").length;
  const count = Number(/start (\d+) children/.exec(request.text)?.[1] ?? 0);
  if (count > 0) {
    if (results > 0) return answer("They run.");
    const tasks = Array.from({ length: count }, (_, index) => ({ task: `Write number ${index}.` }));
    return calls([
      { name: "task__run", arguments: { context: "Part of a measurement.", tasks, blocking: false } },
    ]);
  }
  if (results < childTurns)
    return calls([{ name: "resource__read", arguments: { uri: "workspace:." } }], {
      text: "word ".repeat(words),
      pieces: words,
      paceMs,
    });
  return calls([{ name: "yield__submit", arguments: { status: "success", data: {} } }]);
});
process.stdout.write(`${server.baseUrl}\n`);
