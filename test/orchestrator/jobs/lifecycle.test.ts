import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ClaimToken,
  claimTokenSchema,
  newExecutionId,
} from "../../../orchestrator/contract/identifiers.ts";
import {
  type JobLife,
  type LifeEvent,
  admittedLife,
  interrupted,
  isLive,
  isTerminal,
  step,
} from "../../../orchestrator/jobs/lifecycle.ts";

const tokens = ["token-one", "token-two"].map((text) => claimTokenSchema.parse(text)) as [
  ClaimToken,
  ClaimToken,
];

const anyEvent: fc.Arbitrary<LifeEvent> = fc.oneof(
  fc.record({ kind: fc.constant("claimed" as const), claimToken: fc.constantFrom(...tokens) }),
  fc.record({
    kind: fc.constant("cancel-requested" as const),
    reason: fc.constantFrom("user" as const, "timeout" as const, "signal" as const, "shutdown" as const),
  }),
  fc.record({
    kind: fc.constant("settled" as const),
    claimToken: fc.constantFrom(undefined, ...tokens),
    state: fc.constantFrom("completed" as const, "failed" as const, "aborted" as const),
  }),
);

function fold(events: readonly LifeEvent[]): { life: JobLife; accepted: LifeEvent[] } {
  let life = admittedLife(newExecutionId());
  const accepted: LifeEvent[] = [];
  for (const event of events) {
    const next = step(life, event);
    if (!next.accepted) continue;
    life = next.life;
    accepted.push(event);
  }
  return { life, accepted };
}

describe("the life of a job", () => {
  it("settles at most once, whatever arrives in whatever order", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 20 }), (events) => {
        const { life, accepted } = fold(events);
        expect(accepted.filter((event) => event.kind === "settled").length).toBe(
          isTerminal(life.state) ? 1 : 0,
        );
      }),
    );
  });

  it("is claimed at most once, and only the claim's token settles it", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 20 }), (events) => {
        const { life, accepted } = fold(events);
        const claims = accepted.filter((event) => event.kind === "claimed");
        expect(claims.length).toBe(life.attempt);
        expect(claims.length).toBeLessThanOrEqual(1);
        for (const event of accepted)
          if (event.kind === "settled" && claims[0]?.kind === "claimed")
            expect([undefined, claims[0].claimToken]).toContain(event.claimToken);
      }),
    );
  });

  it("never completes after a cancel was accepted, and the first reason stays", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 20 }), (events) => {
        const { life, accepted } = fold(events);
        const cancels = accepted.filter((event) => event.kind === "cancel-requested");
        if (cancels.length > 0) expect(life.state).not.toBe("completed");
        expect(life.cancelReason).toBe(
          cancels[0]?.kind === "cancel-requested" ? cancels[0].reason : undefined,
        );
      }),
    );
  });

  it("refuses a stale token without changing anything", () => {
    const { life } = fold([{ kind: "claimed", claimToken: tokens[0] }]);
    expect(step(life, { kind: "settled", claimToken: tokens[1], state: "completed" })).toEqual({
      accepted: false,
      refusal: "stale-token",
    });
  });

  it("does not complete what was never claimed", () => {
    const { life } = fold([]);
    expect(step(life, { kind: "settled", claimToken: undefined, state: "completed" })).toEqual({
      accepted: false,
      refusal: "not-claimed",
    });
  });

  it("is interrupted exactly while unsettled under a dead host", () => {
    const running = fold([{ kind: "claimed", claimToken: tokens[0] }]).life;
    const settled = fold([
      { kind: "claimed", claimToken: tokens[0] },
      { kind: "settled", claimToken: tokens[0], state: "failed" },
    ]).life;
    expect([interrupted(running, false), interrupted(running, true)]).toEqual([true, false]);
    expect([interrupted(settled, false), isLive(settled.state)]).toEqual([false, false]);
  });
});
