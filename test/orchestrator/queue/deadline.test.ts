import { connect } from "node:net";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it, onTestFinished } from "vitest";
import { withinDeadline } from "../../../orchestrator/queue/deadline.ts";

it("tells work that ended from work that did not, and leaves a rejection to its owner", async () => {
  expect(await withinDeadline(Promise.resolve(1), 10_000)).toBe("ended");
  expect(await withinDeadline(new Promise(() => undefined), 20)).toBe("deadline");
  await expect(withinDeadline(Promise.reject(new Error("no")), 10_000)).rejects.toThrow("no");
});

it("takes an answer that came while this process did not run", async () => {
  const directory = mkdtempSync(join(tmpdir(), "ald-"));
  const path = join(directory, "s");
  // A thread answers three times, so that more than one turn of our loop is needed.
  const thread = new Worker(
    `const { createServer } = require("node:net"); const { parentPort, workerData } = require("node:worker_threads");
     createServer((socket) => socket.on("data", (text) => socket.write(text))).listen(workerData, () => parentPort.postMessage("up"));`,
    { eval: true, workerData: path },
  );
  onTestFinished(async () => {
    await thread.terminate();
    rmSync(directory, { recursive: true, force: true });
  });
  await once(thread, "message");
  const socket = connect(path);
  onTestFinished(() => {
    socket.destroy();
  });
  const three = (async () => {
    for (let round = 0; round < 3; round += 1) {
      socket.write("x");
      // oxlint-disable-next-line no-await-in-loop -- each answer is asked for after the one before
      await once(socket, "data");
    }
  })();
  const told = withinDeadline(three, 500);
  const until = performance.now() + 1_000;
  while (performance.now() < until);
  expect(await told).toBe("ended");
});
