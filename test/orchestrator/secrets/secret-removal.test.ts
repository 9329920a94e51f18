import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SecretStream } from "../../../orchestrator/secrets/secret-stream.ts";
import {
  knownSecretRemover,
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
      DB_PASSWORD: "12345678901a",
      OPENAI_ORG_ID: "org-0123456789",
    };
    expect(secretValues(environment)).toEqual(["abcdefgh1", "12345678901a", "org-0123456789"]);
  });

  it("takes passwords out of URLs, whatever the variable is called", () => {
    const environment = {
      HTTPS_PROXY: "http://someone:pass%20word1@proxy.invalid:3128",
      AUTOLITH_REDIS_URL: "unix://:under-score-9@/run/redis.sock?db=2",
      PIP_INDEX_URL: "https://x:aaaa1111bbbb@a.invalid/simple https://y:cccc2222dddd@b.invalid",
      NO_PROXY: "localhost:3128,127.0.0.1",
    };
    const values = secretValues(environment);
    expect(values).toEqual(["pass%20word1", "under-score-9", "aaaa1111bbbb", "cccc2222dddd"]);
    const remove = knownSecretRemover(values);
    expect(remove("the password is pass word1 or pass%20word1")).toBe(
      `the password is ${removedSecret} or ${removedSecret}`,
    );
  });

  it("leaves out words, paths and numbers, which would spoil unrelated text", () => {
    const environment = { A_KEY: "production", B_TOKEN: "/home/me/token.json", C_SECRET: "12345678" };
    expect(secretValues(environment)).toEqual([]);
  });

  it("leaves code alone that only looks like a secret, when known values are asked for", () => {
    const text = `const key = "sk-proj-abcdefghijklmnop1234"`;
    expect(knownSecretRemover(["other-value-1"])(text)).toBe(text);
  });

  it("finds a value however a stream of bytes is split, and passes everything else on", () => {
    const secrets = ["abcabcabd1", "abc-ß-9999", "cabd"];
    const piece = fc.oneof(
      fc.constantFrom(...secrets, "abcabc", "ab", "cabc", "\n", "ß", removedSecret),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(400)), (pieces, places) => {
        const bytes = Buffer.from(pieces.join(""));
        const cuts = [...new Set([0, ...places.filter((place) => place < bytes.length), bytes.length])];
        const ordered = cuts.toSorted((left, right) => left - right);
        const stream = new SecretStream(secrets);
        const parts = ordered.map((from, index) =>
          stream.push(bytes.subarray(from, ordered[index + 1] ?? from)),
        );
        const cleaned = Buffer.concat([...parts, stream.end()]).toString();
        for (const secret of secrets.filter((value) => value.length >= 8))
          expect(cleaned).not.toContain(secret);
        if (secrets.every((secret) => secret.length < 8 || !bytes.includes(secret)))
          expect(cleaned).toBe(bytes.toString());
      }),
    );
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
