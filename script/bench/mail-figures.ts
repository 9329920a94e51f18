/** Mail from one agent to another, from the call that sends it until it is claimed; beside a raw round trip to the same Redis. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executionIdSchema, newExecutionId } from "../../orchestrator/contract/identifiers.ts";
import type { Endpoint } from "../../orchestrator/peers/endpoint.ts";
import { PeerService } from "../../orchestrator/peers/peer-service.ts";
import { openConnection } from "../../redis/connection.ts";
import { privateServerLocation } from "../../redis/private-server/location.ts";
import { PrivateServer } from "../../redis/private-server/private-server.ts";
import { RedisRuntime } from "../../redis/runtime.ts";

export type MailFigures = {
  /** Median milliseconds from send to claim: two children of one session, and two sessions of two hosts. */
  readonly withinSessionMs: number;
  readonly betweenSessionsMs: number;
  /** Median milliseconds of a PING, sent between the messages. */
  readonly roundTripMs: number;
};

function child(session: string): Endpoint {
  return { session, child: { job: "child", execution: executionIdSchema.parse(newExecutionId()) } };
}

function middle(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Sends `count` messages each way, at most 1,000. */
export async function mailFigures(count: number): Promise<MailFigures> {
  const home = mkdtempSync(join(tmpdir(), "alb-"));
  const stateRoot = join(home, "state");
  const conversations = join(home, "conversations");
  mkdirSync(conversations);
  const server = await PrivateServer.join({
    location: privateServerLocation(stateRoot, process.getuid?.() ?? 0),
    searchPath: process.env["PATH"],
    report: () => undefined,
  });
  const raw = await openConnection(server.endpoint, "producer", { onError: () => undefined });
  const opened: (() => Promise<void>)[] = [];
  const open = async (session: string): Promise<PeerService> => {
    const runtime = await RedisRuntime.open({
      environment: process.env,
      stateRoot,
      onError: () => undefined,
      server,
    });
    const service = await PeerService.open({
      session,
      journalPath: join(conversations, `${session}.peers.sexp`),
      transport: runtime.mail,
      isOpen: () => true,
      handedOver: new Set(),
      report: () => undefined,
      now: Date.now,
    });
    opened.push(async () => {
      await service.close();
      await runtime.close(500);
    });
    return service;
  };
  try {
    const [near, far] = [await open("nearnea"), await open("farfarf")];
    const [one, two, three] = [child("nearnea"), child("nearnea"), child("farfarf")];
    await near.grant({ id: "local", sender: one, receiver: two, context: false, scope: "local" });
    await near.grant({ id: "out", sender: one, receiver: three, context: false, scope: "outgoing" });
    await far.grant({ id: "in", sender: one, receiver: three, context: false, scope: "incoming" });
    const pings: number[] = [];
    const ping = async (): Promise<void> => {
      const startedAt = performance.now();
      await raw.ping();
      pings.push(performance.now() - startedAt);
    };
    const half = Math.min(1_000, count) / 2;
    const withinSessionMs = middle(await exchange(near, one, near, two, half, ping));
    const betweenSessionsMs = middle(await exchange(near, one, far, three, half, ping));
    return { withinSessionMs, betweenSessionsMs, roundTripMs: middle(pings) };
  } finally {
    for (const close of opened.toReversed()) await close();
    raw.disconnect();
    await server.leave();
    rmSync(home, { recursive: true, force: true });
  }
}

async function exchange(
  from: PeerService,
  sender: Endpoint,
  to: PeerService,
  receiver: Endpoint,
  count: number,
  between: () => Promise<void>,
): Promise<readonly number[]> {
  const { signal } = new AbortController();
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    await between();
    const waiting = to.wait(receiver, undefined, 5_000, signal);
    const startedAt = performance.now();
    const sending = from.send(sender, receiver, `${receiver.session}-${index}`, "a message of some words");
    await waiting;
    const message = await to.receive(receiver, undefined);
    times.push(performance.now() - startedAt);
    await to.acknowledge(receiver, message?.id ?? "", message?.token ?? 0);
    await sending;
  }
  return times;
}
