import { AutolithError } from "../../contract/failure.ts";

/** An event record breaks the rules of version 1 of the event stream. */
export class RunJobEventError extends AutolithError {
  constructor(message: string, options?: { cause?: unknown }) {
    super("invalid-event", message, options);
  }
}
