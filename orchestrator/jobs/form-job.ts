import type { JobKind } from "../contract/job-catalog.ts";

/** A form that a person evaluates beside everything else (`? form`): the record of the form tells people and the model of its end. */
export function isFormJob({ kind, payload }: { readonly kind: JobKind; readonly payload: unknown }): boolean {
  return kind === "lisp" && (payload as { readonly tool?: unknown }).tool === "form";
}
