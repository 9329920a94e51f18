/** `lisp.start`, `stop`, `reset`, `repls`, `images`, `save-image`: the REPLs of an agent as such. */
import { z } from "zod";
import { printDataForm } from "../../lisp/data-forms/index.ts";
import { AutolithError } from "../contract/failure.ts";
import { type ToolDeclaration, type ToolOutcome, declareTool } from "../contract/tool.ts";
import { universalTime } from "../record/conversation-record.ts";
import { properties, report, word } from "../tasks/report-form.ts";
import { replArgument, replPlace } from "./repl-call.ts";
import type { ReplSummary, Repls } from "./repls.ts";

const imageArgument = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/)
  .optional()
  .describe("A saved image to begin with.");

export function replTools(repls: Repls): readonly ToolDeclaration[] {
  return [
    startTool(repls),
    resetTool(repls),
    stopTool(repls),
    listTool(repls),
    imagesTool(),
    saveImageTool(),
  ];
}

function startTool(repls: Repls): ToolDeclaration {
  return declareTool({
    name: "lisp.start",
    description: "Starts a named REPL. lisp.eval does so by itself; this one refuses a name that is in use.",
    arguments: z.strictObject({ repl: replArgument, image: imageArgument }),
    effects: "local",
    concurrency: ({ repl }) => `repl:${repl}`,
    audience: "all",
    execute: async ({ repl, image }, context) => {
      refuseImage(image);
      await repls.start(replPlace(repl, context));
      return shown(repl, repls.list(context.caller.conversationId));
    },
  });
}

function resetTool(repls: Repls): ToolDeclaration {
  return declareTool({
    name: "lisp.reset",
    description: "Starts a named REPL anew: what it evaluates is lost and its definitions are gone.",
    arguments: z.strictObject({ repl: replArgument, image: imageArgument }),
    effects: "local",
    concurrency: ({ repl }) => `repl:${repl}`,
    audience: "all",
    execute: async ({ repl, image }, context) => {
      refuseImage(image);
      const place = replPlace(repl, context);
      if (repls.list(place.agent).some(({ name }) => name === repl)) await repls.stop(place, "it was reset");
      await repls.start(place);
      return shown(repl, repls.list(place.agent));
    },
  });
}

function stopTool(repls: Repls): ToolDeclaration {
  return declareTool({
    name: "lisp.stop",
    description: "Ends a named REPL: what it evaluates is lost and its definitions are gone.",
    arguments: z.strictObject({ repl: replArgument }),
    effects: "local",
    concurrency: ({ repl }) => `repl:${repl}`,
    audience: "all",
    execute: async ({ repl }, context): Promise<ToolOutcome> => {
      await repls.stop(replPlace(repl, context));
      return { status: "ok", content: `REPL ${repl} was ended.` };
    },
  });
}

function listTool(repls: Repls): ToolDeclaration {
  return declareTool({
    name: "lisp.repls",
    description: "Lists your running REPLs.",
    arguments: z.strictObject({}),
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    execute: (_args, { caller }) =>
      Promise.resolve({
        status: "ok",
        content: printDataForm(
          report("lisp-repls", { repls: repls.list(caller.conversationId).map(replForm) }),
        ),
      }),
  });
}

function imagesTool(): ToolDeclaration {
  return declareTool({
    name: "lisp.images",
    description: "Lists saved images, from which REPLs can be started.",
    arguments: z.strictObject({}),
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    execute: () =>
      Promise.resolve({ status: "ok", content: printDataForm(report("lisp-images", { images: [] })) }),
  });
}

function saveImageTool(): ToolDeclaration {
  return declareTool({
    name: "lisp.save-image",
    description: "Saves the image of a named REPL under a name, with a note for whoever starts from it.",
    arguments: z.strictObject({
      image: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
      note: z.string().trim().min(1).max(2_000),
      repl: replArgument,
    }),
    effects: "local",
    concurrency: ({ repl }) => `repl:${repl}`,
    audience: "primary",
    execute: () => Promise.reject(notYetSaved()),
  });
}

function refuseImage(image: string | undefined): void {
  if (image !== undefined) throw notYetSaved();
}

function notYetSaved(): AutolithError {
  return new AutolithError(
    "images-not-saved",
    "Images cannot be saved yet in this version, so no REPL can be started from one. Keep definitions in a file; lisp.scratchpad-run loads it.",
  );
}

function shown(name: string, list: readonly ReplSummary[]): ToolOutcome {
  const form = list.filter((each) => each.name === name).map(replForm);
  return { status: "ok", content: printDataForm(report("lisp-repl", { repl: form[0] })) };
}

function replForm({
  name,
  state,
  access,
  startedAt,
  evaluations,
}: ReplSummary): ReturnType<typeof properties> {
  return properties({
    name,
    state: word(state),
    files: word(access),
    "started-at": universalTime(startedAt),
    evaluations,
  });
}
