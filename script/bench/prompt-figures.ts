/** Figures of the prompt in a running session of the built program, over ACP: a form, and a tool beside the same tool as a form. */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { environmentOf, makePlace, terminalArguments } from "./built-program.ts";

export type PromptFigures = {
  /** The first form, with the start of the image, in milliseconds. */
  readonly firstMs: number;
  /** `(+ 1 2)`, each time in milliseconds. */
  readonly sums: readonly number[];
  /** `resource.read` by `_autolith/invoke`, and as a form. */
  readonly tools: readonly number[];
  readonly toolForms: readonly number[];
};

/** Evaluates so many forms of each kind, in turn. */
export async function promptFigures(rounds: number): Promise<PromptFigures> {
  const { home, workspace } = makePlace("nothing to do");
  const child = spawn(process.execPath, terminalArguments("acp"), {
    cwd: workspace,
    env: { ...environmentOf({ home, workspace }, "http://127.0.0.1:9/v1") },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map<
    number,
    (message: { readonly result?: unknown; readonly error?: unknown }) => void
  >();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as { id?: number; method?: string; result?: unknown; error?: unknown };
    if (message.method === undefined && message.id !== undefined) waiting.get(message.id)?.(message);
  });
  let last = 0;
  const request = async (method: string, params: unknown): Promise<unknown> => {
    const id = (last += 1);
    const { promise, resolve } = Promise.withResolvers<{ result?: unknown; error?: unknown }>();
    waiting.set(id, resolve);
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { result, error } = await promise;
    waiting.delete(id);
    if (error !== undefined) throw new Error(`${method} was refused: ${JSON.stringify(error)}`);
    return result;
  };
  try {
    await request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = (await request("session/new", { cwd: workspace, mcpServers: [] })) as {
      sessionId: string;
    };
    const form = (source: string) => () =>
      request("session/prompt", { sessionId, prompt: [{ type: "text", text: source }] });
    const tool = () =>
      request("_autolith/invoke", {
        sessionId,
        operation: "resource.read",
        arguments: { uri: "workspace:a.txt" },
      });
    const sum = form("(+ 1 2)");
    const toolForm = form('(resource.read :uri "workspace:a.txt")');
    const firstMs = await timed(sum);
    for (let round = 0; round < 30; round += 1) for (const each of [sum, tool, toolForm]) await each();
    const [sums, tools, toolForms]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round += 1) {
      sums.push(await timed(sum));
      tools.push(await timed(tool));
      toolForms.push(await timed(toolForm));
    }
    return { firstMs, sums, tools, toolForms };
  } finally {
    const closed = new Promise((resolve) => child.once("close", resolve));
    child.stdin.end();
    await closed;
    rmSync(home, { recursive: true, force: true });
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
