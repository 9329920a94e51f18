import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeEndpoint, parseRedisUrl } from "../../redis/endpoint.ts";
import { RedisRuntime } from "../../redis/runtime.ts";
import { serverFacts, serverObjection } from "../../redis/server-check.ts";
import { HeldClaims, entry, limits } from "../support/queue-conformance.ts";
import { TestRedis } from "../support/redis-server.ts";

async function opened(url: string): Promise<RedisRuntime> {
  const runtime = await RedisRuntime.open({
    environment: { AUTOLITH_REDIS_URL: url },
    stateRoot: "/nonexistent",
    onError: () => undefined,
  });
  onTestFinished(() => runtime.close(1000));
  return runtime;
}

const secret = "s3cret-of-this-test";

describe("a shared Redis", () => {
  it("is used with name, password and database of the URL", async () => {
    const redis = await TestRedis.start("--requirepass", secret);
    const runtime = await opened(`unix://default:${secret}@${join(redis.directory, "s")}?db=3`);
    const claims = new HeldClaims();
    claims.free = true;
    await runtime.queue.consume(limits, claims.handler);
    await runtime.queue.enqueue([entry()]);
    await claims.untilEnded(1);
  });

  it.each([
    ["a wrong password", `unix://:wrong@SOCKET`],
    ["no password where one is needed", "unix://SOCKET"],
  ])("C105: %s is an error that tells no secret", async (_name, template) => {
    const redis = await TestRedis.start("--requirepass", secret);
    const failure = opened(template.replace("SOCKET", join(redis.directory, "s")));
    await expect(failure).rejects.toMatchObject({ name: "RedisError", code: "redis-authentication" });
    await expect(failure).rejects.not.toThrow(/wrong@|s3cret/);
  });

  it.each(["allkeys-lru", "volatile-lru"])("C105: an evicting server (%s) is refused", async (policy) => {
    const redis = await TestRedis.start("--maxmemory", "20mb", "--maxmemory-policy", policy);
    await expect(opened(`unix://${join(redis.directory, "s")}`)).rejects.toMatchObject({
      code: "redis-evicting",
      message: expect.stringContaining(policy) as string,
    });
  });

  it("C105: a server that is too old is refused with both versions", () => {
    const endpoint = parseRedisUrl("redis://example.test");
    const objection = (version: string) =>
      serverObjection(
        serverFacts(`# Server\r\nredis_version:${version}\r\nmaxmemory_policy:noeviction\r\n`),
        endpoint,
      );
    expect(objection("5.0.14")?.code).toBe("redis-too-old");
    expect(objection("6.0.16")?.message).toMatch(/6\.0\.16.*6\.2 or later/);
    for (const version of ["6.2.0", "6.10.1", "7.0.15", "8.2.0"]) expect(objection(version)).toBeUndefined();
  });

  it("C105: a server that is not there, and one that says nothing, are unreachable soon", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      silent.close();
    });
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const start = performance.now();
    await expect(opened(`redis://127.0.0.1:${port}`)).rejects.toMatchObject({ code: "redis-unreachable" });
    expect(performance.now() - start).toBeLessThan(30_000);
    await expect(opened("unix:///nowhere/at/all")).rejects.toMatchObject({ code: "redis-unreachable" });
  });
});

describe("Redis URLs", () => {
  it.each([
    ["redis://h", { kind: "tcp", host: "h", port: 6379, tls: false, database: 0 }],
    ["redis://u:p%40ss@h:7000/2", { host: "h", port: 7000, username: "u", password: "p@ss", database: 2 }],
    ["rediss://:p@[::1]:7000", { host: "::1", tls: true, password: "p" }],
    ["unix:///run/some/socket?db=1", { kind: "unix", path: "/run/some/socket", database: 1 }],
  ])("%s is read", (url, expected) => {
    expect(parseRedisUrl(url)).toMatchObject(expected);
  });

  it.each([
    "",
    "localhost",
    "http://h",
    "redis://",
    "redis://h/x",
    "unix://",
    "unix://host/path",
    "redis://h:99999",
  ])("%j is refused", (url) => {
    expect(() => parseRedisUrl(url)).toThrow(expect.objectContaining({ code: "redis-url-invalid" }));
  });

  it("a socket path that is too long is refused with the number", () => {
    expect(() => parseRedisUrl(`unix:///${"x".repeat(120)}`)).toThrow(/121 bytes and may have 103/);
  });

  it("are described without name and password", () => {
    expect(describeEndpoint(parseRedisUrl("redis://u:p@h:7000"))).toBe("h:7000");
  });
});
