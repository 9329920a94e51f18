import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  removedSecret,
  removeSecrets,
  secretRemover,
  secretValues,
} from "../../../orchestrator/secrets/secret-removal.ts";

describe("secret removal", () => {
  it.each([
    "sk-proj-abcdefghijklmnop1234",
    `ghp_${"a1".repeat(18)}`,
    `github_pat_${"a1".repeat(20)}`,
    "xoxb-1234567890-abcdef",
    "AKIAIOSFODNN7EXAMPLE",
    `AIza${"a".repeat(35)}`,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
  ])("knows the shape of %s", (secret) => {
    expect(secretRemover([])(`before ${secret} after`)).toBe(`before ${removedSecret} after`);
  });

  it("removes a bearer token and keeps the word before it", () => {
    expect(secretRemover([])("Authorization: Bearer abcdefghijklmnopqrst")).toBe(
      `Authorization: Bearer ${removedSecret}`,
    );
  });

  it("leaves ordinary text alone", () => {
    const text = "task-list sk-short the bearer of news; commit 3f2a9c1d5e6b";
    expect(secretRemover(["short"])(text)).toBe(text);
  });

  it("takes the values of secret-looking variables only", () => {
    const environment = {
      OPENAI_API_KEY: "abcdefgh1",
      PATH: "/usr/bin:/bin",
      MY_TOKEN: "short",
      DB_PASSWORD: "12345678",
    };
    expect(secretValues(environment)).toEqual(["abcdefgh1", "12345678"]);
  });

  it("leaves no given value in any structure, also when one contains another", () => {
    const secret = fc.stringMatching(/^[a-z0-9]{8,20}$/);
    fc.assert(
      fc.property(secret, secret, fc.string(), (inner, other, around) => {
        const outer = inner + other;
        const value = { list: [around + outer, { text: inner + around }], number: 1 };
        const cleaned = JSON.stringify(removeSecrets(value, secretRemover([inner, outer, other])));
        expect(cleaned).not.toContain(inner);
        expect(cleaned).not.toContain(other);
      }),
    );
  });
});
