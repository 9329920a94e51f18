import { defineConfig } from "vitest/config";

/** Times the usual number of runs of each property; see test/support/property-runs.ts. */
const propertyRuns = Number(process.env["AUTOLITH_TEST_PROPERTY_RUNS"] ?? 1);

/** Test discovery and bounds. Every test file mirrors a room; nothing in a test may sleep to wait. */
const config = defineConfig({
  test: {
    include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
    testTimeout: 60_000 * propertyRuns,
    setupFiles: propertyRuns === 1 ? [] : ["test/support/property-runs.ts"],
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
  },
});

// vitest reads its configuration from the default export; nothing else may have one.
export default config;
