import { describe, expect, test } from "vitest";
import { seatbeltProfile } from "../../../workers/sandbox/seatbelt-profile.ts";

describe("seatbeltProfile", () => {
  test("denies by default, and hides and protects after it allows", () => {
    const profile = seatbeltProfile({ writable: ["/w"], protected: ["/w/.git"], hidden: ["/h/.ssh"] });
    const lines = profile.split("\n");
    expect(lines.slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
    const order = [
      "(allow file-read*)",
      '(allow file-write* (subpath "/w"))',
      '(deny file-write* (subpath "/w/.git"))',
      '(deny file-read* file-write* (subpath "/h/.ssh"))',
      "(deny network*)",
    ].map((line) => lines.indexOf(line));
    expect(order.every((at) => at > 1)).toBe(true);
    expect([...order].sort((a, b) => a - b)).toEqual(order);
  });

  test("a writable tree inside a protected one is allowed after it, and what is protected in it comes last", () => {
    const lines = seatbeltProfile({
      writable: ["/w", "/r/.git", "/r/.git/worktrees/x"],
      protected: ["/r/.git/worktrees", "/r/.git/worktrees/x/gitdir"],
      hidden: [],
    }).split("\n");
    expect(lines.filter((line) => line.includes("file-write*"))).toEqual([
      '(allow file-write* (subpath "/w") (subpath "/r/.git") (subpath "/r/.git/worktrees/x"))',
      '(deny file-write* (subpath "/r/.git/worktrees") (subpath "/r/.git/worktrees/x/gitdir"))',
      '(allow file-write* (subpath "/r/.git/worktrees/x"))',
      '(deny file-write* (subpath "/r/.git/worktrees/x/gitdir"))',
    ]);
  });

  test("a path cannot end its string", () => {
    const profile = seatbeltProfile({ writable: ['/a"b\\c")(allow default'], protected: [], hidden: [] });
    expect(profile).toContain('(allow file-write* (subpath "/a\\"b\\\\c\\")(allow default"))');
  });

  test("no rule without a path, which would hold for every file", () => {
    const profile = seatbeltProfile({ writable: [], protected: [], hidden: [] });
    expect(profile).not.toContain("(allow file-write*");
    expect(profile).not.toContain("(deny file-read*");
  });
});
