import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ScriptedTurn } from "./script.ts";
import type { ServerOrder, ServerReply } from "./server-main.ts";

/** A scripted model server in its own process. */
export interface ModelServerProcess {
  readonly baseUrl: string;
  /** When each request arrived, as epoch milliseconds with fractions. */
  arrivals(): Promise<readonly number[]>;
  /** Resolves when request `number` (from 1, over the life of the server) has arrived. One question at a time. */
  arrived(number: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts one; with `repeat` it answers with the turns again and again. */
export async function startModelServerProcess(
  turns: readonly ScriptedTurn[],
  options: { readonly repeat: boolean },
): Promise<ModelServerProcess> {
  const child = fork(fileURLToPath(new URL("./server-main.ts", import.meta.url)), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const started = await ask(child, { order: "start", turns, repeat: options.repeat });
  if (started.reply !== "started") throw new Error(`expected the server to start, but ${started.reply} came`);
  return {
    baseUrl: started.baseUrl,
    arrivals: async () => {
      const reply = await ask(child, { order: "arrivals" });
      return reply.reply === "arrivals" ? reply.arrivals : [];
    },
    arrived: async (number) => {
      await ask(child, { order: "await", number });
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

async function ask(child: ChildProcess, order: ServerOrder): Promise<ServerReply> {
  const replied = once(child, "message");
  child.send(order);
  const [reply] = (await replied) as [ServerReply];
  return reply;
}
