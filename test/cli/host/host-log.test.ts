import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openHostLog } from "../../../cli/host/host-log.ts";

describe("the log of the shared host", () => {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "al-log-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  test("is bounded, readable by its owner alone, and has no secrets", () => {
    const path = join(directory, "host.log");
    writeFileSync(path, "from an earlier host\n", { mode: 0o600 });
    const log = openHostLog(path, (text) => text.replaceAll("s3cret", "…"), 1_000);
    for (let line = 0; line < 100; line += 1) log(`line ${line} has a s3cret`);
    const texts = [path, `${path}.1`].map((each) => readFileSync(each, "utf8"));
    for (const [index, text] of texts.entries()) {
      expect(text.length).toBeLessThanOrEqual(1_000);
      expect(text).not.toContain("s3cret");
      expect(statSync(index === 0 ? path : `${path}.1`).mode & 0o777).toBe(0o600);
    }
    expect(texts[0]).toMatch(/^\d{4}-\d\d-\d\dT[^ ]+Z line \d+ has a …\n/);
    expect(texts[0]).toContain("line 99");
  });

  test("says nothing where nothing can be written", () => {
    const log = openHostLog(join(directory, "missing", "host.log"), (text) => text);
    expect(() => log("line")).not.toThrow();
  });
});
