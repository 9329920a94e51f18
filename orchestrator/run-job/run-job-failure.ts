import { AutolithError } from "../contract/failure.ts";
import { failureCategories, type FailureCategory, type FailureStatus } from "./categories.ts";

/** A run ended without success. `category` decides status and exit code; the message says what was expected and what came. */
export class RunJobFailure extends AutolithError {
  readonly category: FailureCategory;

  constructor(category: FailureCategory, message: string, options?: { cause?: unknown }) {
    super(category, message, options);
    this.category = category;
  }

  get status(): FailureStatus {
    return failureCategories[this.category].status;
  }
}
