import { z } from "zod";
import { conversationIdSchema, executionIdSchema } from "../../orchestrator/contract/identifiers.ts";
import { jobKindSchema } from "../../orchestrator/contract/job-catalog.ts";

/** What a job in Redis holds: ids only. Specifications and results are in journals and artifacts. */
export const jobReferenceSchema = z.strictObject({
  executionId: executionIdSchema,
  conversationId: conversationIdSchema,
  kind: jobKindSchema,
});
