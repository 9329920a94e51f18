/** What the scripted model does in the example `fix-test`: reads, sees the test fail, repairs, sees it pass, submits. */
import {
  answer,
  calls,
  type RecordedRequest,
  type Script,
  type ScriptedCall,
  type ScriptedTurn,
} from "../../test/support/model-server/script.ts";

const source = "workspace:src/duration.js";
const tests = "workspace:test/duration.test.js";
const runTests: ScriptedCall = {
  name: "shell__run",
  arguments: { command: "node --test", description: "Run the project's tests" },
};

/** The scripted answers, in order; each may look at what its request holds. */
const turns: readonly ((request: RecordedRequest) => ScriptedTurn)[] = [
  () =>
    turn("I read the module and its tests, and run them to see the failure.", [
      { name: "resource__read", arguments: { uri: tests } },
      { name: "resource__read", arguments: { uri: source } },
      runTests,
    ]),
  (request) =>
    turn(
      "The minutes are counted from the start and never reduced to the part of an hour: 3,900,000 ms gives 65 minutes " +
        "beside its hour. They need the remainder that the seconds have.",
      [
        {
          name: "resource__edit",
          arguments: {
            uri: source,
            "base-revision": revisionOf(request, source),
            operations: [
              {
                operation: "replace-lines",
                "start-line": 15,
                "end-line": 15,
                content: '    [Math.floor(seconds / 60) % 60, "m"],',
              },
            ],
          },
        },
      ],
    ),
  (request) => {
    check(/^workspace:src\/duration\.js\n/.test(lastOutput(request)), "the edit was made", request);
    return turn("Now the tests again.", [runTests]);
  },
  (request) => {
    check(lastOutput(request).startsWith("exit 0"), "the tests pass", request);
    return turn(undefined, [{ name: "yield__submit", arguments: { status: "success", data: report, label: "fixed" } }]);
  },
];

const report = {
  schemaVersion: 1,
  baseline: { kind: "snapshot", workspace: ".", revision: "as found" },
  change: { kind: "patch", reference: "src/duration.js, line 15" },
  paths: ["src/duration.js"],
  symbols: ["formatDuration"],
  checks: [
    {
      command: "node --test",
      status: "passed",
      summary: "3 of 3 tests pass; before the change 1 of 3 failed",
      evidence: ["hours keep their minutes apart"],
    },
  ],
  evidence: ["formatDuration(3900000) gave \"1h 65m\" and now gives \"1h 5m\"."],
  issues: [],
  integrationNotes: "The tests are unchanged. Durations below an hour read as before.",
};

/** A fresh scripted model. Questions of the permission classifier, which come without tools, stand beside its turns. */
export function fixTestScript(): Script {
  let made = 0;
  return (request) => {
    if (!("tools" in (request.body as object))) return answer("SANDBOX", { usage: { input: 400, output: 2 } });
    const build = turns[made];
    made += 1;
    if (build === undefined) throw new Error(`the example has ${turns.length} turns, and one more was asked for`);
    return build(request);
  };
}

function turn(text: string | undefined, toolCalls: readonly ScriptedCall[]): ScriptedTurn {
  return calls(toolCalls, { ...(text === undefined ? {} : { text }), usage: { input: 1200, output: 90 } });
}

interface InputItem {
  readonly type: string;
  readonly call_id?: string;
  readonly arguments?: string;
  readonly output?: string;
}

function inputOf(request: RecordedRequest): readonly InputItem[] {
  return (request.body as { readonly input: readonly InputItem[] }).input;
}

/** The result of the last call. */
function lastOutput(request: RecordedRequest): string {
  return inputOf(request).at(-1)?.output ?? "";
}

/** The example must show success: anything else is a fault of the script or of the product, not something to record. */
function check(holds: boolean, expected: string, request: RecordedRequest): void {
  if (!holds) throw new Error(`expected that ${expected}, but the last result is ${JSON.stringify(lastOutput(request))}`);
}

/** The revision that a read of `uri` showed, from the results in the request. */
function revisionOf(request: RecordedRequest, uri: string): string {
  const input = inputOf(request);
  const call = input.find((item) => item.type === "function_call" && item.arguments?.includes(uri) === true);
  const result = input.find((item) => item.type === "function_call_output" && item.call_id === call?.call_id);
  const revision = /^revision (\S+)/m.exec(result?.output ?? "")?.[1];
  if (revision === undefined) throw new Error(`no revision of ${uri} in ${JSON.stringify(result?.output)}`);
  return revision;
}
