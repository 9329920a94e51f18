import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDuration } from "../src/duration.js";

test("seconds and minutes", () => {
  assert.equal(formatDuration(45_000), "45s");
  assert.equal(formatDuration(60_000), "1m");
  assert.equal(formatDuration(125_900), "2m 5s");
});

test("hours keep their minutes apart", () => {
  assert.equal(formatDuration(3_600_000), "1h");
  assert.equal(formatDuration(3_900_000), "1h 5m");
  assert.equal(formatDuration(86_399_999), "23h 59m 59s");
});

test("nothing at all", () => {
  assert.equal(formatDuration(0), "0s");
  assert.throws(() => formatDuration(-1), RangeError);
  assert.throws(() => formatDuration(Number.NaN), RangeError);
});
