/** Calls as a model may write them: any name, any argument text. Every call has exactly one result, whatever it is. */
import { overflowPlaces } from "../../orchestrator/record/overflow-retention.ts";
import { YieldState } from "../../orchestrator/agents/yield.ts";
import { conversationIdSchema } from "../../orchestrator/contract/identifiers.ts";
import type { ToolCallItem } from "../../orchestrator/contract/model.ts";
import type { ToolContext } from "../../orchestrator/contract/tool.ts";
import { headlessAuthority } from "../../orchestrator/permissions/headless-authority.ts";
import { OverflowStore } from "../../orchestrator/record/overflow-store.ts";
import { contextScheme } from "../../orchestrator/resources/context-scheme.ts";
import { resourceTools } from "../../orchestrator/resources/resource-tools.ts";
import { dispatchCalls, toolResultLimit } from "../../orchestrator/tools/dispatcher.ts";
import { ToolRegistry } from "../../orchestrator/tools/registry.ts";
import { MutationLocks } from "../../workers/workspace/mutation-lock.ts";
import { fileSchemes } from "../../workers/workspace/workspace-scheme.ts";
import { type Damage, damagedDocument } from "./mutation.ts";
import type { Random } from "./random.ts";
import { type FuzzSubject, expectThat } from "./subject.ts";

const conversationId = conversationIdSchema.parse("pQ3nT7x");
const workspace = "/w/ork";

const schemes = [
  ...fileSchemes(new MutationLocks({ directory: "/nowhere/locks" })),
  contextScheme(new OverflowStore(overflowPlaces("/nowhere"))),
];

/** Arguments are checked and placed as in a host; what the tools would do with them is another subject's business. */
const registry = new ToolRegistry(
  resourceTools(schemes).map((tool) => ({
    ...tool,
    execute: async () => await Promise.resolve({ status: "ok" as const, content: "x".repeat(100) }),
  })),
);

const argumentTexts: Damage = {
  documents: [
    '{"uri":"workspace:a b/%20é.txt","start-line":3,"line-count":10}',
    '{"uri":"workspace:a","base-revision":"absent","operations":[{"operation":"replace-empty","content":"x\\n"}]}',
    '{"uri":"file:///x","base-revision":"0123","operations":[{"operation":"replace-lines","start-line":1,"end-line":2,"content":"y","start-anchor":"0a1b"}]}',
    '{"status":"success","data":{"answer":["42",null,{"deep":[1e3]}]},"label":"done"}',
    "",
  ].map((text) => Buffer.from(text)),
  pieces: [
    ...'{}[]",:\\ '.split(""),
    ...[
      "null",
      "1e999",
      "-0",
      "true",
      '"__proto__":{"a":1},',
      '"uri":"foo:bar"',
      '"uri":"workspace:%"',
      '"uri":"file://h/x"',
    ],
    ...[
      "\\u0000",
      "\\ud800",
      `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
      `${'{"a":'.repeat(200)}1${"}".repeat(200)}`,
      "workspace:",
    ],
  ],
};

const toolNames = [
  "resource.read",
  "resource.edit",
  "resource.edit",
  "yield.submit",
  "no.such",
  "__proto__",
  "",
];

const context: Omit<ToolContext, "callId"> = {
  caller: {
    kind: "primary",
    conversationId,
    rootConversationId: conversationId,
    executionId: undefined,
    jobName: "primary",
    depth: 0,
    role: "primary",
    lineage: [],
    position: "primary",
  },
  workspace,
  authority: headlessAuthority({
    mode: "ask",
    sandboxProblem: async () => await Promise.resolve(undefined),
    classify: undefined,
    workspace,
  }),
  signal: new AbortController().signal,
};

async function checkTurn(random: Random): Promise<void> {
  const calls = Array.from({ length: 1 + random.upTo(3) }, (_, index): ToolCallItem => ({
    type: "tool-call",
    callId: `c${index}`,
    tool: random.pick(toolNames),
    arguments: damagedDocument(random, argumentTexts).bytes.toString(),
  }));
  const ending = new YieldState(undefined, () => 0);
  const settled = await dispatchCalls(calls, context, {
    registry: registry.select(() => true, [ending.tool()]),
    journal: { append: () => Promise.resolve() },
    overflow: { put: () => Promise.resolve("context:0") },
    observer: { started: () => undefined, finished: () => undefined },
    withoutSecrets: (text) => text,
    now: () => 0,
  });
  const answered = settled.map(({ result }) => result.callId);
  expectThat(
    answered.length === calls.length && answered.every((id, index) => id === calls[index]?.callId),
    "every call has one result, in wire order",
    calls,
  );
  expectThat(
    settled.every(
      ({ result, code }) => (result.status === "ok") === (code === undefined) && result.output !== "",
    ),
    "a refused call has a code and a reason",
    calls,
  );
  expectThat(
    settled.every(({ result }) => result.output.length <= 2 * toolResultLimit),
    "results are bounded",
    calls,
  );
}

/** Turns of tool calls. */
export const toolCallSubjects: readonly FuzzSubject[] = [{ name: "tool-calls", run: checkTurn }];
