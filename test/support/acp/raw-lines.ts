/** A client of bytes: writes what it likes, reads lines of JSON. */
import type { Readable, Writable } from "node:stream";

export type Answer = {
  readonly jsonrpc: string;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
};

export type RawLines = {
  write(data: string | Uint8Array): void;
  request(id: unknown, method: string, params?: unknown): void;
  /** Every line so far. */
  readonly lines: readonly Answer[];
  /** The n-th line that is no notification, from 0, seen or to come. */
  answer(index: number): Promise<Answer>;
  /** The answer with that id. */
  answerTo(id: unknown): Promise<Answer>;
};

export function rawLines(output: Writable, input: Readable): RawLines {
  const lines: Answer[] = [];
  const watchers = new Set<() => void>();
  let rest = "";
  input.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts.map((line) => JSON.parse(line) as Answer));
    for (const watcher of watchers) watcher();
  });
  const seen = (find: () => Answer | undefined): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const end = (): void => reject(new Error(`ended before: ${JSON.stringify(lines).slice(-2_000)}`));
      const look = (): void => {
        const found = find();
        if (found === undefined) return;
        watchers.delete(look);
        input.off("close", end);
        resolve(found);
      };
      watchers.add(look);
      input.once("close", end);
      look();
    });
  const answers = (): readonly Answer[] => lines.filter(({ method }) => method === undefined);
  return {
    write: (data) => void output.write(data),
    request: (id, method, params) =>
      void output.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`),
    lines,
    answer: (index) => seen(() => answers()[index]),
    answerTo: (id) => seen(() => answers().find((answer) => answer.id === id)),
  };
}
