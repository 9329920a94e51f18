/** What a contributor adds to the model's next requests without adding it to the conversation (manual, context contributions). */
import { z } from "zod";

/** Most characters of one instruction, and of its evidence. */
export const instructionCharacterLimit = 4_000;
/** Characters of identifiers and keys. */
export const identifierCharacterLimit = 128;
/** Most characters of all ordinary advice of one request; mandatory notes count first. */
export const adviceCharacterBudget = 8_000;

const identifier = z.string().trim().min(1).max(identifierCharacterLimit);

export const contributionSchema = z.strictObject({
  /** Names it; a later one of the same name replaces it. */
  identifier,
  instruction: z.string().trim().min(1).max(instructionCharacterLimit),
  /** Why it is given. */
  evidence: z.string().trim().max(instructionCharacterLimit).default(""),
  /**
   * `turn`: until the turn ends. `next-request`: one request. `while-relevant`: as long as its source goes on giving it.
   */
  lifetime: z.enum(["turn", "next-request", "while-relevant"]).default("while-relevant"),
  /** Higher comes first when the budget is full. */
  priority: z.number().min(-1_000).max(1_000).default(0),
  /** Of several with one key only the one that comes first is given. */
  deduplicate: identifier.optional(),
  /** Identifiers that this one makes superfluous. */
  supersedes: z.array(identifier).max(32).default([]),
  /** Identifiers that may not be given beside this one: the one that comes first stays. */
  conflicts: z.array(identifier).max(32).default([]),
  /** Given whatever the budget says, up to its whole. */
  mandatory: z.boolean().default(false),
});

export type Contribution = z.infer<typeof contributionSchema>;

/** Where it came from, for people. */
export type SourcedContribution = Contribution & { readonly source: string };
