import { defineConfig } from "vitest/config";

/** Test discovery and bounds. Every test file mirrors a room; nothing in a test may sleep to wait. */
const config = defineConfig({
  test: {
    include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
  },
});

// vitest reads its configuration from the default export; nothing else may have one.
export default config;
