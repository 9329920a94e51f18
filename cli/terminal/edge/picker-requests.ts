/** What a picker lists is asked of the host when it opens. */
import type { ConversationId } from "../../../orchestrator/contract/identifiers.ts";
import type { HostLink } from "../link/host-link.ts";
import type { PickerPurpose } from "../screen/picker.ts";
import type { Action } from "../screen/screen-state.ts";
import { conversationRows, inputRows, modelRows, settingRows, settingValueRows } from "./picker-rows.ts";

export type PickerContext = {
  /** The conversation in front; undefined before there is one. */
  readonly sessionId: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly isRefresh: boolean;
};

/** Conversations that are listed at most; the older ones are counted. */
export const conversationLimit = 200;

/** Inputs that are asked for; the host answers with as many as fit. */
export const inputLimit = 1_000;

/** The action that opens the picker, or says why there is nothing to pick. Rejects as the link does. */
export async function pickerAction(
  link: HostLink,
  purpose: PickerPurpose,
  context: PickerContext,
): Promise<Action> {
  switch (purpose.kind) {
    case "conversation": {
      const page = await link.request("conversations", { limit: conversationLimit });
      const rows = conversationRows(page.conversations, context.now, context.sessionId);
      const omitted = Math.max(0, page.total - page.conversations.length);
      return { type: "rows", purpose, title: "Resume a conversation", rows, omitted };
    }
    case "model": {
      const { models } = await link.request("models", { sessionId: context.sessionId as ConversationId });
      return { type: "rows", purpose, title: "Choose a model", rows: modelRows(models), omitted: 0 };
    }
    case "input": {
      const { inputs, hasOlder } = await link.request("inputs", {
        sessionId: context.sessionId as ConversationId,
        limit: inputLimit,
      });
      const title = hasOlder ? "Earlier input, the newest of it" : "Earlier input";
      return { type: "rows", purpose, title, rows: inputRows(inputs, context.now), omitted: 0 };
    }
    default:
      return settingAction(link, purpose, context);
  }
}

async function settingAction(
  link: HostLink,
  purpose: Extract<PickerPurpose, { kind: "setting" | "setting-value" }>,
  { sessionId, now, isRefresh }: PickerContext,
): Promise<Action> {
  const { settings } = await link.request("settings", { sessionId: sessionId as ConversationId });
  if (purpose.kind === "setting")
    return { type: "rows", purpose, title: "Settings", rows: settingRows(settings), omitted: 0, isRefresh };
  const setting = settings.find(({ name }) => name === purpose.name);
  const rows = setting === undefined ? undefined : settingValueRows(setting);
  if (rows !== undefined) return { type: "rows", purpose, title: purpose.name, rows, omitted: 0 };
  const text =
    setting === undefined || setting.settable
      ? `Set it by /settings ${purpose.name} VALUE.`
      : `${setting.name} is fixed while a session runs (${setting.scope}, from ${setting.source}).`;
  return { type: "flash", level: "info", text, at: now };
}
