import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, readdir, readFile, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { keyword } from "../../../lisp/data-forms/index.ts";
import {
  type Conversation,
  type ConversationStoreOptions,
  createConversation,
  loadConversation,
  openConversation,
} from "../../../orchestrator/record/conversation.ts";
import type { ConversationRecord } from "../../../orchestrator/record/conversation-record.ts";
import { processIdentity } from "../../../orchestrator/record/process-identity.ts";
import { providerHistory } from "../../../orchestrator/record/provider-history.ts";
import { freshDirectory } from "./directories.ts";

const fresh = { directory: "/work/place", model: "openai-api/some-model", reasoningEffort: "medium" };

async function store(more: Partial<ConversationStoreOptions> = {}): Promise<ConversationStoreOptions> {
  return { directory: await freshDirectory(), now: () => 1_800_000_000_000, ...more };
}

function closedAtEnd(conversation: Conversation): Conversation {
  onTestFinished(() => conversation.close());
  return conversation;
}

async function created(options: ConversationStoreOptions): Promise<Conversation> {
  return closedAtEnd(await createConversation(options, fresh));
}

const message = (content: string): ConversationRecord => ({ kind: "message", content });
const call = (callId: string): ConversationRecord => ({
  kind: "provider-item",
  item: { type: "tool-call", callId, tool: "shell.run", arguments: '{"command":"ls"}' },
});
const result = (callId: string): ConversationRecord => ({
  kind: "tool-result",
  callId,
  tool: "shell.run",
  status: "ok",
  output: "done",
});

async function filled(
  options: ConversationStoreOptions,
  records: readonly ConversationRecord[],
): Promise<Conversation> {
  const conversation = await createConversation(options, fresh);
  await Promise.all(records.map((record) => conversation.append(record)));
  await conversation.close();
  return conversation;
}

const line = fc.string({ unit: "grapheme" });
const text = fc.oneof(
  line,
  fc.array(line).map((lines) => lines.join("\n")),
  fc.constantFrom('(:lines "a")', '\\"\n'),
);
const filledText = text.filter((value) => value !== "" && !value.includes("\0"));
const recordArbitrary: fc.Arbitrary<ConversationRecord> = fc.oneof(
  fc.record({ kind: fc.constant("message" as const), content: filledText }),
  fc.record({
    kind: fc.constant("message" as const),
    content: filledText,
    automatic: fc.constant(true as const),
    jobCompletion: fc.uuid().map((id) => `completion:${id}`),
  }),
  fc.record({
    kind: fc.constant("provider-item" as const),
    item: fc.oneof(
      fc.record({ type: fc.constant("assistant-message" as const), text: filledText }),
      fc.record({
        type: fc.constant("reasoning" as const),
        text: filledText,
        source: fc.record({
          provider: fc.constant("openai-api"),
          wire: fc.constantFrom("responses" as const, "chat" as const),
          json: fc.json(),
        }),
      }),
      fc.record({
        type: fc.constant("tool-call" as const),
        callId: fc.uuid(),
        tool: fc.constant("resource.read"),
        arguments: filledText,
      }),
    ),
  }),
  fc.record({
    kind: fc.constant("tool-result" as const),
    callId: fc.uuid(),
    tool: fc.constant("resource.read"),
    status: fc.constantFrom("ok" as const, "error" as const, "cancelled" as const, "unknown" as const),
    output: filledText,
    details: fc.constantFrom<{ a: unknown }>({ a: [1, null, true, "x\ny"] }, { a: {} }),
  }) as fc.Arbitrary<ConversationRecord>,
  fc.record({ kind: fc.constant("summary" as const), throughSeq: fc.nat(), content: filledText }),
  fc.constant<ConversationRecord>({
    kind: "extension",
    name: "goal",
    fields: [keyword("status"), keyword("active"), keyword("lines"), [keyword("lines"), "not\ntext"]],
  }),
);

describe("a conversation", () => {
  it("property: gives back exactly what was appended", async () => {
    const options = await store();
    await fc.assert(
      fc.asyncProperty(fc.array(recordArbitrary, { maxLength: 12 }), async (records) => {
        const { id } = await filled(options, records);
        const loaded = await loadConversation(options, id);
        expect(loaded.records.map(({ record }) => record)).toEqual(records);
        expect(loaded.anomalies).toEqual([]);
        expect(loaded.repaired).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it("has its header, numbers and times in data forms, one a line", async () => {
    const options = await store();
    const { id } = await filled(options, [message("two\nlines"), call("c1")]);
    const file = await readFile(join(options.directory, id, "00000000000000000001.sexp"), "utf8");
    const lines = file.split("\n");
    expect(lines[0]).toMatch(
      /^\(:CONVERSATION :VERSION 2 :ID "[1-9A-HJ-NP-Za-km-z]{7}" :CREATED-AT 4008988800 /,
    );
    expect(lines[1]).toBe('(:MESSAGE :SEQ 1 :TIME 4008988800 :ROLE :USER :CONTENT (:LINES "two" "lines"))');
    expect(lines).toHaveLength(4);
    expect((await stat(join(options.directory, id))).mode & 0o777).toBe(0o700);
  });

  it("gives every conversation of one instant its own id", async () => {
    const options = await store();
    const ids = await Promise.all(Array.from({ length: 10 }, async () => (await created(options)).id));
    expect(new Set(ids).size).toBe(10);
  });

  it("goes over to new chunks and counts on through them", async () => {
    const options = await store({ chunkBytes: 2000 });
    const conversation = await created(options);
    const texts = Array.from({ length: 200 }, (_, index) => `message ${index}`);
    for (let at = 0; at < texts.length; at += 20) {
      await Promise.all(texts.slice(at, at + 20).map((each) => conversation.append(message(each))));
    }
    await conversation.close();
    const names = await readdir(join(options.directory, conversation.id));
    expect(names.length).toBeGreaterThan(3);
    expect(names.every((name) => /^\d{20}\.sexp$/.test(name))).toBe(true);
    const loaded = await loadConversation(options, conversation.id);
    expect(loaded.anomalies).toEqual([]);
    expect(loaded.records.map(({ seq }) => seq)).toEqual(texts.map((_, index) => index + 1));
    expect(loaded.records.map(({ record }) => record)).toEqual(texts.map(message));
    const again = await openConversation(options, conversation.id);
    closedAtEnd(again.conversation);
    expect(await again.conversation.append(message("more"))).toBe(201);
  });

  it("goes on in the old chunk when a new one cannot be opened, and never gives a number twice", async () => {
    const options = await store({ chunkBytes: 500 });
    const conversation = await created(options);
    await conversation.append(message("x".repeat(600)));
    // Where the next chunk belongs is something that cannot be opened as a file.
    await mkdir(join(options.directory, conversation.id, "00000000000000000002.sexp"));
    expect(await conversation.append(message("second"))).toBe(2);
    expect(await conversation.append(message("third"))).toBe(3);
    await conversation.close();
    await rmdir(join(options.directory, conversation.id, "00000000000000000002.sexp"));
    // And now an empty chunk stands there, as a rotation leaves it that died before its first record.
    const first = await readFile(
      join(options.directory, conversation.id, "00000000000000000001.sexp"),
      "utf8",
    );
    const header = (first.split("\n")[0] ?? "").replace(":CHUNK-START-SEQUENCE 1", ":CHUNK-START-SEQUENCE 2");
    await writeFile(join(options.directory, conversation.id, "00000000000000000002.sexp"), `${header}\n`);
    const again = await openConversation(options, conversation.id);
    closedAtEnd(again.conversation);
    expect(again.loaded.records.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(await again.conversation.append(message("fourth"))).toBe(4);
  });

  it("property: whatever happens to the bytes of a chunk, loading ends, tells, and calls stay paired", async () => {
    const options = await store();
    const { id } = await filled(options, [
      message("go"),
      ...["a", "b", "c"].flatMap((each) => [call(each), result(each)]),
    ]);
    const path = join(options.directory, id, "00000000000000000001.sexp");
    const sound = await readFile(path);
    const headerEnd = sound.indexOf(0x0a) + 1;
    const edit = fc.tuple(
      fc.integer({ min: headerEnd, max: sound.length }),
      fc.nat(40),
      fc.uint8Array({ maxLength: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 5 }), async (edits) => {
        let bytes = sound;
        for (const [at, removed, added] of edits) {
          bytes = Buffer.concat([
            bytes.subarray(0, at),
            added,
            bytes.subarray(Math.max(at + removed, headerEnd)),
          ]);
        }
        await writeFile(path, bytes);
        const { records, anomalies } = await loadConversation(options, id);
        for (const anomaly of anomalies)
          expect(anomaly).toMatchObject({ path, offset: expect.any(Number) as number });
        const { items } = providerHistory(records);
        const open = new Set<string>();
        for (const item of items) {
          if (item.type === "tool-call") open.add(item.callId);
          if (item.type === "tool-result") expect(open.delete(item.callId)).toBe(true);
        }
        expect(open.size).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it("reports a conversation that does not exist, and one without a header", async () => {
    const options = await store();
    const { id } = await filled(options, []);
    await expect(openConversation({ ...options, directory: "/nowhere" }, id)).rejects.toMatchObject({
      code: "not-found",
    });
    await writeFile(join(options.directory, id, "00000000000000000001.sexp"), "rubbish\n");
    await expect(openConversation(options, id)).rejects.toMatchObject({ code: "malformed" });
    expect(await readdir(options.directory)).toEqual([id]);
  });

  it("C029: repairs lone surrogates and NULs on load and says so", async () => {
    const options = await store();
    const { id } = await filled(options, [message("before")]);
    const path = join(options.directory, id, "00000000000000000001.sexp");
    const surrogate = Buffer.from([0xed, 0xa0, 0x80]);
    const [head, tail] = ['(:MESSAGE :SEQ 2 :TIME 4008988800 :ROLE :USER :CONTENT "a', 'b")\n'];
    await appendFile(
      path,
      Buffer.concat([Buffer.from(head), surrogate, Buffer.from([0]), Buffer.from(tail)]),
    );
    await appendFile(
      path,
      '(:PROVIDER-ITEM :SEQ 3 :TIME 4008988800 :TYPE :REASONING :TEXT "" :PROVIDER "p" :WIRE :CHAT :WIRE-JSON ' +
        String.raw`"{\"t\":\"x\\ud800y\\u0000\",\"pair\":\"\\ud83d\\ude00\"}")` +
        "\n",
    );
    const { conversation, loaded } = await openConversation(options, id);
    closedAtEnd(conversation);
    expect(loaded.repaired).toBe(2);
    expect(loaded.records[1]?.record).toMatchObject({ content: "a\ufffd\ufffd\ufffdb" });
    const item = loaded.records[2]?.record;
    expect(item).toMatchObject({ item: { source: { json: '{"t":"x\ufffdy","pair":"\u{1f600}"}' } } });
    expect(JSON.stringify(loaded.records).isWellFormed()).toBe(true);
  });

  it("leaves out NULs and lone surrogates when writing", async () => {
    const options = await store();
    const { id } = await filled(options, [message("a\0b\ud800c")]);
    const loaded = await loadConversation(options, id);
    expect(loaded).toMatchObject({
      repaired: 0,
      anomalies: [],
      records: [{ record: { content: "ab\ufffdc" } }],
    });
  });

  it("C123: resuming writes nothing", async () => {
    const options = await store();
    const { id } = await filled(options, [message("a"), call("c"), result("c")]);
    const path = join(options.directory, id, "00000000000000000001.sexp");
    const size = (await stat(path)).size;
    for (let times = 0; times < 20; times += 1)
      await (await openConversation(options, id)).conversation.close();
    expect((await stat(path)).size).toBe(size);
    expect(await readdir(join(options.directory, id))).toHaveLength(1);
  });

  it("resumes 100,000 records within a second", async () => {
    const script = fileURLToPath(new URL("./resume-large.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, await freshDirectory()]);
    const { items, processorMs } = JSON.parse(stdout) as { items: number; processorMs: number };
    expect(items).toBe(100_000);
    expect(processorMs).toBeLessThan(1000);
  });
});

describe("C121: one writer", () => {
  const script = fileURLToPath(new URL("./hold-conversation.ts", import.meta.url));

  async function holder(options: ConversationStoreOptions, id: string): Promise<ChildProcess> {
    const child = spawn(process.execPath, [script, options.directory, id], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    await once(child.stdout, "data");
    return child;
  }

  it("a second opening is refused while the first lives, in this process and from another", async () => {
    const options = await store();
    const conversation = await created(options);
    await expect(openConversation(options, conversation.id)).rejects.toMatchObject({
      code: "locked",
      holder: { pid: process.pid },
    });
    await conversation.close();
    const child = await holder(options, conversation.id);
    await expect(openConversation(options, conversation.id)).rejects.toMatchObject({
      code: "locked",
      holder: { pid: child.pid },
    });
    expect((await loadConversation(options, conversation.id)).records).toHaveLength(1);
  });

  it("the lock of a killed process is taken over and nothing it wrote is lost", async () => {
    const options = await store();
    const { id } = await filled(options, [message("first")]);
    const child = await holder(options, id);
    child.kill("SIGKILL");
    await once(child, "exit");
    const { conversation, loaded } = await openConversation(options, id);
    closedAtEnd(conversation);
    expect(loaded.records.map(({ record }) => record)).toEqual([
      message("first"),
      message(`from process ${child.pid}`),
    ]);
    expect((await readdir(options.directory)).toSorted()).toEqual([id, `${id}.lock`]);
  });

  it.each([
    ["a used-again process number", { ...processIdentity(), startTicks: 1 }],
    ["an earlier boot", { ...processIdentity(), bootId: "00000000-0000-0000-0000-000000000000" }],
    ["a process that has ended", { ...processIdentity(), pid: 2 ** 22 + 1 }],
  ])("a lock of %s is taken over", async (_name, identity) => {
    const options = await store();
    const { id } = await filled(options, []);
    const stale = { ...identity, token: "11111111-1111-4111-8111-111111111111" };
    await writeFile(join(options.directory, `${id}.lock`), JSON.stringify(stale));
    const { conversation } = await openConversation(options, id);
    await conversation.close();
    expect(await readdir(options.directory)).toEqual([id]);
  });

  it("of many that find a stale lock one wins, also when an earlier successor died", async () => {
    const options = await store();
    const { id } = await filled(options, []);
    const dead = (token: string): string => JSON.stringify({ ...processIdentity(), startTicks: 1, token });
    const [first, second] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
    const lock = join(options.directory, `${id}.lock`);
    await writeFile(lock, dead(first));
    await writeFile(`${lock}.${first}.claim`, dead(second));
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => openConversation(options, id)));
    const won = tries.flatMap((each) => (each.status === "fulfilled" ? [each.value.conversation] : []));
    for (const each of tries)
      if (each.status === "rejected") expect(each.reason).toMatchObject({ code: "locked" });
    expect(won).toHaveLength(1);
    await Promise.all(won.map((conversation) => conversation.close()));
    expect(await readdir(options.directory)).toEqual([id]);
  });
});

describe("C071: the provider history", () => {
  const stored = (records: readonly ConversationRecord[]) =>
    records.map((record, index) => ({ seq: index + 1, at: 0, record }));

  it("gives an interrupted call the result 'unknown' right after its turn", () => {
    const { items, added } = providerHistory(
      stored([message("go"), call("a"), call("b"), result("b"), message("and now?")]),
    );
    expect(items.map((item) => ("callId" in item ? `${item.type} ${item.callId}` : item.type))).toEqual([
      "user-message",
      "tool-call a",
      "tool-call b",
      "tool-result b",
      "tool-result a",
      "user-message",
    ]);
    expect(added).toMatchObject([{ callId: "a", status: "unknown" }]);
  });

  it("puts the newest summary in place of what it covers", () => {
    const { items } = providerHistory(
      stored([
        message("old"),
        { kind: "summary", throughSeq: 1, content: "first summary" },
        message("middle"),
        { kind: "summary", throughSeq: 3, content: "second summary" },
        message("new"),
      ]),
    );
    expect(items).toEqual([
      { type: "user-message", text: "second summary" },
      { type: "user-message", text: "new" },
    ]);
  });

  it("C117: damage in the middle leaves calls and results paired", async () => {
    const options = await store();
    const records = ["a", "b", "c"].flatMap((id) => [call(id), result(id)]);
    const { id } = await filled(options, [message("go"), ...records]);
    const path = join(options.directory, id, "00000000000000000001.sexp");
    const lines = (await readFile(path, "utf8")).split("\n");
    lines[3] = "\0".repeat(500);
    lines[4] = "(:broken";
    lines.splice(7, 0, lines[6] ?? "");
    await writeFile(path, lines.join("\n"));
    const loaded = await loadConversation(options, id);
    expect(loaded.anomalies.map(({ kind }) => kind)).toEqual([
      "unreadable",
      "unreadable",
      "missing",
      "duplicate",
    ]);
    const { items, added } = providerHistory(loaded.records);
    const calls = items.flatMap((item) => (item.type === "tool-call" ? [item.callId] : []));
    const results = items.flatMap((item) => (item.type === "tool-result" ? [item.callId] : []));
    expect(calls).toEqual(["a", "c"]);
    expect(results.toSorted()).toEqual(calls);
    expect(added.map(({ callId }) => callId)).toEqual(["a"]);
  });
});
