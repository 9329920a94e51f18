/** `resource.read` and `resource.edit` over the schemes that a host has. */
import { z } from "zod";
import { type ToolContext, type ToolDeclaration, type ToolOutcome, declareTool } from "../contract/tool.ts";
import {
  ResourceError,
  type ResourceScheme,
  resourceReadSchema,
  resourceUriSchema,
} from "./resource-scheme.ts";

/** Characters of a read that a model sees at once; schemes shorten their windows to fit. */
export const resourceResultLimit = 32_000;

/** Most operations of one edit. */
export const operationLimit = 256;

/** The tools. At least one scheme must be given; scheme names are unique. */
export function resourceTools(schemes: readonly ResourceScheme[]): readonly ToolDeclaration[] {
  const byName = new Map(schemes.map((scheme) => [scheme.scheme, scheme]));
  const editable = schemes.filter((scheme) => scheme.editing !== undefined);
  return editable.length === 0 ? [readTool(byName)] : [readTool(byName), editTool(byName, editable)];
}

type Schemes = ReadonlyMap<string, ResourceScheme>;

function readTool(schemes: Schemes): ToolDeclaration {
  return declareTool({
    name: "resource.read",
    description:
      `Reads a resource: a file or directory (workspace:PATH, file:///PATH) or another resource by its URI (${names(schemes)}). ` +
      "A text file is shown as LINE:ANCHOR|TEXT with its revision; resource.edit needs that revision and accepts the anchors. " +
      "A file that does not exist has the revision absent. With query only the places where a text occurs are shown.",
    arguments: resourceReadSchema,
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    resultLimit: resourceResultLimit,
    execute: async (args, context) => await schemeOf(args.uri, schemes).read(args, context),
  });
}

function editTool(schemes: Schemes, editable: readonly ResourceScheme[]): ToolDeclaration {
  // Schemes that name the same things share their operations, which are shown once.
  const operations = [
    ...new Set(editable.flatMap(({ editing }) => (editing === undefined ? [] : [editing.operation]))),
  ];
  const [first, ...others] = operations;
  const operation =
    first === undefined || others.length === 0 ? (first ?? z.unknown()) : z.union([first, ...others]);
  const schema = z.strictObject({
    uri: resourceUriSchema,
    "base-revision": z
      .string()
      .min(1)
      .max(128)
      .describe("The revision that resource.read showed, or absent for a new file."),
    operations: z.array(operation).min(1).max(operationLimit),
  });
  return declareTool({
    name: "resource.edit",
    description:
      "Changes a resource against the exact revision that was read; an edit of anything else is refused and shows what is there now. " +
      "All line numbers are those of that revision, also with several operations in one call; lines that are not named stay byte for byte. " +
      "A new file: base-revision absent and one replace-empty operation.",
    arguments: schema,
    effects: "local",
    concurrency: (args, { workspace }) => editingOf(args.uri, schemes).resourceName(args.uri, workspace),
    audience: "all",
    resultLimit: resourceResultLimit,
    execute: async (args, context: ToolContext): Promise<ToolOutcome> =>
      await editingOf(args.uri, schemes).edit(
        { uri: args.uri, baseRevision: args["base-revision"], operations: args.operations },
        context,
      ),
  });
}

function names(schemes: Schemes): string {
  return [...schemes.keys()].map((name) => `${name}:`).join(" ");
}

function schemeOf(uri: string, schemes: Schemes): ResourceScheme {
  const name = /^([a-z][a-z0-9-]*):/.exec(uri)?.[1];
  const scheme = name === undefined ? undefined : schemes.get(name);
  if (scheme !== undefined) return scheme;
  throw new ResourceError(
    "unknown-scheme",
    `${JSON.stringify(uri.slice(0, 200))} names no resource: a URI begins with one of ${names(schemes)}, such as workspace:src/main.ts.`,
  );
}

function editingOf(uri: string, schemes: Schemes): NonNullable<ResourceScheme["editing"]> {
  const { editing, scheme } = schemeOf(uri, schemes);
  if (editing !== undefined) return editing;
  throw new ResourceError("read-only-resource", `Resources of ${scheme}: can only be read.`);
}
