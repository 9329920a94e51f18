import { describe, expect, test } from "vitest";
import { envelopeSchema } from "../../../../orchestrator/contract/acp/envelope.ts";
import { extensionMethods, wireMethod } from "../../../../orchestrator/contract/acp/method-table.ts";

/** The manual's table. */
const ofManual = [
  "capabilities",
  ...[
    "state",
    "settings",
    "models",
    "operations",
    "set-setting",
    "invoke",
    "steer",
    "queue",
    "conversations",
  ],
  ...["jobs", "job", "job-transcript", "job-send", "job-cancel", "resource"],
] as const;

describe("extension methods", () => {
  test("the manual's table is there", () => {
    expect(Object.keys(extensionMethods)).toEqual(expect.arrayContaining([...ofManual]));
  });

  test("wire names carry the prefix", () => {
    expect(wireMethod("job-send")).toBe("_autolith/job-send");
  });

  test("an envelope has a value or a report", () => {
    const schema = envelopeSchema(extensionMethods.complete.value);
    const value = { from: 0, to: 1, candidates: [], omitted: 0 };
    expect(schema.parse({ outcome: "ok", value })).toEqual({ outcome: "ok", value });
    const refusal = { outcome: "busy", code: "busy", report: "A turn runs." };
    expect(schema.parse(refusal)).toEqual(refusal);
    expect(schema.safeParse({ outcome: "ok" }).success).toBe(false);
  });
});
