import { AutolithError } from "../../orchestrator/contract/failure.ts";

/**
 * `sandbox-unavailable`: this machine cannot make one; the message gives the reason found by the probe.
 * `sandbox-workspace`: this workspace cannot be confined (it holds the home directory, or its `.git` is a link).
 */
export class SandboxError extends AutolithError {
  constructor(
    code: "sandbox-unavailable" | "sandbox-workspace",
    message: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(code, message, options);
  }
}
