/** Whether a model can be chosen. */
import { AutolithError, failureOf } from "../../contract/failure.ts";
import type { SessionEnvironment } from "../session-environment.ts";

/** Throws `unknown-model`, saying why, when the model cannot be reached from here. */
export function reachableModel(environment: Pick<SessionEnvironment, "models">, id: unknown): void {
  try {
    environment.models.reach(String(id));
  } catch (error) {
    throw new AutolithError("unknown-model", failureOf(error).message, { cause: error });
  }
}
