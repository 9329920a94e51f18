import { describe, expect, it } from "vitest";
import { redisGrowth } from "../support/jobs/redis-growth.ts";
import { TestRedis } from "../support/redis-server.ts";

/** `AUTOLITH_TEST_JOBS=10000` makes it the whole drill; a thousand show the slope as well. */
const jobs = Number(process.env["AUTOLITH_TEST_JOBS"] ?? 1_000);

const mebibyte = 1024 * 1024;

describe("what stays in Redis", () => {
  it(`neither keys nor memory grow from job ${jobs / 4} to job ${jobs}`, async () => {
    const redis = await TestRedis.start();
    const { uses, failures } = await redisGrowth(redis, [jobs / 4, jobs], 10);
    expect(failures).toEqual([]);
    const [quarter, whole] = uses;
    process.stdout.write(
      `retention: ${jobs} jobs, Redis from ${quarter?.keys} keys and ${quarter?.bytes} bytes to ${whole?.keys} keys and ${whole?.bytes} bytes\n`,
    );
    // A few keys belong to jobs that are just ending; were each job to leave one, there would be hundreds.
    expect(whole?.keys).toBeLessThanOrEqual((quarter?.keys ?? 0) + 16);
    expect(whole?.bytes).toBeLessThan((quarter?.bytes ?? 0) + 256 * 1024);
  }, 600_000);

  it("results of 2 MB stay on disk, during and after", async () => {
    const redis = await TestRedis.start();
    const count = jobs / 50;
    const { uses, peakBytes, lastRecordBytes, failures } = await redisGrowth(redis, [1, count], 2 * mebibyte);
    expect(failures).toEqual([]);
    expect(lastRecordBytes).toBeGreaterThan(2 * mebibyte);
    expect(uses).toHaveLength(2);
    expect(peakBytes).toBeLessThan((uses[0]?.bytes ?? 0) + mebibyte);
  }, 600_000);

  it("a result over the bound of a record fails with the bound, and the next job runs", async () => {
    const redis = await TestRedis.start();
    const { failures, lastRecordBytes } = await redisGrowth(redis, [1, 2], 17 * mebibyte);
    const refusal =
      "too-large: terminal.sexp could not be read back: a string has more than 16777216 characters";
    expect(failures).toEqual([refusal, refusal]);
    expect(lastRecordBytes).toBe(0);
  }, 600_000);
});
