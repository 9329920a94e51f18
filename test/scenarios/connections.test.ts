import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { closeConnection, openConnection } from "../../redis/connection.ts";
import { jobText, run } from "../support/cli/job-files.ts";
import { makeSandpit } from "../support/cli/launch.ts";
import { calls, status } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { TestRedis } from "../support/redis-server.ts";

/** `AUTOLITH_TEST_RUNS=100` makes it the whole case. */
const runs = Number(process.env["AUTOLITH_TEST_RUNS"] ?? 4);

describe("connections to a shared Redis", () => {
  it(`${runs} runs, every other one failing, leave none open and no key of theirs, and each process ends by itself`, async () => {
    const redis = await TestRedis.start();
    const observer = await openConnection(redis.endpoint, "producer", { onError: () => undefined });
    onTestFinished(() => closeConnection(observer, 500));
    const connections = async (): Promise<number> =>
      String(await observer.call("CLIENT", "LIST"))
        .trim()
        .split("\n").length;
    await using server = await startModelServer(({ number }) =>
      number % 2 === 0
        ? status(401, { message: "no" })
        : calls([{ name: "yield__submit", arguments: { status: "success", data: { answer: "42" } } }]),
    );
    const [before, keys] = [await connections(), await observer.dbsize()];
    const statuses: (number | null)[] = [];
    for (let number = 0; number < runs; number += 1) {
      using pit = makeSandpit();
      const ended = await run(pit, jobText(), {
        environment: {
          AUTOLITH_OPENAI_BASE_URL: server.baseUrl,
          AUTOLITH_REDIS_URL: `unix://${join(redis.directory, "s")}`,
        },
      });
      expect(ended.signal).toBe(null);
      statuses.push(ended.status);
    }
    expect(statuses).toEqual(Array.from({ length: runs }, (_, index) => index % 2));
    expect([await connections(), await observer.dbsize()]).toEqual([before, keys]);
  }, 600_000);
});
