/** Arbitrary actions on the screen, as a session and a person could make them in any order. */
import fc from "fast-check";
import { conversationIdSchema } from "../../../../orchestrator/contract/identifiers.ts";
import type { ClientEvent } from "../../../../orchestrator/contract/acp/events.ts";
import type {
  PermissionRequest,
  SessionState,
  SessionUpdate,
} from "../../../../orchestrator/contract/session.ts";
import { type KeyName, keyPress } from "../../../../cli/terminal/screen/key-press.ts";
import type { Action } from "../../../../cli/terminal/screen/screen-state.ts";

export const sessionId = conversationIdSchema.parse("b6uouHJ");

const noCounters = {
  inputTokens: null,
  cachedInputTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  requests: 0,
};

export function sessionState(more: Partial<SessionState> = {}): SessionState {
  return {
    sessionId,
    title: "a title",
    workingDirectory: "/w",
    createdAt: 0,
    lastActivityAt: 0,
    model: "p/model",
    reasoningEffort: "medium",
    mode: "ask",
    turn: { state: "idle", epoch: 0, source: null, startedAt: null, lastOutcome: null },
    paused: false,
    held: false,
    pendingInputs: [],
    vaultEntries: 0,
    permissionRequests: [],
    restartRequests: [],
    runningForms: 0,
    usage: { ...noCounters, inputTokens: 12_345, outputTokens: 678 },
    turnUsage: noCounters,
    contextTokens: 100_000,
    contextEstimated: false,
    contextWindow: 272_000,
    compactionThresholdPercent: 80,
    plan: [],
    jobs: { live: 0, total: 0 },
    userTurns: 1,
    attachedClients: 1,
    eventSeq: 0,
    health: { lastFailure: null, hostStartedAt: 0, processId: 1 },
    ...more,
  };
}

/** The action of a terminal that has attached. */
export function attached(more: Partial<Extract<Action, { type: "attached" }>> = {}): Action {
  return {
    type: "attached",
    sessionId,
    view: {
      state: sessionState(),
      history: { updates: [], firstSeq: null, lastSeq: null, hasOlder: false, hasNewer: false },
      live: [],
      clients: [],
    },
    isReadOnly: false,
    draft: undefined,
    at: 1_000,
    ...more,
  };
}

/** Text with everything that is hard to show. */
export const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom(
    "```ts\nconst x = 1;\n",
    "```\n",
    "| a | b |\n|---|---|\n| 漢字漢字 | a long cell with words |\n\n",
    "- item\n- item two\n\n  more\n",
    "# Heading\n\n",
    "\u001B[31mred\u001B[0m\u001B]0;title\u0007",
    "👨‍👩‍👧 漢字 🇩🇪 é".repeat(10),
    "a_very_long_word_without_any_place_to_break_it".repeat(4),
    "(",
    "\n",
    "/help",
  ),
);

const at = fc.integer({ min: 0, max: 100_000 });
const id = fc.constantFrom("r:1:0", "r:1:1", "r:2:0");
const callId = fc.constantFrom("c1", "c2", "c3");
const status = fc.constantFrom("pending", "running", "completed", "failed", "cancelled", "unknown");

export const anyUpdate: fc.Arbitrary<SessionUpdate> = fc.oneof(
  fc.record({
    type: fc.constant("user-message"),
    messageId: fc.string(),
    text: anyText,
    origin: fc.constantFrom("prompt", "queue", "steering", "automatic"),
    at,
  }),
  fc.record({
    type: fc.constantFrom("message-chunk", "thought-chunk"),
    messageId: id,
    text: anyText,
    final: fc.boolean(),
    at,
  }),
  fc.record({ type: fc.constant("form"), formId: callId, source: anyText, at }),
  fc.record({ type: fc.constant("form"), formId: callId, source: anyText, job: fc.constant("exec:1"), at }),
  fc.record({
    type: fc.constant("form-output"),
    formId: callId,
    stream: fc.constantFrom("output", "error"),
    text: anyText,
    at,
  }),
  fc.record({
    type: fc.constant("form-result"),
    formId: callId,
    status: fc.constantFrom("values", "condition", "cancelled", "lost", "quit"),
    values: fc.array(fc.record({ text: anyText, report: fc.boolean(), cut: fc.boolean() }), { maxLength: 3 }),
    omittedValues: fc.nat(2),
    output: anyText,
    omittedOutput: fc.nat(2),
    durationMs: fc.constant(1),
    at,
  }),
  fc.record({ type: fc.constant("output-discarded"), prefix: fc.constantFrom("r:1:", "r:2:"), at }),
  fc.record({
    type: fc.constant("tool-call"),
    callId,
    tool: fc.constantFrom("shell.run", "resource.edit"),
    title: anyText,
    kind: fc.constantFrom("execute", "edit", "read"),
    status,
    arguments: fc.constant({}),
    locations: fc.constant([]),
    at,
  }),
  fc.record({
    type: fc.constant("tool-call-update"),
    callId,
    status,
    content: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant("text"), text: anyText }),
        fc.record({
          type: fc.constant("diff"),
          path: anyText,
          oldText: fc.option(anyText),
          newText: anyText,
        }),
      ),
      { maxLength: 2 },
    ),
    at,
  }),
  fc.record({
    type: fc.constant("notice"),
    level: fc.constantFrom("info", "warning", "error"),
    code: fc.constantFrom("retry", "command"),
    text: anyText,
    at,
  }),
  fc.record({
    type: fc.constant("plan"),
    entries: fc.array(
      fc.record({
        content: anyText,
        priority: fc.constant("high"),
        status: fc.constantFrom("pending", "in_progress", "completed"),
      }),
      { maxLength: 3 },
    ),
    at,
  }),
  fc.record({ type: fc.constant("title"), title: anyText, at }),
) as fc.Arbitrary<SessionUpdate>;

const request: fc.Arbitrary<PermissionRequest> = fc.record({
  requestId: fc.constantFrom("p1", "p2"),
  epoch: fc.constant(1),
  kind: fc.constant("command"),
  callId,
  tool: fc.constant("shell.run"),
  asker: fc.constantFrom("primary", "clear-otter-3"),
  title: anyText,
  command: anyText,
  directory: fc.constant("/a/directory/with a long name/that does not fit/into a narrow terminal"),
  askedAt: at,
}) as fc.Arbitrary<PermissionRequest>;

export const anyEvent: fc.Arbitrary<ClientEvent> = fc
  .record({
    seq: fc.integer({ min: 1, max: 1_000 }),
    at,
    body: fc.oneof(
      { weight: 8, arbitrary: anyUpdate.map((update) => ({ kind: "update", update })) },
      fc.record({
        kind: fc.constant("turn"),
        state: fc.constantFrom("running", "idle"),
        epoch: fc.constant(1),
        source: fc.constantFrom("prompt", "completion"),
        outcome: fc.constantFrom(null, "end-turn", "cancelled", "condition"),
      }),
      request.map((each) => ({ kind: "permission-requested", request: each })),
      fc.record({
        kind: fc.constant("permission-resolved"),
        requestId: fc.constantFrom("p1", "p2"),
        answer: fc.constant("deny"),
      }),
      fc.record({
        kind: fc.constant("pending-input"),
        inputs: fc.array(
          fc.record({
            inputId: fc.string(),
            delivery: fc.constantFrom("steering", "queued"),
            text: anyText,
            images: fc.constant(0),
            acceptedAt: at,
          }),
          { maxLength: 6 },
        ),
        paused: fc.boolean(),
      }),
      fc.record({
        kind: fc.constant("activity"),
        phase: fc.constantFrom("thinking", "writing", "tools", "calling"),
        characters: fc.nat(9_999),
        request: fc.nat(9),
        attempt: fc.nat(3),
      }),
      fc.constantFrom(
        { kind: "state" },
        { kind: "gap", lost: 3, deliveredThrough: 1 },
        { kind: "job", jobId: "x", name: "n", state: "running" },
      ),
    ),
  })
  .map(({ seq, at: instant, body }) => ({ seq, at: instant, ...body }) as ClientEvent);

const names: readonly KeyName[] = [
  "enter",
  "escape",
  "tab",
  "backspace",
  "delete",
  "up",
  "down",
  "left",
  "right",
  "home",
  "end",
  "page-up",
  "page-down",
];

export const anyKey = fc
  .record({
    name: fc.constantFrom<KeyName>(...names, "text", "text", "text", "control"),
    text: anyText.filter((text) => text !== ""),
    letter: fc.constantFrom(...Array.from("abcdefhjklnpuwyz")),
    alt: fc.boolean(),
    shift: fc.boolean(),
  })
  .map(({ name, text, letter, alt, shift }) =>
    keyPress(name, name === "control" ? letter : name === "text" ? text : "", {
      alt: alt && name !== "text",
      shift,
    }),
  );

export const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("key"), press: anyKey, at }) },
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant("events"), events: fc.array(anyEvent, { maxLength: 5 }), at }),
  },
  fc.record({ type: fc.constant("paste"), text: anyText, at }),
  fc.record({
    type: fc.constant("resize"),
    columns: fc.integer({ min: 1, max: 120 }),
    rows: fc.integer({ min: 1, max: 50 }),
  }),
  fc.record({ type: fc.constant("tick"), at }),
  fc.record({ type: fc.constant("link"), link: fc.constantFrom("lost", "ended"), reason: anyText, at }),
  fc.constant(attached()),
  fc.record({ type: fc.constant("flash"), level: fc.constant("error"), text: anyText, at }),
  fc.record({
    type: fc.constant("completion"),
    token: fc.nat(5),
    completion: fc.constant({
      from: 0,
      to: 0,
      candidates: [{ text: "/one", note: "first" }, { text: "/漢字" }],
      omitted: 3,
    }),
  }),
  fc.record({
    type: fc.constant("rows"),
    purpose: fc.constant({ kind: "conversation" }),
    title: anyText,
    rows: fc.array(fc.record({ id: fc.string(), label: anyText, note: anyText, search: anyText }), {
      maxLength: 30,
    }),
    omitted: fc.nat(3),
  }),
  anyText.map((text) => ({ type: "invoked", invocation: { text } })),
) as fc.Arbitrary<Action>;
