/** Preloaded into a measured process: writes the 99th percentile of its event-loop delay (ms) to AUTOLITH_BENCH_DELAY when it ends. */
"use strict";
const { isMainThread } = require("node:worker_threads");
if (isMainThread && process.env.AUTOLITH_BENCH_DELAY !== undefined) {
  const delay = require("node:perf_hooks").monitorEventLoopDelay({ resolution: 1 });
  const file = process.env.AUTOLITH_BENCH_DELAY;
  // Starting is not what is measured.
  setTimeout(() => delay.enable(), 1_000).unref();
  process.on("exit", () => require("node:fs").writeFileSync(file, String(delay.percentile(99) / 1e6)));
}
