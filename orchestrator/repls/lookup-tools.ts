/** `lisp.describe`, `lisp.source`, `lisp.apropos`: looking things up. They wait for no evaluation. */
import { z } from "zod";
import { AutolithError } from "../contract/failure.ts";
import type { LispDefinition, LispImage, LispResult } from "../contract/lisp-image.ts";
import { type ToolContext, type ToolDeclaration, type ToolOutcome, declareTool } from "../contract/tool.ts";
import { reportLimit } from "../tasks/report-form.ts";
import { designatorSchema, lispString, replArgument, replPlace } from "./repl-call.ts";
import { replLimits } from "./repl-limits.ts";
import type { Repls } from "./repls.ts";

export type LookupToolParts = {
  readonly repls: Repls;
  /** The image before the person; undefined where there is none. */
  readonly activeImage: () => Promise<LispImage> | undefined;
};

const target = z
  .enum(["worker", "self"])
  .default("worker")
  .describe("worker: your REPL. self: the image before the person.");

const where = { target, repl: replArgument };

export function lookupTools(parts: LookupToolParts): readonly ToolDeclaration[] {
  return [describeTool(parts), sourceTool(parts), aproposTool(parts)];
}

function describeTool(parts: LookupToolParts): ToolDeclaration {
  return declareTool({
    name: "lisp.describe",
    description:
      "Describes what a symbol names in Lisp: function with its arguments, variable, class, documentation.",
    arguments: z.strictObject({
      designator: designatorSchema.describe("A symbol, with its package where needed, such as cl:mapcar."),
      ...where,
    }),
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    resultLimit: reportLimit,
    execute: async (args, context) => {
      const image = await imageOf(args, context, parts);
      await checkObject(args.designator, image);
      return lookedUp(image, `(describe (quote ${args.designator}\n))`, context);
    },
  });
}

function aproposTool(parts: LookupToolParts): ToolDeclaration {
  return declareTool({
    name: "lisp.apropos",
    description: "Lists the symbols of a Lisp image whose names contain a text, and what they name.",
    arguments: z.strictObject({
      query: z.string().trim().min(1).max(128),
      package: z.string().trim().min(1).max(128).optional().describe("Only symbols that this package knows."),
      ...where,
    }),
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    resultLimit: reportLimit,
    execute: async (args, context) => {
      const image = await imageOf(args, context, parts);
      const name = args.package === undefined ? "" : ` ${lispString(args.package.toUpperCase())}`;
      return lookedUp(image, `(progn (apropos ${lispString(args.query)}${name}) (values))`, context);
    },
  });
}

function sourceTool(parts: LookupToolParts): ToolDeclaration {
  return declareTool({
    name: "lisp.source",
    description: "Shows the source of a definition that was made in a Lisp image, and where it was read.",
    arguments: z.strictObject({
      name: designatorSchema.describe("What was defined, such as my-package::helper."),
      kind: z.string().trim().min(1).max(32).optional().describe("Such as function, macro, class, method."),
      package: z.string().trim().min(1).max(128).optional(),
      system: z
        .string()
        .trim()
        .min(1)
        .max(256)
        .optional()
        .describe("Only definitions from files of this system."),
      ...where,
    }),
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    resultLimit: reportLimit,
    execute: async (args, context): Promise<ToolOutcome> => {
      const image = await imageOf(args, context, parts);
      const found = (await image.journal()).filter((entry) => isMeant(entry, args));
      if (found.length > 0) return { status: "ok", content: found.map(definitionText).join("\n\n") };
      const described = await image.describe(args.name);
      if (described === null)
        throw new AutolithError(
          "unknown-definition",
          `${args.name} names no definition in this image. lisp.apropos finds names.`,
        );
      const { location, documentation } = described;
      const place =
        location === null
          ? `${args.name} is built in; its source is not kept.`
          : `${args.name} was defined at ${location.file}:${location.line}:${location.column}; its source is not kept.`;
      return { status: "ok", content: documentation === null ? place : `${place}\n${documentation}` };
    },
  });
}

type Meant = {
  readonly name: string;
  readonly kind?: string | undefined;
  readonly package?: string | undefined;
  readonly system?: string | undefined;
};

/** Names are compared without case; a package only where both say one. */
function isMeant(entry: LispDefinition, wanted: Meant): boolean {
  const [asked, askedPackage = wanted.package] = parted(wanted.name);
  const [name, owner] = parted(entry.name);
  if (name !== asked) return false;
  if (owner !== undefined && askedPackage !== undefined && owner !== askedPackage.toUpperCase()) return false;
  if (wanted.kind !== undefined && !entry.kind.toLowerCase().includes(wanted.kind.toLowerCase()))
    return false;
  return wanted.system === undefined || (entry.file ?? "").includes(wanted.system);
}

function parted(name: string): readonly [name: string, packageName: string | undefined] {
  const parts = /^(?:([^:()\s]+)::?)?(.*)$/s.exec(name.trim().toUpperCase());
  return [parts?.[2] ?? name, parts?.[1]];
}

function definitionText({ kind, name, source, file }: LispDefinition): string {
  const place = file === null ? "" : ` from ${file}`;
  return `;; ${kind.toLowerCase()} ${name}${place}\n${source}`;
}

async function imageOf(
  { target: wanted, repl }: { readonly target: "worker" | "self"; readonly repl: string },
  context: ToolContext,
  parts: LookupToolParts,
): Promise<LispImage> {
  if (wanted === "worker") return (await parts.repls.running(replPlace(repl, context))).image;
  if (context.caller.kind === "child")
    throw new AutolithError(
      "not-allowed",
      "target self is for the primary; use a REPL of yours (target worker).",
    );
  const active = parts.activeImage();
  if (active !== undefined) return active;
  throw new AutolithError(
    "no-active-image",
    "There is no image before a person here (target self); use a REPL of yours (target worker).",
  );
}

async function checkObject(text: string, image: LispImage): Promise<void> {
  const { kind } = await image.probe(text);
  if (kind === "complete") return;
  throw new AutolithError(
    "invalid-arguments",
    `${JSON.stringify(text.slice(0, 80))} is no Lisp object: ${kind}.`,
  );
}

async function lookedUp(image: LispImage, form: string, context: ToolContext): Promise<ToolOutcome> {
  let text = "";
  const result = await image.evaluate(form, {
    signal: AbortSignal.any([context.signal, AbortSignal.timeout(replLimits.lookupMs)]),
    outputLimit: reportLimit,
    onOutput: (_stream, part) => (text += part),
  });
  if (result.kind === "values") {
    const more = result.droppedOutput === 0 ? "" : `\n[${result.droppedOutput} more characters]`;
    return { status: "ok", content: `${text.trim()}${more}` || "Nothing." };
  }
  const { code, reason } = lookupFailure(result);
  return { status: "error", code, content: reason };
}

function lookupFailure(result: Exclude<LispResult, { kind: "values" }>): { code: string; reason: string } {
  switch (result.kind) {
    case "failed":
      return { code: "lisp-condition", reason: result.condition?.text ?? result.reason };
    case "cancelled":
      return {
        code: "cancelled",
        reason: `The look-up was stopped; it may take ${replLimits.lookupMs / 1_000} s.`,
      };
    case "quit":
      return { code: "image-ended", reason: "The look-up ended the image." };
    case "lost":
      return { code: "image-lost", reason: `The image ended: ${result.reason}` };
  }
}
