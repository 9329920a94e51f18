import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parameterFault } from "../../../../cli/acp/translation/parameter-faults.ts";
import { promptInputOf } from "../../../../cli/acp/translation/prompt-input.ts";
import { rawLines } from "../../../support/acp/raw-lines.ts";
import { serveHost } from "../../../support/acp/served-host.ts";
import { ScriptedService } from "../../../support/sessions/scripted-service.ts";

describe("parameters that are refused", () => {
  it.each<[string, unknown, string, string]>([
    [
      "session/new",
      {},
      "cwd: expected a string, received nothing",
      "mcpServers: expected an array, received nothing",
    ],
    ["session/new", { cwd: 5, mcpServers: [] }, "cwd: expected a string, received 5", "Correct them"],
    [
      "session/prompt",
      { sessionId: "x", prompt: [{ type: "video" }] },
      'prompt[0].type: expected "text" or "image"',
      'received "video"',
    ],
    [
      "session/prompt",
      { sessionId: "x", prompt: [{ type: "text" }] },
      "prompt[0].text: expected a string",
      "nothing",
    ],
    [
      "_autolith/submit",
      { sessionId: "b6uouHJ", input: { parts: [] }, as: "prompt" },
      "input.parts",
      "an array of 0",
    ],
    [
      "session/prompt",
      { sessionId: "b6uouHJ", prompt: "hello" },
      'prompt: expected an array of content blocks, such as [{"type":"text","text":"Hello"}]',
      "received a string",
    ],
    ["initialize", {}, "protocolVersion: expected a number, received nothing", "initialize"],
    ["_autolith/state", {}, "sessionId: expected a string, received nothing", "_autolith/state"],
    ["_autolith/state", { sessionId: "secret!" }, "sessionId: expected the id of a conversation", "a string"],
    ["_autolith/jobs", { sessionId: "b6uouHJ", limit: 4_000 }, "limit: expected number to be <=200", "4000"],
    [
      "_autolith/vault",
      { sessionId: "b6uouHJ", action: { kind: "x" } },
      "action.kind: expected",
      'received "x"',
    ],
  ])("%s %j are told as expected, came and what to do", async (method, params, first, second) => {
    await using served = serveHost(new ScriptedService());
    const { write, read } = served.pipes();
    const raw = rawLines(write, read);
    raw.request("init", "initialize", { protocolVersion: 1 });
    await raw.answerTo("init");
    raw.request(1, method, params);
    const { error } = await raw.answerTo(1);
    expect(error?.message).toContain(first);
    expect(error?.message).toContain(second);
    expect(error).toMatchObject({ code: -32_602, data: { code: "invalid-argument", method } });
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  it.each([
    [{ type: "image", data: "%%%", mimeType: "image/png" }, "prompt[0].data: expected a valid base64"],
    [{ type: "image", data: "iVBORw0KGgo=", mimeType: "image/tiff" }, "prompt[0].mimeType: expected one of"],
  ])("a block of a prompt is named by its own place", (block, part) => {
    expect(() => promptInputOf([block as never])).toThrow(
      expect.objectContaining({ code: -32_602, message: expect.stringContaining(part) as string }),
    );
  });

  it("a method that there is not says where they are named", async () => {
    await using served = serveHost(new ScriptedService());
    const { write, read } = served.pipes();
    const raw = rawLines(write, read);
    raw.request("init", "initialize", { protocolVersion: 1 });
    await raw.answerTo("init");
    raw.request(1, "_autolith/nothing", {});
    const { error } = await raw.answerTo(1);
    expect(error).toMatchObject({
      code: -32_601,
      message: expect.stringContaining("_autolith/capabilities") as string,
    });
  });

  it("whatever comes, the refusal is bounded and repeats no text", () => {
    const schema = z.object({
      a: z.string().max(3),
      list: z.array(z.number()).max(2),
      kind: z.enum(["one", "two"]),
    });
    fc.assert(
      fc.property(fc.anything(), fc.string({ minLength: 12, unit: "grapheme-ascii" }), (value, secret) => {
        const given = { a: `${secret}!`, list: value, kind: value };
        const checked = schema.safeParse(given);
        if (checked.success) return;
        const { message } = parameterFault("m", z.formatError(checked.error), given);
        expect(message.length).toBeLessThan(1_000);
        expect(message).not.toContain(`${secret}!`);
      }),
    );
  });
});
