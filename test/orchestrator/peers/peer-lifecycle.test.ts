/** The life of mail within one session against a model: random operations, repeats, crashes, endings. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Endpoint, endpointId } from "../../../orchestrator/peers/endpoint.ts";
import { PeerMessageError } from "../../../orchestrator/peers/peer-error.ts";
import { type MailScene, childEndpoint, mailScene } from "../../support/peers/mail-scene.ts";
import { MemoryTransport } from "../../support/peers/memory-transport.ts";

const session = "abcdefg";
const actors: readonly Endpoint[] = [{ session }, childEndpoint(session, 1), childEndpoint(session, 2)];

type Op =
  | {
      readonly op: "grant";
      readonly id: string;
      readonly from: number;
      readonly to: number;
      readonly context: boolean;
    }
  | { readonly op: "revoke"; readonly id: string }
  | {
      readonly op: "send";
      readonly id: string;
      readonly from: number;
      readonly to: number;
      readonly text: string;
    }
  | { readonly op: "receive"; readonly by: number; readonly id: string | undefined }
  | { readonly op: "ack"; readonly by: number; readonly id: string; readonly stale: boolean }
  | {
      readonly op: "resolve";
      readonly id: string;
      readonly stale: boolean;
      /** As for a message that nobody has claimed. */
      readonly withoutToken: boolean;
      readonly action: "acknowledge" | "retry" | "cancel";
    }
  | { readonly op: "crash"; readonly torn: string | undefined }
  | { readonly op: "end"; readonly actor: number };

const actor = fc.integer({ min: 0, max: 2 });
/** Mostly the ways that are granted, so that messages get far. */
const way = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom({ from: 0, to: 1 }, { from: 1, to: 2 }) },
  { weight: 1, arbitrary: fc.record({ from: actor, to: actor }) },
);
const messageId = fc.constantFrom("m1", "m2", "m3");
const grantId = fc.constantFrom("g1", "g2", "g3");
const operation: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({ op: fc.constant("grant" as const), id: grantId, way, context: fc.boolean() })
      .map(({ way: between, ...rest }) => ({ ...rest, ...between })),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("revoke" as const), id: grantId }) },
  {
    weight: 6,
    arbitrary: fc
      .record({
        op: fc.constant("send" as const),
        id: messageId,
        way,
        text: fc.constantFrom("x", "x", "x", "y\nz"),
      })
      .map(({ way: between, ...rest }) => ({ ...rest, ...between })),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant("receive" as const),
      by: actor,
      id: fc.option(messageId, { nil: undefined }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant("ack" as const),
      by: actor,
      id: messageId,
      stale: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant("resolve" as const),
      id: messageId,
      stale: fc.constantFrom(false, false, false, true),
      withoutToken: fc.constantFrom(false, false, true),
      action: fc.constantFrom("acknowledge" as const, "retry" as const, "cancel" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant("crash" as const),
      torn: fc.option(fc.constantFrom('(:ACKNOWLEDGED :SEQ 9 :AT 1 :ID "m', "(:POSTED", "\0\0\0"), {
        nil: undefined,
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("end" as const), actor: fc.constantFrom(1, 2) }) },
);

type ModelMessage = { from: number; to: number; text: string; state: string; token: number | undefined };
type ModelGrant = { from: number; to: number; context: boolean; active: boolean };

/** What should be, told as plainly as possible. */
class Model {
  readonly grants = new Map<string, ModelGrant>();
  readonly messages = new Map<string, ModelMessage>();
  readonly ended = new Set<number>();
  token = 0;

  /** The reason of the refusal, or what is answered. */
  run(op: Op): string {
    switch (op.op) {
      case "grant": {
        const known = this.grants.get(op.id);
        if (known !== undefined)
          return known.active && known.from === op.from && known.to === op.to && known.context === op.context
            ? "active true"
            : "grant-conflict";
        if (op.from === op.to) return "identity";
        if (this.ended.has(op.from) || this.ended.has(op.to)) return "endpoint-lifecycle";
        this.grants.set(op.id, { ...op, active: true });
        return "active true";
      }
      case "revoke": {
        const known = this.grants.get(op.id);
        if (known === undefined) return "not-found";
        known.active = false;
        return "active false";
      }
      case "send": {
        const known = this.messages.get(op.id);
        if (known !== undefined)
          return known.from === op.from && known.to === op.to && known.text === op.text
            ? known.state
            : "identity-conflict";
        if (!this.granted(op.from, op.to)) return "grant";
        if (this.ended.has(op.to)) return "endpoint-lifecycle";
        this.messages.set(op.id, { ...op, state: "queued", token: undefined });
        return "queued";
      }
      case "receive": {
        const [id, found] =
          op.id === undefined
            ? ([...this.messages].find(([, each]) => each.to === op.by && each.state === "queued") ?? [
                "",
                undefined,
              ])
            : [op.id, this.messages.get(op.id)];
        if (found === undefined) return op.id === undefined ? "nothing" : "not-found";
        if (found.to !== op.by) return "receiver";
        if (found.state !== "queued") return "not-queued";
        this.token += 1;
        Object.assign(found, { state: "delivered", token: this.token });
        return `${id} under ${this.token}`;
      }
      case "ack": {
        const found = this.messages.get(op.id);
        if (found === undefined) return "not-found";
        if (found.to !== op.by) return "receiver";
        if (op.stale || found.token === undefined) return "stale-token";
        if (found.state === "acknowledged") return "acknowledged";
        if (found.state === "cancelled") return "outcome-conflict";
        if (found.state !== "delivered") return "stale-token";
        found.state = "acknowledged";
        return "acknowledged";
      }
      case "resolve": {
        const found = this.messages.get(op.id);
        if (found === undefined) return "not-found";
        if (op.withoutToken ? found.token !== undefined : op.stale || found.token === undefined)
          return "stale-token";
        const wanted =
          op.action === "acknowledge" ? "acknowledged" : op.action === "cancel" ? "cancelled" : "queued";
        if (["acknowledged", "cancelled"].includes(found.state))
          return found.state === wanted ? wanted : "outcome-conflict";
        if (op.action === "retry" && found.state === "queued") return "queued";
        if (op.action === "retry" && !this.granted(found.from, found.to)) return "grant";
        if (op.action === "retry" && this.ended.has(found.to)) return "endpoint-lifecycle";
        Object.assign(found, { state: wanted, ...(op.action === "retry" ? { token: undefined } : {}) });
        return wanted;
      }
      case "crash":
        this.interrupt(() => true);
        return "";
      case "end":
        this.ended.add(op.actor);
        this.interrupt(({ to }) => to === op.actor);
        return "";
    }
  }

  granted(from: number, to: number): boolean {
    return [...this.grants.values()].some((grant) => grant.active && grant.from === from && grant.to === to);
  }

  interrupt(concerns: (message: ModelMessage) => boolean): void {
    for (const message of this.messages.values())
      if (message.state === "delivered" && concerns(message)) message.state = "unknown";
  }
}

async function perform(op: Op, scene: MailScene, model: Model): Promise<string> {
  const { service } = scene;
  const at = (index: number): Endpoint => actors[index] ?? { session };
  switch (op.op) {
    case "grant": {
      const { id, context } = op;
      const grant = await service.grant({
        id,
        sender: at(op.from),
        receiver: at(op.to),
        context,
        scope: "local",
      });
      return `active ${grant.active}`;
    }
    case "revoke":
      return `active ${(await service.revoke(op.id)).active}`;
    case "send":
      return (await service.send(at(op.from), at(op.to), op.id, op.text)).state;
    case "receive": {
      const message = await service.receive(at(op.by), op.id);
      return message === undefined ? "nothing" : `${message.id} under ${message.token}`;
    }
    case "ack":
      return (await service.acknowledge(at(op.by), op.id, tokenOf(op, model))).state;
    case "resolve":
      return (await service.resolve(op.id, op.withoutToken ? undefined : tokenOf(op, model), op.action))
        .state;
    case "crash":
      await scene.crash(op.torn);
      return "";
    case "end": {
      const endpoint = at(op.actor);
      scene.open.delete(endpoint.child?.execution ?? "");
      await service.endpointEnded(endpoint);
      return "";
    }
  }
}

/** The current token, or one that is not. */
function tokenOf({ id, stale }: { readonly id: string; readonly stale: boolean }, model: Model): number {
  const token = model.messages.get(id)?.token;
  return stale || token === undefined ? 1_000_000 : token;
}

test("answers, refusals and states are those of the model, across repeats, crashes and ended children", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 40 }), async (operations) => {
      const directory = mkdtempSync(join(tmpdir(), "peers-"));
      const scene = await mailScene(directory, session, new MemoryTransport());
      const model = new Model();
      for (const { child } of actors) if (child !== undefined) scene.open.add(child.execution);
      try {
        for (const op of operations) {
          const answered = await perform(op, scene, model).catch((error: unknown) => {
            if (error instanceof PeerMessageError) return error.reason;
            throw error;
          });
          expect([op, answered]).toEqual([op, model.run(op)]);
          const seen = scene.service
            .visible(undefined)
            .map(({ id, state, token, sender, receiver, payload }) => ({
              id,
              state,
              token,
              sender: endpointId(sender),
              receiver: endpointId(receiver),
              payload,
            }));
          const expected = [...model.messages].map(([id, { state, token, from, to, text }]) => ({
            id,
            state,
            token,
            sender: endpointId(actors[from] ?? { session }),
            receiver: endpointId(actors[to] ?? { session }),
            payload: text,
          }));
          expect(seen).toEqual(expected);
        }
      } finally {
        await scene.close();
        rmSync(directory, { recursive: true, force: true });
      }
    }),
    { numRuns: 250 },
  );
});
