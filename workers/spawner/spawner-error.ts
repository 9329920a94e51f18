import { AutolithError } from "../../orchestrator/contract/failure.ts";

/**
 * A spawner that cannot do what was asked; commands that end badly are no errors but `CommandEnd` values.
 * `spawner-closed`: the host is shutting down. `spawner-busy`: the limit of live commands is reached (retryable).
 * `spawner-setup`: pipes or the ledger could not be made; the message names path and cause.
 */
export class SpawnerError extends AutolithError {
  constructor(
    code: "spawner-closed" | "spawner-busy" | "spawner-setup",
    message: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(code, message, { ...options, retry: code === "spawner-busy" ? "retryable" : "terminal" });
  }
}
