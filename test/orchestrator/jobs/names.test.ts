import { describe, expect, it } from "vitest";
import { childJobName, executionJobName, findJob } from "../../../orchestrator/jobs/names.ts";

describe("job names", () => {
  it("are generated adjective first, then numbered", () => {
    expect([1, 2, 10, 11, 101].map((order) => childJobName(undefined, order))).toEqual([
      "amber-badger-1",
      "brisk-badger-2",
      "wise-badger-10",
      "amber-falcon-11",
      "amber-badger-101",
    ]);
  });

  it("keep what is safe of a requested name", () => {
    expect(childJobName("Fix  the Tests!", 3)).toBe("fix--the-tests-3");
    expect(childJobName("--", 4)).toBe("clear-badger-4");
    expect(childJobName("x".repeat(80), 5)).toBe(`${"x".repeat(64)}-5`);
  });
});

describe("finding a job", () => {
  const jobs = [
    { name: executionJobName(1), executionId: "11111111-1111-4111-8111-111111111111" },
    { name: childJobName("review", 2), executionId: "22222222-2222-4222-8222-222222222222" },
    { name: executionJobName(12), executionId: "33333333-3333-4333-8333-333333333333" },
  ];

  it("goes by name, execution id and bare number of an execution", () => {
    expect(findJob(jobs, "review-2")).toEqual({ kind: "one", job: jobs[1] });
    expect(findJob(jobs, "33333333-3333-4333-8333-333333333333")).toEqual({ kind: "one", job: jobs[2] });
    expect(findJob(jobs, "1")).toEqual({ kind: "one", job: jobs[0] });
  });

  it("does not take a bare number for a child", () => {
    expect(findJob(jobs, "2")).toEqual({ kind: "none" });
  });

  it("lists the candidates of an ambiguous number", () => {
    const twice = [
      ...jobs,
      { name: executionJobName(1), executionId: "44444444-4444-4444-8444-444444444444" },
    ];
    expect(findJob(twice, "1")).toEqual({ kind: "ambiguous", candidates: ["exec:1", "exec:1"] });
  });
});
