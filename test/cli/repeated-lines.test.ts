import { expect, it } from "vitest";
import { withoutRepeats } from "../../cli/repeated-lines.ts";

it("a line is told once a minute, with the number of times it was left out", () => {
  const told: string[] = [];
  let now = 0;
  const tell = withoutRepeats(
    (line) => told.push(line),
    () => now,
  );
  for (const line of ["full", "gone", "full", "full", "other"]) tell(line);
  expect(told).toEqual(["full", "gone", "other"]);
  now = 60_000;
  tell("full");
  tell("gone");
  expect(told.slice(3)).toEqual(["full (and 2 times before)", "gone"]);
});

it("remembers a bounded number of lines", () => {
  const told: string[] = [];
  const tell = withoutRepeats(
    (line) => told.push(line),
    () => 0,
  );
  for (let index = 0; index < 65; index += 1) tell(`line ${index}`);
  tell("line 0");
  tell("line 64");
  expect(told.length).toBe(66);
});
