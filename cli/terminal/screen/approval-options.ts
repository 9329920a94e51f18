/** What can be answered to a request for permission. */
import type { PermissionAnswer, PermissionRequest } from "../../../orchestrator/contract/session.ts";

export type ApprovalOption = {
  readonly key: string;
  readonly text: string;
  readonly answer: PermissionAnswer;
};

const once: ApprovalOption = { key: "y", text: "allow once", answer: "allow-once" };
const session: ApprovalOption = { key: "a", text: "allow for this session", answer: "allow-session" };
const good: ApprovalOption = { key: "f", text: "allow for good", answer: "allow-always" };
const reject: ApprovalOption = { key: "n", text: "reject", answer: "deny" };

/** Commands can be allowed in every session, until the rules are cleared. */
export function approvalOptions({ kind }: PermissionRequest): readonly ApprovalOption[] {
  return kind === "command" ? [once, session, good, reject] : [once, session, reject];
}
