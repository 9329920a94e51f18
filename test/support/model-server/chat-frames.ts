import type { Frame, FramePlan } from "./frames.ts";
import { argumentText, pieces, type ScriptedAnswer, type ScriptedUsage } from "./script.ts";

/** An answer as the chunks of a Chat Completions stream. */
export function chatPlan(turn: ScriptedAnswer, requestNumber: number): FramePlan {
  const fault = turn.fault;
  if (fault?.kind === "empty-choices") {
    return { frames: [chunk(requestNumber, []), chunk(requestNumber, [])], end: "done" };
  }
  const head = [delta(requestNumber, { role: "assistant", content: "" }), ...textFrames(turn, requestNumber)];
  if (fault?.kind === "cut-arguments") return cutPlan(turn, requestNumber, head);
  const body = [...head, ...callFrames(turn, requestNumber)];
  if (fault?.kind === "no-marker") return { frames: body, end: "close" };
  const finish = (turn.calls ?? []).length > 0 ? "tool_calls" : "stop";
  return {
    frames: [
      ...body,
      chunk(requestNumber, [{ index: 0, delta: {}, finish_reason: finish }]),
      ...usageFrames(turn.usage, requestNumber),
    ],
    end: "done",
  };
}

function chunk(requestNumber: number, choices: unknown[], more: object = {}): Frame {
  return {
    data: {
      id: `chatcmpl-${requestNumber}`,
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "scripted",
      choices,
      ...more,
    },
  };
}

function delta(requestNumber: number, value: object): Frame {
  return chunk(requestNumber, [{ index: 0, delta: value, finish_reason: null }]);
}

function textFrames(turn: ScriptedAnswer, requestNumber: number): Frame[] {
  const count = turn.pieces ?? 1;
  const frames = (text: string | undefined, key: string): Frame[] =>
    text === undefined ? [] : pieces(text, count).map((piece) => delta(requestNumber, { [key]: piece }));
  return [...frames(turn.reasoning, "reasoning_content"), ...frames(turn.text, "content")];
}

function callFrames(turn: ScriptedAnswer, requestNumber: number): Frame[] {
  return (turn.calls ?? []).flatMap((call, index) => {
    const id = call.callId ?? `call_${requestNumber}_${index}`;
    const start = delta(requestNumber, {
      tool_calls: [{ index, id, type: "function", function: { name: call.name, arguments: "" } }],
    });
    const rest = pieces(argumentText(call), turn.pieces ?? 1).map((piece) =>
      delta(requestNumber, { tool_calls: [{ index, function: { arguments: piece } }] }),
    );
    return [start, ...rest];
  });
}

function cutPlan(turn: ScriptedAnswer, requestNumber: number, head: readonly Frame[]): FramePlan {
  const [call] = turn.calls ?? [];
  if (call === undefined || turn.fault?.kind !== "cut-arguments")
    throw new Error("cut-arguments needs a call");
  const full = argumentText(call);
  const half = turn.fault.atBrace === true ? full.slice(0, 1) : full.slice(0, Math.ceil(full.length / 2));
  const frames = [...head, ...callFrames({ ...turn, calls: [{ ...call, arguments: half }] }, requestNumber)];
  if (turn.fault.how !== "length") return { frames, end: turn.fault.how };
  const finish = chunk(requestNumber, [{ index: 0, delta: {}, finish_reason: "length" }]);
  return { frames: [...frames, finish, ...usageFrames(turn.usage, requestNumber)], end: "done" };
}

function usageFrames(usage: ScriptedUsage | undefined, requestNumber: number): Frame[] {
  if (usage === undefined || usage === "none") return [];
  return [
    chunk(requestNumber, [], {
      usage: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.output,
        ...(usage.cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: usage.cached } }),
        ...(usage.reasoning === undefined
          ? {}
          : { completion_tokens_details: { reasoning_tokens: usage.reasoning } }),
      },
    }),
  ];
}
