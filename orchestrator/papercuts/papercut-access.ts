/** How models reach papercuts: the tool `papercut.report` and the scheme `papercut:` (read only). */
import { z } from "zod";
import { type ToolDeclaration, declareTool } from "../contract/tool.ts";
import { ResourceError, type ResourceScheme, refuseOthers } from "../resources/resource-scheme.ts";
import { type Papercut, papercutContentLimit, papercutTitleLimit } from "./papercut.ts";
import type { PapercutStore } from "./papercut-store.ts";

export function papercutTool(store: PapercutStore): ToolDeclaration {
  return declareTool({
    name: "papercut.report",
    description:
      "Reports a concrete defect or repeated friction of this harness or its tools, with what you did, expected and saw. Not for bugs of the project you work on.",
    arguments: z.strictObject({
      title: z.string().trim().min(1).max(papercutTitleLimit),
      content: z.string().trim().min(1).max(papercutContentLimit),
    }),
    effects: "local",
    concurrency: () => "papercuts",
    audience: "all",
    execute: async ({ title, content }, { workspace, caller }) => {
      const { papercut, repeated } = await store.report({
        title,
        content,
        workspace,
        conversationId: caller.rootConversationId,
      });
      return {
        status: "ok",
        content: repeated
          ? `Known already as papercut ${papercut.id}: ${papercut.title}. Nothing was added.`
          : `Recorded as papercut ${papercut.id}.`,
        details: { papercut: papercut.id, repeated },
      };
    },
  });
}

export function papercutScheme(store: PapercutStore): ResourceScheme {
  return {
    scheme: "papercut",
    read: async (request, { workspace }) => {
      refuseOthers(request, []);
      const name = request.uri.slice("papercut:".length);
      if (name === "current")
        return { status: "ok", content: papercutListing(await store.active(workspace)) };
      if (name.startsWith("id/"))
        return {
          status: "ok",
          content: papercutText(await store.find(workspace, decodeURIComponent(name.slice(3)))),
        };
      throw new ResourceError("malformed-uri", "Papercuts are papercut:current and papercut:id/ID.");
    },
  };
}

export function papercutListing(papercuts: readonly Papercut[]): string {
  if (papercuts.length === 0) return "There are no active papercuts of this workspace.";
  return papercuts.map(({ id, title, reportedAt }) => `${id}  ${dateOf(reportedAt)}  ${title}`).join("\n");
}

export function papercutText({ id, title, content, reportedAt, conversationId }: Papercut): string {
  return `${id}  ${title}\n${dateOf(reportedAt)}, conversation ${conversationId}\n\n${content}`;
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}
