import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "./eventually.ts";
import { conversationIdSchema, newExecutionId } from "../../orchestrator/contract/identifiers.ts";
import type { ConcurrencyClass } from "../../orchestrator/contract/job-catalog.ts";
import type { Claim, QueueConsumer, QueueEntry, QueuePort } from "../../orchestrator/contract/queue.ts";

/** A queue under test and what its `onError` was told. */
export interface QueueUnderTest {
  readonly queue: QueuePort;
  readonly errors: readonly unknown[];
}

const conversationId = conversationIdSchema.parse("pQ3nT7x");
export const limits: Readonly<Record<ConcurrencyClass, number>> = {
  children: 2,
  executions: 2,
  gates: 1,
  evaluations: 1,
  wakeups: 1,
};

/** A fresh entry. */
export function entry(concurrencyClass: ConcurrencyClass = "children"): QueueEntry {
  const kind = {
    children: "agent",
    executions: "shell",
    evaluations: "lisp",
    gates: "gate",
    wakeups: "wakeup",
  } as const;
  return { executionId: newExecutionId(), conversationId, kind: kind[concurrencyClass], concurrencyClass };
}

/** Claims that tests let end one by one. */
export class HeldClaims {
  readonly begun: Claim[] = [];
  readonly ended: string[] = [];
  readonly #holding = new Map<string, () => void>();
  readonly #watchers = new Set<() => void>();
  /** Set to let claims end by themselves. */
  free = false;

  readonly handler = async (claim: Claim): Promise<void> => {
    this.begun.push(claim);
    this.#changed();
    if (!this.free) await new Promise<void>((resolve) => this.#holding.set(claim.executionId, resolve));
    this.ended.push(claim.executionId);
    this.#changed();
  };

  /** Ends a claim that has begun. */
  end(executionId: string): void {
    this.#holding.get(executionId)?.();
    this.#holding.delete(executionId);
  }

  endAll(): void {
    this.free = true;
    for (const executionId of this.#holding.keys()) this.end(executionId);
  }

  /** Resolves when so many claims have begun. */
  async untilBegun(count: number): Promise<void> {
    while (this.begun.length < count) await this.#change();
  }

  async untilEnded(count: number): Promise<void> {
    while (this.ended.length < count) await this.#change();
  }

  ids(): readonly string[] {
    return this.begun.map(({ executionId }) => executionId);
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const watcher = (): void => {
        this.#watchers.delete(watcher);
        resolve();
      };
      this.#watchers.add(watcher);
    });
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

/** What every queue must do, whatever it is built on. */
export function describeQueue(name: string, open: () => Promise<QueueUnderTest>): void {
  async function consuming(): Promise<QueueUnderTest & { claims: HeldClaims; consumer: QueueConsumer }> {
    const under = await open();
    const claims = new HeldClaims();
    const consumer = await under.queue.consume(limits, claims.handler);
    onTestFinished(async () => {
      claims.endAll();
      await under.queue.close(2000);
    });
    return { ...under, claims, consumer };
  }

  const many = (count: number, concurrencyClass?: ConcurrencyClass): QueueEntry[] =>
    Array.from({ length: count }, () => entry(concurrencyClass));
  const idsOf = (entries: readonly QueueEntry[]): string[] => entries.map(({ executionId }) => executionId);

  describe(name, () => {
    it("claims what was enqueued before and after consuming began, in order, with all its fields", async () => {
      const { queue } = await open();
      const claims = new HeldClaims();
      claims.free = true;
      const entries = many(6);
      await queue.enqueue(entries.slice(0, 3));
      await queue.consume({ ...limits, children: 1 }, claims.handler);
      onTestFinished(() => queue.close(2000));
      await queue.enqueue(entries.slice(3));
      await claims.untilEnded(6);
      expect(claims.ids()).toEqual(idsOf(entries));
      for (const [index, claim] of claims.begun.entries()) expect(claim).toMatchObject({ ...entries[index] });
      const tokens = new Set(claims.begun.map(({ claimToken }) => claimToken));
      expect(tokens.size).toBe(6);
      for (const token of tokens) expect(token.length).toBeGreaterThanOrEqual(32);
    });

    it("takes an execution twice as one entry", async () => {
      const { queue, claims } = await consuming();
      const [first, last] = [entry(), entry()];
      await queue.enqueue([first, first]);
      await claims.untilBegun(1);
      await queue.enqueue([first]);
      claims.end(first.executionId);
      await claims.untilEnded(1);
      await queue.enqueue([first]);
      await queue.enqueue([last]);
      await claims.untilBegun(2);
      expect(claims.ids()).toEqual([first.executionId, last.executionId]);
    });

    it("keeps each class to its limit and classes out of each other's way", async () => {
      const { queue, claims } = await consuming();
      const [children, gates] = [many(4), many(2, "gates")];
      await queue.enqueue([...children, ...gates]);
      await claims.untilBegun(3);
      const running = new Set(claims.ids());
      expect(idsOf(children).filter((id) => running.has(id))).toHaveLength(2);
      expect(idsOf(gates).filter((id) => running.has(id))).toHaveLength(1);
      claims.end(children[0]?.executionId ?? "");
      await claims.untilBegun(4);
      expect(claims.begun[3]?.executionId).toBe(children[2]?.executionId);
    });

    it("removes what waits and not what is claimed, ended or unknown", async () => {
      const { queue, claims } = await consuming();
      const [running, waiting, last] = [many(2), entry(), entry()];
      await queue.enqueue([...running, waiting, last]);
      await claims.untilBegun(2);
      expect(await queue.remove(waiting)).toBe(true);
      expect(await queue.remove(waiting)).toBe(false);
      expect(await queue.remove(running[0] ?? entry())).toBe(false);
      expect(await queue.remove(entry())).toBe(false);
      expect(await queue.remove(entry("executions"))).toBe(false);
      claims.endAll();
      await claims.untilEnded(3);
      expect(claims.ids()).toEqual(idsOf([...running, last]));
    });

    it("lends a slot to one more claim and gives it back ahead of new claims", async () => {
      const { queue, claims, consumer } = await consuming();
      const parents = many(2);
      await queue.enqueue(parents);
      await claims.untilBegun(2);
      const [first, second] = [consumer.lend("children"), consumer.lend("children")];
      const children = many(4);
      await queue.enqueue(children);
      await claims.untilBegun(4);
      expect(claims.ids().slice(2)).toEqual(idsOf(children.slice(0, 2)));
      const order: string[] = [];
      const regaining = first.regain().then(() => order.push("regained"));
      claims.end(children[0]?.executionId ?? "");
      await regaining;
      expect(claims.begun, "the slot went to the parent and not to a new claim").toHaveLength(4);
      claims.end(children[1]?.executionId ?? "");
      await claims.untilBegun(5);
      claims.end(parents[0]?.executionId ?? "");
      await second.regain();
      expect(claims.begun).toHaveLength(5);
      claims.endAll();
      await claims.untilEnded(6);
    });

    it("a regain that is aborted rejects with the reason and loses no slot", async () => {
      const { queue, claims, consumer } = await consuming();
      const parents = many(2);
      await queue.enqueue(parents);
      await claims.untilBegun(2);
      const lent = consumer.lend("children");
      const children = many(3);
      await queue.enqueue(children);
      await claims.untilBegun(3);
      const abort = new AbortController();
      const regaining = lent.regain(abort.signal);
      abort.abort(new Error("cancelled"));
      await expect(regaining).rejects.toThrow("cancelled");
      claims.end(parents[0]?.executionId ?? "");
      claims.end(parents[1]?.executionId ?? "");
      await claims.untilBegun(4);
      expect(claims.begun).toHaveLength(4);
      claims.endAll();
      await claims.untilEnded(5);
    });

    it("reports a handler that rejects, and neither re-runs its entry nor stops", async () => {
      const { queue, errors } = await open();
      const seen: string[] = [];
      let done = (): void => undefined;
      const all = new Promise<void>((resolve) => {
        done = resolve;
      });
      await queue.consume({ ...limits, children: 1 }, async ({ executionId }) => {
        seen.push(executionId);
        if (seen.length === 3) done();
        throw new Error(`broken ${executionId}`);
      });
      onTestFinished(() => queue.close(2000));
      const entries = many(3);
      await queue.enqueue(entries);
      await all;
      expect(seen).toEqual(idsOf(entries));
      await eventually(() => errors.length).toBe(3);
    });

    it("paused, it claims no more while what runs goes on", async () => {
      const { queue, claims, consumer } = await consuming();
      const running = many(2);
      await queue.enqueue([...running, entry()]);
      await claims.untilBegun(2);
      await consumer.pause();
      claims.endAll();
      await claims.untilEnded(2);
      await queue.enqueue([entry()]);
      await consumer.close(1000);
      expect(claims.ids()).toEqual(idsOf(running));
    });

    it("closes when what runs has ended, or at the deadline", async () => {
      const { queue, claims, consumer } = await consuming();
      const running = entry();
      await queue.enqueue([running]);
      await claims.untilBegun(1);
      const start = performance.now();
      await consumer.close(50);
      expect(performance.now() - start).toBeLessThan(20_000);
      expect(claims.ended).toEqual([]);
      claims.endAll();
      await queue.close(1000);
    });

    it("admits one consumer", async () => {
      const { queue } = await consuming();
      await expect(queue.consume(limits, async () => undefined)).rejects.toMatchObject({
        code: "queue-consumed",
      });
    });
  });
}
