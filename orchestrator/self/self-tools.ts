/** The tools `self.*`: an agent looks at and changes the image that it is operated in. */
import { z } from "zod";
import { AutolithError, failureOf } from "../contract/failure.ts";
import { type ToolContext, type ToolDeclaration, type ToolOutcome, declareTool } from "../contract/tool.ts";
import { commitTitleCharacters, definitionCharacterLimit } from "./mutation.ts";
import type { SelfModification } from "./self-modification.ts";
import { diffText, mutationLine, statusText } from "./self-text.ts";

export type SelfToolParts = {
  /** Asked at each call: the session is opened after its tools are declared. */
  readonly self: () => SelfModification | undefined;
  /** True when nothing may be changed: only looking is offered. */
  readonly immutable: boolean;
  /** True when the image starts without what was kept. */
  readonly pristine: boolean;
};

const source = z.string().trim().min(1).max(definitionCharacterLimit);
const packageName = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .default("AUTOLITH")
  .describe("Package that the text is read in.");
const restartArguments = {
  restart: z.string().min(1).max(128).optional().describe("A restart to take when a condition offers it."),
  "restart-value": z
    .string()
    .min(1)
    .max(8_000)
    .optional()
    .describe("A form whose value the restart is given."),
};
const mutationId = z.string().min(1).max(64).optional().describe("Which mutation; the newest when absent.");

export function selfTools(parts: SelfToolParts): readonly ToolDeclaration[] {
  return [...lookingTools(parts), ...(parts.immutable ? [] : changingTools(parts))];
}

function lookingTools({ self, pristine }: SelfToolParts): readonly ToolDeclaration[] {
  return [
    tool({
      name: "self.status",
      description:
        "Shows what was changed in the image that you are operated in: commit in force, mutations, skipped definitions.",
      arguments: z.strictObject({}),
      effects: "none",
      run: async (_args, here) =>
        statusText(await here.store.current(), await here.store.pending(), here.skipped, !pristine),
      self,
    }),
    tool({
      name: "self.diff",
      description: "Shows each mutation that is not committed: what was there, and what is there now.",
      arguments: z.strictObject({}),
      effects: "none",
      run: async (_args, here) => diffText(await here.store.pending()),
      self,
    }),
  ];
}

function changingTools({ self }: SelfToolParts): readonly ToolDeclaration[] {
  return [
    tool({
      name: "self.eval",
      description:
        "Evaluates a form in the image that you are operated in. Definitions made so are not kept; self.redefine keeps them.",
      arguments: z.strictObject({ form: source, ...restartArguments }),
      run: ({ form, ...rest }, here, { signal }) => here.evaluate(form, "AUTOLITH", restartOf(rest), signal),
      self,
    }),
    ...["self.redefine", "self.define"].map((name) =>
      tool({
        name,
        description:
          "Installs one definition (DEFUN, DEFMETHOD, DEFCLASS …), new or replacing, in the image that you are operated in, and keeps it for self.commit.",
        arguments: z.strictObject({ definition: source, package: packageName, ...restartArguments }),
        run: async ({ definition, package: place, ...rest }, here, { signal }) =>
          `Installed ${mutationLine(await here.redefine(definition, place, restartOf(rest), signal))}.`,
        self,
      }),
    ),
    tool({
      name: "self.set",
      description: "Gives a global variable the value of a form, and keeps that for self.commit.",
      arguments: z.strictObject({
        symbol: z.string().trim().min(1).max(256),
        value: source,
        package: packageName,
        ...restartArguments,
      }),
      run: async ({ symbol, value, package: place, ...rest }, here, { signal }) =>
        `Set ${mutationLine(await here.set(symbol, value, place, restartOf(rest), signal))}.`,
      self,
    }),
    tool({
      name: "self.persist-definition",
      description: "Keeps a definition for self.commit that the image has already; it is not evaluated now.",
      arguments: z.strictObject({ definition: source, package: packageName }),
      run: async ({ definition, package: place }, here) =>
        `Kept ${mutationLine(await here.persist(definition, place))}.`,
      self,
    }),
    tool({
      name: "self.discard",
      description: "Puts back what a mutation replaced, and forgets the mutation.",
      arguments: z.strictObject({ mutation: mutationId }),
      run: async ({ mutation: id }, here) => {
        const { mutation, isRestored } = await here.discard(id);
        return isRestored
          ? `Discarded ${mutationLine(mutation)}; what was there before is there again.`
          : `Discarded ${mutationLine(mutation)}; this image keeps its effect until it ends, because what was there before is not known here.`;
      },
      self,
    }),
    tool({
      name: "self.exercise",
      description: "Evaluates a form that tries a mutation, and keeps what came of it with the mutation.",
      arguments: z.strictObject({ form: source, mutation: mutationId }),
      run: ({ form, mutation }, here, { signal }) => here.exercise(form, mutation, "AUTOLITH", signal),
      self,
    }),
    tool({
      name: "self.commit",
      description: "Publishes the mutations: images that start from now on have them.",
      arguments: z.strictObject({ title: z.string().trim().min(1).max(commitTitleCharacters) }),
      run: async ({ title }, here) => {
        const { id, definitions } = await here.commit(title);
        return `Image commit ${id} with ${definitions.length} definition(s) is in force for images that start from now on.`;
      },
      self,
    }),
  ];
}

function restartOf(args: {
  readonly restart?: string | undefined;
  readonly "restart-value"?: string | undefined;
}): {
  readonly name: string | undefined;
  readonly value: string | undefined;
} {
  return { name: args.restart, value: args["restart-value"] };
}

/** A tool of this kind: exclusive when it changes something, and then only by an approval where the session asks for approvals. */
function tool<Schema extends z.ZodType>({
  run,
  self,
  effects = "local",
  ...declaration
}: {
  readonly name: string;
  readonly description: string;
  readonly arguments: Schema;
  readonly effects?: "none" | "local";
  readonly run: (args: z.infer<Schema>, here: SelfModification, context: ToolContext) => Promise<string>;
  readonly self: SelfToolParts["self"];
}): ToolDeclaration {
  return declareTool({
    ...declaration,
    effects,
    concurrency: effects === "none" ? "parallel" : "exclusive",
    audience: "primary",
    execute: async (args, context): Promise<ToolOutcome> => {
      try {
        const here = self();
        if (here === undefined) throw new AutolithError("session-closed", "The session is not open.");
        if (effects !== "none") await requireApproval(declaration.name, args, context);
        return { status: "ok", content: await run(args, here, context) };
      } catch (error) {
        const { code, message } = failureOf(error);
        return { status: "error", code, content: message };
      }
    },
  });
}

/** The image has the person's own privileges: what changes it is asked for like any tool that does. A person who calls it has decided. */
async function requireApproval(
  name: string,
  args: unknown,
  { authority, callId, caller, signal }: ToolContext,
): Promise<void> {
  if (caller.position === "user") return;
  const decision = await authority.decideExternalTool(
    { tool: name, arguments: args, callId, caller },
    signal,
  );
  if (decision.kind === "denied") throw new AutolithError(decision.code, decision.reason);
}
