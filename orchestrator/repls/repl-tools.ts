/** `lisp.start`, `stop`, `reset`, `repls`, `images`, `save-image`: the REPLs of an agent as such. */
import { z } from "zod";
import { type DataForm, printDataForm } from "../../lisp/data-forms/index.ts";
import { type ToolDeclaration, type ToolOutcome, declareTool } from "../contract/tool.ts";
import { universalTime } from "../record/conversation-record.ts";
import { properties, report, word } from "../tasks/report-form.ts";
import { replArgument, replPlace } from "./repl-call.ts";
import type { ReplSummary, Repls } from "./repls.ts";
import { type DescribedImage, imageNameSchema } from "./saved-images.ts";

const imageArgument = imageNameSchema.optional().describe("A saved image to begin with.");

export function replTools(repls: Repls): readonly ToolDeclaration[] {
  return [
    startTool(repls),
    resetTool(repls),
    stopTool(repls),
    listTool(repls),
    imagesTool(repls),
    saveImageTool(repls),
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
      await repls.start(replPlace(repl, context), image);
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
      // What it would begin with is there before what it has is given up.
      if (image !== undefined) await repls.saved.pathOf(image);
      const place = replPlace(repl, context);
      if (repls.list(place.agent).some(({ name }) => name === repl)) await repls.stop(place, "it was reset");
      await repls.start(place, image);
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

function imagesTool(repls: Repls): ToolDeclaration {
  return declareTool({
    name: "lisp.images",
    description: "Lists saved images, from which REPLs can be started.",
    arguments: z.strictObject({}),
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    execute: async () => ({
      status: "ok",
      content: printDataForm(report("lisp-images", { images: (await repls.saved.list()).map(imageForm) })),
    }),
  });
}

function saveImageTool(repls: Repls): ToolDeclaration {
  return declareTool({
    name: "lisp.save-image",
    description:
      "Saves the image of a named REPL, with all its definitions and data, under a name, in place of an earlier one of that name. lisp.start and lisp.reset begin with it.",
    arguments: z.strictObject({
      image: imageNameSchema,
      note: z.string().trim().min(1).max(2_000).describe("What it holds, for whoever starts from it."),
      repl: replArgument,
    }),
    effects: "local",
    concurrency: ({ repl }) => `repl:${repl}`,
    // What a child has made of an image must not come into a REPL with the primary's access to files.
    audience: "primary",
    execute: ({ image, note, repl }, context): Promise<ToolOutcome> =>
      repls.exclusively(replPlace(repl, context), context.signal, async (running) => ({
        status: "ok",
        content: printDataForm(
          report("lisp-image", { image: imageForm(await repls.saved.save(image, note, running.image)) }),
        ),
      })),
  });
}

function imageForm({ name, note, savedAtMs, objects, bytes }: DescribedImage): DataForm {
  return properties({ name, note, "saved-at": universalTime(savedAtMs), objects, bytes });
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
  image,
}: ReplSummary): ReturnType<typeof properties> {
  return properties({
    name,
    state: word(state),
    files: word(access),
    "started-at": universalTime(startedAt),
    evaluations,
    image,
  });
}
