/** What dialogs ask of the session, and the actions that its answers are. A model's answer takes as long as it takes. */
import type { ConversationId } from "../../../orchestrator/contract/identifiers.ts";
import type { SavedCorrection } from "../../../orchestrator/contract/session.ts";
import type { HostLink } from "../link/host-link.ts";
import type { CorrectionAnswer } from "../screen/correction-dialog.ts";
import type { Action, Command } from "../screen/screen-state.ts";
import { codeOf, messageOf } from "./link-errors.ts";

export type Asking = {
  readonly link: HostLink | undefined;
  readonly sessionId: ConversationId;
  readonly dispatch: (action: Action) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** What a person chose about a condition. Never rejects: what goes wrong is shown. */
export async function chooseRestart(
  { requestId, choice }: Extract<Command, { type: "restart" }>,
  { link, sessionId, dispatch, now }: Asking,
): Promise<void> {
  const asked = choice.kind === "diagnose";
  try {
    const answer = await link?.request("restart", { sessionId, requestId, choice });
    if (asked) dispatch({ type: "diagnosed", requestId, diagnosis: answer?.diagnosis });
  } catch (error) {
    if (asked) dispatch({ type: "diagnosed", requestId, diagnosis: undefined });
    if (codeOf(error) !== "cancelled")
      dispatch({ type: "flash", level: "error", text: messageOf(error), at: now() });
  }
}

/** What the review of a correction wants. Never rejects: what goes wrong is shown. */
export async function correct(
  { request }: Extract<Command, { type: "correction" }>,
  { link, sessionId, dispatch, now }: Asking,
): Promise<void> {
  const answered = (answer: CorrectionAnswer): void => dispatch({ type: "correction", answer, at: now() });
  try {
    const answer = await link?.request("correction", { sessionId, action: request });
    if (answer?.proposal !== undefined) answered({ kind: "proposed", proposal: answer.proposal });
    if (answer?.saved === undefined) return;
    answered({ kind: "saved", saved: answer.saved });
    dispatch({ type: "invoked", invocation: { text: savedText(answer.saved) } });
  } catch (error) {
    if (codeOf(error) !== "cancelled")
      answered({ kind: "refused", code: codeOf(error), message: messageOf(error) });
  }
}

function savedText({ id, scope, path, replaced }: SavedCorrection): string {
  const where = scope === "global" ? "all workspaces" : "this workspace";
  return `${replaced ? "Replaced" : "Saved"} the correction ${id} for ${where}; it holds from the next request on.\n${path}`;
}
