/**
 * A scripted model server as a process of its own, so that it takes no time from what is measured. The parent sends the
 * turns, gets the base URL, and may ask for the arrivals; the process ends with the channel to its parent.
 */
import type { ScriptedTurn } from "./script.ts";
import { startModelServer, type ModelServer } from "./server.ts";

/** From the parent. `repeat` answers with the turns again and again; otherwise they are used up in order. */
export type ServerOrder =
  | { readonly order: "start"; readonly turns: readonly ScriptedTurn[]; readonly repeat: boolean }
  | { readonly order: "arrivals" }
  /** Answered when request `number` (from 1) has arrived. */
  | { readonly order: "await"; readonly number: number };

/** To the parent. Arrivals are epoch milliseconds, in order. */
export type ServerReply =
  | { readonly reply: "started"; readonly baseUrl: string }
  | { readonly reply: "arrived" }
  | { readonly reply: "arrivals"; readonly arrivals: readonly number[] };

let server: ModelServer | undefined;

async function obey(order: ServerOrder): Promise<ServerReply> {
  if (order.order === "arrivals") {
    return { reply: "arrivals", arrivals: (server?.requests ?? []).map(({ receivedAt }) => receivedAt) };
  }
  if (order.order === "await") {
    await server?.arrived(order.number);
    return { reply: "arrived" };
  }
  const { turns, repeat } = order;
  const turnAt = (number: number): ScriptedTurn | undefined => turns[(number - 1) % turns.length];
  server = await startModelServer(
    repeat ? (request) => turnAt(request.number) ?? { kind: "status", status: 500 } : turns,
  );
  return { reply: "started", baseUrl: server.baseUrl };
}

process.on("message", (order: ServerOrder) => {
  void obey(order).then((reply) => process.send?.(reply));
});
process.once("disconnect", () => process.exit(0));
