import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseStat, readProcess } from "../../../orchestrator/record/process-identity.ts";
import { descendantsOf } from "../../../workers/spawner/process-table.ts";

describe("parseStat", () => {
  test("reads names with blanks and parentheses", () => {
    const tail = "S 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 1 1";
    expect(parseStat(`42 (a) (b c) ${tail}`)).toEqual({
      pid: 42,
      parentPid: 7,
      groupId: 8,
      sessionId: 9,
      startTicks: 12345,
      state: "S",
      name: "a) (b c",
    });
  });

  test("answers undefined for anything else and never throws", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const row = parseStat(text);
        expect(row === undefined || Number.isSafeInteger(row.pid)).toBe(true);
      }),
    );
  });

  test("knows this very process", () => {
    expect(readProcess(process.pid)).toMatchObject({ pid: process.pid, parentPid: process.ppid });
  });
});

describe("descendantsOf", () => {
  test("finds all levels once, also in a table with a ring", () => {
    const row = (pid: number, parentPid: number) => ({
      ...{ pid, parentPid, groupId: pid, sessionId: pid, startTicks: 1, state: "S", name: "x" },
    });
    const table = [row(2, 1), row(3, 2), row(4, 3), row(1, 4), row(9, 8)];
    expect(descendantsOf(1, table).map((entry) => entry.pid)).toEqual([2, 3, 4]);
  });
});
