/** Bounds of a session's views and lists. */
import { permissionRuleLimit, ruleCommandLimit } from "../permissions/permission-rules.ts";
import { targetCharacters } from "../prompt/prompt-operator.ts";
import { vaultEntryLimit } from "../contract/session/input.ts";
import { type Limit, topicLimits } from "../settings/limits/limit.ts";
import { candidateLimit } from "./catalog/completion.ts";
import { windowCharacters } from "./catalog/conversation-scheme.ts";
import { recalledCharacters, recalledInputLimit } from "./input/input-history.ts";
import { eventBatchLimit, eventLogCharacters, eventLogLimit } from "./event-log.ts";
import { approvalLimit } from "./permissions/permission-broker.ts";
import { titleLimit } from "./titles.ts";
import { jobReferenceLimit } from "./turns/compaction.ts";
import { idleHistoryCharacters, idlePromptTokens } from "./turns/idle-compaction.ts";
import { historyPageLimit } from "./view/history-pages.ts";
import { keptCharacters } from "./view/live-output.ts";

export const sessionLimits: readonly Limit[] = topicLimits("sessions", [
  ["events kept for clients that reconnect", eventLogLimit, "items"],
  ["events kept, together", eventLogCharacters, "characters"],
  ["events of one answer", eventBatchLimit, "items"],
  ["streamed text kept for clients that attach", keptCharacters, "characters"],
  ["records of one page of history", historyPageLimit, "items"],
  ["inputs of one page of recall", recalledInputLimit, "items"],
  ["texts of one page of recall", recalledCharacters, "characters"],
  ["window of a conversation", windowCharacters, "characters"],
  ["entries of the vault", vaultEntryLimit, "items"],
  ["jobs that a request of a compacted conversation names", jobReferenceLimit, "items"],
  ["candidates of a completion", candidateLimit, "items"],
  ["remembered approvals", approvalLimit, "items"],
  ["commands approved for good", permissionRuleLimit, "items"],
  ["one command approved for good", ruleCommandLimit, "characters"],
  ["prompt from which an idle session is compacted", idlePromptTokens, "tokens"],
  ["history from which an idle session is compacted", idleHistoryCharacters, "characters"],
  ["title", titleLimit, "characters"],
  ["name of a prompt's target", targetCharacters, "characters"],
]);
