import { describe, expect, it } from "vitest";
import { shellOutput } from "../../../../cli/terminal/transcript/shell-output.ts";

describe("the output of a command on the screen", () => {
  it.each([
    ["what it printed", "exit 0\noutput: 8 bytes shell-log:p/a/b/output\none\ntwo", "one\ntwo"],
    ["nothing", "exit 0\noutput: empty", ""],
    ["how it failed", "exit 2\noutput: 3 bytes\nbad", "exit 2\nbad"],
    [
      "its remarks",
      "exit unavailable (ended by SIGTERM)\ncancelled: the command was ended.\noutput: empty",
      "exit unavailable (ended by SIGTERM)\ncancelled: the command was ended.",
    ],
    [
      "two streams by their names",
      "exit 1\nstdout: empty\nstderr: 4 bytes shell-log:x\nbad\n",
      "exit 1\nstderr:\nbad\n",
    ],
    [
      "lines that look like headers",
      "exit 0\noutput: 20 bytes\noutput: empty\nstdout: empty",
      "output: empty\nstdout: empty",
    ],
    [
      "a capture that is incomplete",
      "exit 0\noutput: 9 bytes (interrupted)\nx",
      "output: 9 bytes (interrupted)\nx",
    ],
    [
      "that it goes on as a job",
      'exec:2 runs in the background. Continue with other work.\n(:TOOL-EXECUTION :HANDED-OFF-P T :JOB (:ID "exec:2"))',
      "exec:2 runs in the background.",
    ],
    ["text that is no report", "anything\nelse", "anything\nelse"],
  ])("is %s", (_, text, shown) => {
    expect(shellOutput(text)).toBe(shown);
  });
});
