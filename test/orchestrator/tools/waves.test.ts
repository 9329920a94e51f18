import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CallConcurrency, planWaves } from "../../../orchestrator/tools/waves.ts";

const anyCall: fc.Arbitrary<CallConcurrency> = fc.oneof(
  fc.constant({ kind: "parallel" as const }),
  fc.constant({ kind: "exclusive" as const }),
  fc.constant({ kind: "barrier" as const }),
  fc.record({ kind: fc.constant("resource" as const), resource: fc.constantFrom("a", "b") }),
);

describe("waves of tool calls", () => {
  it("run every call once, in wire order between waves", () => {
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 30 }), (calls) => {
        expect(planWaves(calls).flat()).toEqual(calls.map((_, index) => index));
      }),
    );
  });

  it("put exclusive and barrier calls alone and never two of one resource together", () => {
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 30 }), (calls) => {
        for (const wave of planWaves(calls)) {
          const members = wave.map((index) => calls[index]);
          if (members.some((call) => call?.kind === "exclusive" || call?.kind === "barrier"))
            expect(members.length).toBe(1);
          const resources = members.flatMap((call) => (call?.kind === "resource" ? [call.resource] : []));
          expect(new Set(resources).size).toBe(resources.length);
        }
      }),
    );
  });

  it("keep independent calls together", () => {
    expect(
      planWaves([{ kind: "parallel" }, { kind: "resource", resource: "a" }, { kind: "parallel" }]),
    ).toEqual([[0, 1, 2]]);
  });
});
