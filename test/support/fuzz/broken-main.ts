/** Readers that break what a campaign looks for, in the cases that {@link isFaulty} names. */
import { serveAssignment } from "../../../script/fuzz/case-runner.ts";
import { expectThat } from "../../../script/fuzz/subject.ts";
import { isFaulty } from "./faulty-cases.ts";

const retained: unknown[] = [];

const faults: Readonly<Record<string, () => void>> = {
  sound: () => undefined,
  wrong: () => expectThat(false, "the input is read", "(input)"),
  throws: () => {
    throw new RangeError("escaped");
  },
  exits: () => process.exit(3),
  hangs: () => {
    for (;;);
  },
  hoards: () => {
    for (;;) retained.push(Array.from({ length: 10_000 }, (_, index) => ({ index })));
  },
  slow: () => {
    for (const startedAt = process.cpuUsage().user; process.cpuUsage().user - startedAt < 400_000;);
  },
};

serveAssignment((name) => ({
  name,
  run: (random) => {
    if (isFaulty(random)) faults[name]?.();
  },
}));
