/** An image as the management REPL uses it. */
import type { LispImage } from "../../orchestrator/contract/lisp-image.ts";
import type { ManagedImage } from "./management-evaluator.ts";

/** The image, with the count of forms by its own reader. */
export function imageForManagement(image: Pick<LispImage, "evaluate" | "probe">): ManagedImage {
  return {
    evaluate: (source, options) => image.evaluate(source, { ...options, readEval: false }),
    formCount: async (source) => {
      const found = await image.probe(source);
      switch (found.kind) {
        case "complete":
          return found.forms === 1
            ? { kind: "one" }
            : { kind: "other", problem: `the source holds ${found.forms} forms; exactly one is evaluated` };
        case "empty":
          return { kind: "other", problem: "the source holds no form; exactly one is evaluated" };
        case "incomplete":
          return {
            kind: "other",
            problem: `the form that begins at ${found.at.line}:${found.at.column} is not finished`,
          };
        default:
          return { kind: "other", problem: `${found.message}, at ${found.at.line}:${found.at.column}` };
      }
    },
  };
}
