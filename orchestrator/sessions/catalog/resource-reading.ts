/** Reads of resources by front ends: the tool `resource.read` under the session's own permissions, with the names of the contract. */
import { AutolithError } from "../../contract/failure.ts";
import type { ResourceQuery, ResourceReading } from "../../contract/session/service.ts";
import type { Invoker } from "../commands/invoker.ts";

/** Rejects with the code of the tool's refusal. */
export async function readSessionResource(
  query: ResourceQuery,
  invoker: Pick<Invoker, "callTool">,
): Promise<ResourceReading> {
  const { result, details, code } = await invoker.callTool("resource.read", {
    uri: query.uri,
    ...(query.startLine === undefined ? {} : { "start-line": query.startLine }),
    ...(query.lineCount === undefined ? {} : { "line-count": query.lineCount }),
    ...(query.byteOffset === undefined ? {} : { "byte-offset": query.byteOffset }),
    ...(query.byteCount === undefined ? {} : { "byte-count": query.byteCount }),
  });
  if (result.status !== "ok") throw new AutolithError(code ?? "resource-unavailable", result.output);
  return { uri: query.uri, text: result.output, details: details ?? {} };
}
