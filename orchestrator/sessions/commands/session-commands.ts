/** Commands about conversations, permissions, jobs, waiting input and the session itself. */
import { adviceStatusText } from "../../advice/status-text.ts";
import { repairRequest } from "../../self/self-text.ts";
import { skillListing } from "../../skills/skill-listing.ts";
import { AutolithError, boundedMessage } from "../../contract/failure.ts";
import type { ConversationId } from "../../contract/identifiers.ts";
import { permissionModeSchema } from "../../contract/permissions.ts";
import type { Invocation, SessionState } from "../../contract/session/catalogs.ts";
import type { UsageCounters } from "../../contract/session/updates.ts";
import { displayConversationId, parseConversationId } from "../../record/conversation-id.ts";
import { isOverThreshold } from "../turns/compaction.ts";
import { entryText } from "../input/pending-inputs.ts";
import type { Command, CommandContext } from "./command.ts";
import { said } from "./command.ts";
import { editedVault } from "./vault-text.ts";

/** Conversations that a listing shows. */
const listedConversations = 20;

function conversationId(text: string): ConversationId {
  const id = parseConversationId(text.replace(/^"(.*)"$/, "$1"));
  if (id !== undefined && displayConversationId(id) !== id) return id;
  throw new AutolithError(
    "invalid-argument",
    `${JSON.stringify(text.slice(0, 80))} is no conversation id; /conversations lists them.`,
  );
}

export const sessionCommands: readonly Command[] = [
  {
    name: "new",
    busy: "hold",
    topic: "conversations",
    summary: "Starts a new conversation in this directory.",
    arguments: "",
    maxWords: 0,
    run: async (_, { core, openNew }) => {
      const id = await openNew(core.workingDirectory);
      return { text: `New conversation ${displayConversationId(id)}.`, switchedTo: id };
    },
  },
  {
    name: "resume",
    busy: "hold",
    topic: "conversations",
    summary: "Goes on with an earlier conversation.",
    arguments: "[ID]",
    terminalWithoutArguments: true,
    maxWords: 1,
    run: async (input, { openExisting }) => {
      if (input === "") return { text: "Choose a conversation.", clientAction: "pick-conversation" };
      const id = await openExisting(conversationId(input));
      return { text: `Conversation ${displayConversationId(id)}.`, switchedTo: id };
    },
  },
  {
    name: "fork",
    busy: "hold",
    topic: "conversations",
    summary: "Goes on with a copy of this conversation, or of another one.",
    arguments: "[ID]",
    maxWords: 1,
    run: async (input, { core, fork }) => {
      const id = await fork(input === "" ? core.id : conversationId(input));
      return { text: `Conversation ${displayConversationId(id)}, a copy.`, switchedTo: id };
    },
  },
  {
    name: "conversations",
    busy: "inspect",
    topic: "conversations",
    summary: "Lists the latest conversations.",
    arguments: "",
    maxWords: 0,
    run: async (_, { conversations }) => {
      const page = await conversations({ limit: listedConversations });
      const lines = page.conversations.map(
        ({ sessionId, title, preview, lastActivityAt, workingDirectory }) =>
          `${displayConversationId(sessionId)}  ${new Date(lastActivityAt).toISOString().slice(0, 16)}  ${title || preview || "(no title)"}  ${workingDirectory}`,
      );
      return said(
        lines.length === 0 ? "There are no conversations." : `${lines.join("\n")}\n${page.total} in all`,
      );
    },
  },
  {
    name: "history",
    busy: "hold",
    topic: "conversations",
    summary: "Lists the inputs of this conversation.",
    arguments: "",
    maxWords: 0,
    run: async (_, { session }) => {
      const { inputs, hasOlder } = await session.inputHistory({ limit: 200 });
      const lines = inputs.map(
        ({ seq, text }) => `${seq}  ${boundedMessage(text.replaceAll(/\s+/g, " "), 160)}`,
      );
      if (lines.length === 0) return said("There are no inputs yet.");
      return said([...(hasOlder ? ["… older ones are left out"] : []), ...lines].join("\n"));
    },
  },
  {
    name: "cwd",
    busy: "apply",
    topic: "session",
    summary: "Shows or changes the working directory.",
    arguments: "[PATH]",
    run: async (input, { core, changeDirectory }) =>
      said(input === "" ? core.workingDirectory : await changeDirectory(input)),
  },
  {
    name: "permissions",
    busy: "apply",
    topic: "permissions",
    summary: "Shows or changes how commands are permitted, lists or clears approvals.",
    arguments: "[ask|auto|sandbox|full|list|clear]",
    maxWords: 1,
    run: async (input, context) => {
      const { core, session } = context;
      const { permissionRules } = core.environment;
      const word = input.replace(/^:/, "").toLowerCase();
      if (word === "list") return said(await approvalListing(context));
      if (word === "clear") {
        context.clearApprovals();
        const rules = await permissionRules.clear();
        return said(`All approvals are gone, ${rules} of them durable. permission mode ${core.mode}`);
      }
      if (word !== "") {
        const mode = permissionModeSchema.safeParse(word);
        if (!mode.success)
          throw new AutolithError(
            "invalid-argument",
            `permissions takes ask, auto, sandbox, full, list or clear, not ${JSON.stringify(word.slice(0, 40))}.`,
          );
        await session.setMode(mode.data);
      }
      const rules = await permissionRules.list();
      return said(
        `permission mode ${core.mode}; ${context.approvals().length} approval(s) for this session, ${rules.length} durable`,
      );
    },
  },
  {
    name: "info",
    aliases: ["status", "usage"],
    busy: "inspect",
    topic: "session",
    summary: "Shows conversation, model, permissions, usage and jobs.",
    arguments: "",
    maxWords: 0,
    run: (_, { session, core }) => {
      const state = session.state();
      return Promise.resolve(
        said(
          [
            `conversation  ${displayConversationId(state.sessionId)}  ${state.title}`,
            `directory     ${state.workingDirectory}`,
            `model         ${state.model} (effort ${state.reasoningEffort})`,
            `permissions   ${state.mode}`,
            `turn          ${state.turn.state}${state.paused ? ", waiting input is paused" : ""}`,
            `context       ${contextText(state)}`,
            `usage         ${usageText(state.usage)}`,
            `jobs          ${state.jobs.live} live of ${state.jobs.total}`,
            `waiting       ${state.pendingInputs.length} input(s), ${state.vaultEntries} in the vault`,
            `records       ${core.log.lastSeq}`,
          ].join("\n"),
        ),
      );
    },
  },
  {
    name: "context",
    busy: "inspect",
    topic: "model",
    summary: "Shows how full the context is, and what the last request carried besides the conversation.",
    arguments: "",
    maxWords: 0,
    run: (_, { session, core }) => {
      const state = session.state();
      const { contextTokens, contextWindow, compactionThresholdPercent: percent } = state;
      const full = contextTokens !== null && isOverThreshold(contextTokens, contextWindow, percent);
      const fill = `${contextText(state)}; compaction at ${percent} % (${Math.floor((contextWindow * percent) / 100)})${full ? ", before the next request" : ""}`;
      const carried = adviceStatusText(core.advice.status());
      return Promise.resolve(said(carried === "" ? fill : `${fill}\n${carried}`));
    },
  },
  {
    name: "fix-skipped-definitions",
    busy: "hold",
    topic: "session",
    summary: "Asks the model to repair the definitions of the image that were not replayed.",
    arguments: "[COMMENT]",
    run: async (input, { session, skippedDefinitions }) => {
      const skipped = skippedDefinitions();
      if (skipped.length === 0) return said("No definition of the image was skipped.");
      const comment = input.replace(/^"([\s\S]*)"$/, "$1");
      await session.queue({ parts: [{ type: "text", text: repairRequest(skipped, comment) }] });
      return said(`The model is asked about ${skipped.length} definition(s).`);
    },
  },
  {
    name: "skills",
    busy: "inspect",
    topic: "session",
    summary: "Lists the skills that the model can take up, and what is wrong with others.",
    arguments: "",
    maxWords: 0,
    run: async (_, { core }) =>
      said(await skillListing(await core.skills.scanAgain(), core.environment.lisp.skills.verifications)),
  },
  {
    name: "compact",
    busy: "hold",
    topic: "model",
    summary: "Replaces the history that the model is sent by a summary, now.",
    arguments: "",
    maxWords: 0,
    run: async (_, { compact }) => said(await compact()),
  },
  {
    name: "vault",
    busy: "inspect",
    topic: "input",
    summary: "Says what is in the recovery input vault.",
    arguments: "",
    maxWords: 0,
    run: (_, { session }) => {
      const count = session.vaultContents().length;
      return Promise.resolve(said(inVault(count)));
    },
  },
  {
    name: "vault-store",
    busy: "execute",
    topic: "input",
    summary: "Moves waiting input into the vault.",
    arguments: "",
    maxWords: 0,
    run: async (_, { session }) => said(inVault(await session.vaultStore())),
  },
  {
    name: "vault-contents",
    busy: "execute",
    topic: "input",
    summary: "Shows the vault's entries in the order of restoration, or replaces one or all of them.",
    arguments: "[INDEX ENTRY | (ENTRY ...) | nil]",
    run: async (input, { session }) => {
      if (input !== "") await session.setVaultContents(editedVault(input, session.vaultContents()));
      const lines = session
        .vaultContents()
        .map((entry, index) => `${index}  ${entry.type}  ${boundedMessage(entryText(entry), 500)}`);
      return said(lines.join("\n") || "The vault is empty.");
    },
  },
  {
    name: "vault-restore",
    busy: "hold",
    topic: "input",
    summary: "Puts the vault's entries in front of the queue.",
    arguments: "",
    maxWords: 0,
    run: async (_, { session }) => restored(await session.vaultRestore()),
  },
  {
    name: "detach",
    busy: "execute",
    topic: "session",
    summary: "Leaves this front end; the session goes on.",
    arguments: "",
    maxWords: 0,
    run: () => Promise.resolve({ text: "Detached.", clientAction: "detach" }),
  },
  {
    name: "quit",
    aliases: ["exit"],
    busy: "cancel",
    topic: "session",
    summary: "Ends the turn and leaves.",
    arguments: "",
    maxWords: 0,
    run: async (_, { stop }) => {
      await stop();
      return { text: "Goodbye.", clientAction: "quit" };
    },
  },
  {
    name: "help",
    busy: "execute",
    topic: "help",
    summary: "Explains commands and topics.",
    arguments: "[TOPIC or COMMAND]",
    maxWords: 1,
    run: (input, { help }) => Promise.resolve(said(help(input))),
  },
];

function inVault(count: number): string {
  if (count === 0) return "The vault is empty.";
  return count === 1 ? "1 entry is in the vault." : `${count} entries are in the vault.`;
}

function restored(count: number): Invocation {
  return said(count === 1 ? "1 entry was restored." : `${count} entries were restored.`);
}

async function approvalListing({ core, approvals }: CommandContext): Promise<string> {
  const rules = await core.environment.permissionRules.list();
  const lines = [
    ...approvals().map((approval) => `session  ${approval}`),
    ...rules.map(({ command, directory }) => `durable  ${directory}  ${command}`),
  ];
  return lines.length === 0 ? "Nothing is approved." : lines.join("\n");
}

function contextText({ contextTokens, contextEstimated, contextWindow }: SessionState): string {
  if (contextTokens === null) return `unknown of ${contextWindow} tokens`;
  const part = Math.round((contextTokens * 100) / contextWindow);
  return `${contextEstimated ? "~" : ""}${contextTokens} of ${contextWindow} tokens (${part} %)`;
}

function usageText({ inputTokens, cachedInputTokens, outputTokens, requests }: UsageCounters): string {
  const count = (value: number | null): string => (value === null ? "unknown" : String(value));
  return `${requests} request(s), ${count(inputTokens)} input (${count(cachedInputTokens)} cached), ${count(outputTokens)} output tokens`;
}
