/** What the last request carried besides the conversation, for people. Pure. */
import type { AdviceStatus } from "./advice-board.ts";
import type { LeftOutReason } from "./selection.ts";
import { adviceCharacterBudget } from "./contribution.ts";

/** One line a text or note; empty before the first request and when nothing was carried. */
export function adviceStatusText({ last }: AdviceStatus): string {
  if (last === undefined) return "";
  const anchored = last.anchored.map(({ name, characters }) => `${name}: ${characters} characters`);
  const given = last.given.map(
    ({ identifier, source, lifetime, priority, instruction }) =>
      `note ${identifier} (${source}, ${lifetime}, priority ${priority}): ${instruction.length} characters`,
  );
  const leftOut = last.leftOut.map(
    ({ contribution, reason }) =>
      `left out ${contribution.identifier} (${contribution.source}): ${reasonText(reason)}`,
  );
  const lines = [...anchored, ...given, ...leftOut];
  if (lines.length === 0) return "";
  return [
    `The last request carried besides the conversation (notes ${last.characters} of ${adviceCharacterBudget} characters):`,
    ...lines,
  ].join("\n");
}

function reasonText(reason: LeftOutReason): string {
  switch (reason.kind) {
    case "budget":
      return `its ${reason.characters} characters do not fit the budget`;
    case "replaced":
      return `another note of its name was given by ${reason.by}`;
    case "duplicate":
      return `it says the same as ${reason.by}`;
    case "superseded":
      return `${reason.by} replaces it`;
    case "conflict":
      return `it conflicts with ${reason.by}`;
  }
}
