/** Bounds of what the terminal takes and shows. */
import { topicLimits } from "../../orchestrator/settings/limits/limit.ts";
import { recallLimit } from "./composer/composer.ts";
import { conversationLimit, inputLimit } from "./edge/picker-requests.ts";
import { blockCharacterLimit, openLineLimit } from "./markdown/stream-blocks.ts";
import { viewedUpdateLimit } from "./screen/history-viewer.ts";
import { automaticLineLimit, automaticRowLimit, userLineLimit } from "./transcript/entry-lines.ts";
import { diffLineLimit, outputLineCharacters } from "./transcript/tool-lines.ts";
import { liveEntryLimit } from "./transcript/transcript.ts";

export const terminalLimits = topicLimits("terminal", [
  ["inputs kept for recall", recallLimit, "items"],
  ["entries that still change", liveEntryLimit, "items"],
  ["updates of earlier messages that are looked at", viewedUpdateLimit, "items"],
  ["lines shown of a user message", userLineLimit, "items"],
  ["lines shown of an automatic message", automaticLineLimit, "items"],
  ["rows of one of its lines", automaticRowLimit, "items"],
  ["earlier inputs that the picker lists", inputLimit, "items"],
  ["conversations that the picker lists", conversationLimit, "items"],
  ["earlier inputs that the search lists", inputLimit, "items"],
  ["lines shown of a difference", diffLineLimit, "items"],
  ["characters shown of an output line", outputLineCharacters, "characters"],
  ["text of a paragraph before it is cut", blockCharacterLimit, "characters"],
  ["open lines of code that stay together", openLineLimit, "items"],
]);
