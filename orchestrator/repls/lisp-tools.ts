/** All `lisp.*` tools of a conversation but `lisp.paren-check`, which only looks at a file. */
import type { ToolDeclaration } from "../contract/tool.ts";
import { type EvaluationToolParts, evaluationTools } from "./evaluation-tools.ts";
import { type LookupToolParts, lookupTools } from "./lookup-tools.ts";
import { replTools } from "./repl-tools.ts";
import type { Repls } from "./repls.ts";

export type LispToolParts = EvaluationToolParts &
  Partial<Pick<LookupToolParts, "activeImage">> & { readonly repls: Repls };

export function lispTools({
  activeImage = () => undefined,
  ...parts
}: LispToolParts): readonly ToolDeclaration[] {
  return [
    ...evaluationTools(parts),
    ...lookupTools({ repls: parts.repls, activeImage }),
    ...replTools(parts.repls),
  ];
}
