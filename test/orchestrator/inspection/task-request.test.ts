import { describe, expect, it } from "vitest";
import { taskRequest } from "../../../orchestrator/inspection/index.ts";

describe("what is asked of tasks", () => {
  it.each([
    ["", { action: "list" }],
    [":list :offset 32 :limit 32", { action: "list", offset: 32, limit: 32 }],
    ["list offset 3", { action: "list", offset: 3 }],
    [':get "clear-otter-3"', { action: "get", id: "clear-otter-3" }],
    ["cancel exec:4", { action: "cancel", id: "exec:4" }],
    ['transcript "b" :offset 0 :limit 4000', { action: "transcript", id: "b", offset: 0, limit: 4000 }],
    [
      ':send "b" :message "Inspect the failing check before continuing."',
      { action: "send", id: "b", message: "Inspect the failing check before continuing." },
    ],
    ["send b look  at it", { action: "send", id: "b", message: "look  at it" }],
    [':revive "b" :authorize t', { action: "revive", id: "b", authorize: true }],
    ["abandon b", { action: "abandon", id: "b", authorize: false }],
    ["abandon b authorize nil", { action: "abandon", id: "b", authorize: false }],
  ])("%s", (input, request) => {
    expect(taskRequest(input)).toEqual(request);
  });

  it.each([
    "dance",
    "get",
    "get a b",
    "list offset",
    "list offset x",
    "list speed 3",
    "send b",
    'send b :message ""',
    "revive b now",
  ])("refuses %s, saying what is expected", (input) => {
    expect(() => taskRequest(input)).toThrow(/tasks: .*Expected: list/);
  });
});
