import { existsSync, readFileSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { editedFilesOf, effectsOf, effectLog, treeScript } from "../../script/drill/job-tree.ts";
import { type FinishedRun, finish, jobText, startRun } from "../support/cli/job-files.ts";
import { type Running, type Sandpit, makeSandpit } from "../support/cli/launch.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { RedisProxy } from "../support/redis-proxy.ts";
import { TestRedis } from "../support/redis-server.ts";

// Whole runs, several in a test: a busy machine takes its time.
vi.setConfig({ testTimeout: 180_000 });

/** The job tree of the drill, started on a Redis that the test may disturb. */
type Disturbed = {
  readonly pit: Sandpit;
  readonly running: Running;
  /** From now on the model answers only when standard error holds the text. */
  holdUntilTold(text: string): void;
};

async function started(environment: Readonly<Record<string, string>>): Promise<Disturbed> {
  const pit = makeSandpit();
  const gate = { isOpen: Promise.resolve() };
  const server = await startModelServer(async (request) => {
    await gate.isOpen;
    return { ...treeScript(request), latencyMs: 5 };
  });
  onTestFinished(async () => {
    await server.close();
    pit[Symbol.dispose]();
  });
  const running = startRun(pit, jobText({ prompt: "You are ROOT.", timeoutSeconds: 100 }), {
    environment: { AUTOLITH_OPENAI_BASE_URL: server.baseUrl, AUTOLITH_TASK_MAX_DEPTH: "3", ...environment },
    argv: ["--permissions", "full"],
    stdin: "ignore",
  });
  let told = "";
  running.child.stderr?.on("data", (chunk: Buffer) => (told += chunk.toString("utf8")));
  return {
    pit,
    running,
    holdUntilTold: (text) =>
      void (gate.isOpen = expect.poll(() => told, { timeout: 60_000, interval: 20 }).toContain(text)),
  };
}

function effects(pit: Sandpit): readonly string[] {
  return [effectLog, ...editedFilesOf("deep")].flatMap((name) => {
    const path = join(pit.workspace, name);
    return existsSync(path)
      ? readFileSync(path, "utf8")
          .split("\n")
          .filter((line) => line !== "")
      : [];
  });
}

/** Resolves when the run has had its first effects and has many before it. */
async function underWay({ pit }: Disturbed): Promise<void> {
  await expect.poll(() => effects(pit).length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(1);
}

/** Nothing is lost, nothing happens twice, standard output holds events only and one end. */
async function expectWhole(disturbed: Disturbed): Promise<FinishedRun> {
  const ended = await finish(disturbed.pit, disturbed.running);
  expect(ended.stderr.split("\n").filter((line) => line.startsWith("run-job:"))).toEqual([]);
  expect([ended.status, ended.artifact["status"]]).toEqual([0, "succeeded"]);
  expect(effects(disturbed.pit).toSorted()).toEqual(effectsOf("deep").toSorted());
  expect(ended.events.filter(({ kind }) => kind === "run-finished")).toHaveLength(1);
  return ended;
}

const socketUrl = (redis: TestRedis): string => `unix://${join(redis.directory, "s")}`;
/** How long Redis is away, in milliseconds. */
const outageMs = 2_500;
/** How long it hangs: longer than the pause between two checks and the wait for an answer together. */
const hangMs = 5_000;

function after(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

async function admin(redis: TestRedis): Promise<Redis> {
  const client = new Redis({ path: join(redis.directory, "s"), replyMapping: "legacy" });
  onTestFinished(() => client.disconnect());
  await client.ping();
  return client;
}

const degraded = "redis: degraded";
const connected = "redis: connected again";

describe("Redis goes wrong under a run", () => {
  it("gone for seconds: running work goes on, new work waits, both states are told", async () => {
    const redis = await TestRedis.start();
    const disturbed = await started({ AUTOLITH_REDIS_URL: socketUrl(redis) });
    await underWay(disturbed);
    await redis.kill();
    await after(outageMs);
    await redis.start();
    const { stderr } = await expectWhole(disturbed);
    expect(stderr).toContain(degraded);
    expect(stderr).toContain(connected);
    expect(stderr.split("\n").length).toBeLessThan(8);
  });

  it("its data directory lost: the queues are rebuilt from the journals", async () => {
    const redis = await TestRedis.start();
    const disturbed = await started({ AUTOLITH_REDIS_URL: socketUrl(redis) });
    await underWay(disturbed);
    await redis.kill();
    await rm(join(redis.directory, "appendonlydir"), { recursive: true });
    await redis.start();
    await expectWhole(disturbed);
  });

  it("hangs with open connections, then goes on", async () => {
    const redis = await TestRedis.start();
    const disturbed = await started({ AUTOLITH_REDIS_URL: socketUrl(redis) });
    await underWay(disturbed);
    redis.signal("SIGSTOP");
    await after(hangMs);
    // The rest of the run could end before the next look at Redis.
    disturbed.holdUntilTold(connected);
    redis.signal("SIGCONT");
    const { stderr } = await expectWhole(disturbed);
    expect(stderr).toContain(degraded);
    expect(stderr).toContain(connected);
  });

  it("slow: every answer takes a tenth of a second", async () => {
    const redis = await TestRedis.start();
    const proxy = await RedisProxy.open(join(redis.directory, "s"));
    proxy.delayMs = 50;
    const { stderr } = await expectWhole(await started({ AUTOLITH_REDIS_URL: `unix://${proxy.path}` }));
    expect(stderr).toBe("");
  });

  it("its connections are cut again and again, replies with them", async () => {
    const redis = await TestRedis.start();
    const proxy = await RedisProxy.open(join(redis.directory, "s"));
    const disturbed = await started({ AUTOLITH_REDIS_URL: `unix://${proxy.path}` });
    await underWay(disturbed);
    for (let round = 0; round < 3; round += 1) {
      const lost = Promise.withResolvers<void>();
      proxy.loseReplyTo = (request) => {
        const isScript = /evalsha/i.test(request);
        if (isScript) lost.resolve();
        return isScript;
      };
      await Promise.race([lost.promise, disturbed.running.ended]);
    }
    await expectWhole(disturbed);
  });

  it("full: new work waits and goes on when there is room", async () => {
    const redis = await TestRedis.start("--maxmemory-policy", "noeviction");
    const disturbed = await started({ AUTOLITH_REDIS_URL: socketUrl(redis) });
    await underWay(disturbed);
    const client = await admin(redis);
    await client.config("SET", "maxmemory", "1");
    await after(2_000);
    await client.config("SET", "maxmemory", "0");
    const { stderr } = await expectWhole(disturbed);
    expect(stderr).toContain("redis-full");
  });

  it("full from the start: refused with its own words", async () => {
    const redis = await TestRedis.start("--maxmemory-policy", "noeviction");
    const client = await admin(redis);
    await client.config("SET", "maxmemory", "1");
    const disturbed = await started({ AUTOLITH_REDIS_URL: socketUrl(redis) });
    const ended = await finish(disturbed.pit, disturbed.running);
    expect([ended.status, ended.artifact["category"]]).toEqual([64, "runtime-unavailable"]);
    expect(ended.artifact["message"]).toMatch(/OOM/);
    expect(ended.events.at(-1)).toMatchObject({ kind: "run-finished" });
  });

  it("a wrong password: refused, and told nowhere", async () => {
    const redis = await TestRedis.start("--requirepass", "right-password-of-this-test");
    const disturbed = await started({
      AUTOLITH_REDIS_URL: `unix://:wrong-password-of-this-test@${join(redis.directory, "s")}`,
    });
    const ended = await finish(disturbed.pit, disturbed.running);
    expect([ended.status, ended.artifact["category"]]).toEqual([64, "runtime-unavailable"]);
    expect(ended.artifact["message"]).toMatch(/refuses the name or password/);
    expect(ended.stdout + ended.stderr).not.toContain("password-of-this-test");
  });
});

describe("C113: what runs leave in a shared Redis", () => {
  it("no connection and no key, however they ended", async () => {
    const redis = await TestRedis.start();
    const client = await admin(redis);
    const connections = async (): Promise<number> =>
      String(await client.client("LIST"))
        .trim()
        .split("\n").length;
    const before = await connections();
    for (const ending of ["itself", "SIGINT", "SIGKILL", "itself"] as const) {
      const disturbed = await started({ AUTOLITH_REDIS_URL: socketUrl(redis) });
      if (ending !== "itself") {
        await underWay(disturbed);
        disturbed.running.child.kill(ending);
      }
      const ended = await disturbed.running.ended;
      expect([ended.status, ended.signal]).toEqual(
        { itself: [0, null], SIGINT: [130, null], SIGKILL: [null, "SIGKILL"] }[ending],
      );
      await expect.poll(connections).toBe(before);
    }
    expect(await client.keys("*")).toEqual([]);
  });
});

describe("a sleeping laptop", () => {
  it("a host that is stopped for longer than anything waits goes on where it was", async () => {
    const disturbed = await started({});
    await underWay(disturbed);
    disturbed.running.child.kill("SIGSTOP");
    await after(hangMs);
    disturbed.running.child.kill("SIGCONT");
    await expectWhole(disturbed);
  });

  it("a clock that jumps a day forward and two back changes nothing", async () => {
    const clock = makeSandpit();
    onTestFinished(() => clock[Symbol.dispose]());
    const preload = clock.write("jumping-clock.mjs", jumpingClock);
    const disturbed = await started({ NODE_OPTIONS: `--import=${preload}` });
    await expectWhole(disturbed);
    const instants = journalInstants(disturbed.pit);
    expect(Math.max(...instants) - Math.min(...instants)).toBeGreaterThan(36 * 3_600_000);
  });
});

/** The instants that the job journal holds, in epoch milliseconds. */
function journalInstants(pit: Sandpit): readonly number[] {
  const directory = join(pit.home, ".local/share/autolith/conversations");
  const name = readdirSync(directory).find((each) => each.endsWith(".jobs.sexp")) ?? "";
  return [...readFileSync(join(directory, name), "utf8").matchAll(/:AT (\d+)/g)].map((match) =>
    Number(match[1]),
  );
}

/** Shifts the wall clock of a process and its threads by +1 day after 300 looks at it, and to -1 day after 600. */
const jumpingClock = `
const real = Date.now.bind(Date);
const day = 24 * 3600 * 1000;
let looks = 0;
Date.now = () => real() + (looks++ < 300 ? 0 : looks < 600 ? day : -day);
`;
