/** A spawner that cannot do what was asked; commands that end badly are no errors but {@link CommandEnd} values. */
export class SpawnerError extends Error {
  override readonly name = "SpawnerError";
  /**
   * `spawner-closed`: the host is shutting down. `spawner-busy`: the limit of live commands is reached.
   * `spawner-setup`: pipes or the ledger could not be made; the message names path and cause.
   */
  readonly code: "spawner-closed" | "spawner-busy" | "spawner-setup";

  constructor(code: SpawnerError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
