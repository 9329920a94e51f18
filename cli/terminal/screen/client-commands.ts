/** What an operation leaves to the front end. Pure. */
import type { ClientAction } from "../../../orchestrator/contract/session.ts";
import type { Command } from "./screen-state.ts";

/** True when the front end shows a list or a dialog in place of the operation's text. */
export function isList(action: ClientAction): boolean {
  return action !== "quit" && action !== "detach";
}

/** What an operation wants of the front end, as its commands. */
export function clientCommands(action: ClientAction | undefined): readonly Command[] {
  switch (action) {
    case undefined:
    // The screen opens it by itself.
    case "review-correction":
      return [];
    case "quit":
      return [{ type: "leave", reason: "quit" }];
    case "detach":
      return [{ type: "leave", reason: "detached" }];
    case "pick-conversation":
      return [{ type: "pick", purpose: { kind: "conversation" } }];
    case "pick-model":
      return [{ type: "pick", purpose: { kind: "model" } }];
    case "open-settings":
      return [{ type: "pick", purpose: { kind: "setting" } }];
  }
}
