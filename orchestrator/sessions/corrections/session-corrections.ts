/** The corrections of one session: proposed by its model from a complaint, saved by a person. */
import type { ContextRule } from "../../advice/context-rule.ts";
import { AutolithError } from "../../contract/failure.ts";
import {
  type CorrectionCandidate,
  type CorrectionProposal,
  type CorrectionSave,
  type CorrectionScope,
  type Corrections,
  type SavedCorrection,
  complaintLimit,
  correctionCandidateSchema,
} from "../../contract/session/corrections.ts";
import type { SessionCore } from "../session-core.ts";
import { askBeside } from "../side-question.ts";
import {
  candidateOf,
  correctionInstructions,
  correctionQuestion,
  triggerOccurs,
} from "./correction-question.ts";

/** Above rules that name none: somebody complained. */
const correctionPriority = 50;

export class SessionCorrections implements Corrections {
  readonly #core: SessionCore;
  readonly #proposing = new Set<AbortController>();
  #count = 0;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  async propose(complaint: string, signal?: AbortSignal): Promise<CorrectionProposal> {
    const said = complaint.trim();
    if (said === "" || said.length > complaintLimit)
      throw new AutolithError(
        "invalid-argument",
        `A complaint has 1 to ${complaintLimit} characters, not ${said.length}. Say what was wrong and what is wanted instead.`,
      );
    const abort = new AbortController();
    this.#proposing.add(abort);
    const ending = AbortSignal.any([abort.signal, ...(signal === undefined ? [] : [signal])]);
    try {
      const candidate = candidateOf((await this.#ask(said, ending)).join("\n"));
      return { candidate, ...(await this.#standing(candidate)) };
    } catch (error) {
      if (!ending.aborted) throw error;
      throw new AutolithError("cancelled", "The correction was not made: it was cancelled.");
    } finally {
      this.#proposing.delete(abort);
    }
  }

  cancel(): boolean {
    const count = this.#proposing.size;
    for (const abort of this.#proposing) abort.abort("user");
    return count > 0;
  }

  async save({
    candidate: given,
    scope,
    confirmUnmatched,
    confirmReplace,
  }: CorrectionSave): Promise<SavedCorrection> {
    const candidate = correctionCandidateSchema.parse(given);
    const { id, trigger } = candidate;
    if (!this.#isMatched(candidate) && confirmUnmatched !== true)
      throw new AutolithError(
        "correction-unmatched",
        `The trigger ${JSON.stringify(trigger)} does not occur in what the model wrote last, so the correction may never apply. Confirm that it is to be saved all the same, or change the trigger.`,
        { details: { trigger } },
      );
    const workspace = this.#core.workingDirectory;
    const path = this.#core.ruleCollections.path(scope, workspace);
    const replaced = await this.#core.ruleCollections.save(ruleOf(candidate), scope, workspace, {
      replace: confirmReplace === true,
    });
    return { id, scope, path, replaced };
  }

  /** How it stands to what was written and to what is saved. */
  async #standing(candidate: CorrectionCandidate): Promise<Omit<CorrectionProposal, "candidate">> {
    const workspace = this.#core.workingDirectory;
    const existing: CorrectionScope[] = [];
    for (const scope of ["workspace", "global"] as const)
      if (await this.#core.ruleCollections.holds(candidate.id, scope, workspace)) existing.push(scope);
    return { matched: this.#isMatched(candidate), existing };
  }

  #isMatched({ trigger }: CorrectionCandidate): boolean {
    return triggerOccurs(trigger, this.#core.trace.recentOutput);
  }

  #ask(complaint: string, signal: AbortSignal): Promise<readonly string[]> {
    const core = this.#core;
    const choice = core.environment.models.reach(core.model);
    this.#count += 1;
    return askBeside(
      core,
      {
        choice,
        lineage: `primary/complaint-${this.#count}`,
        purpose: "correction",
        reasoningEffort: "medium",
        instructions: correctionInstructions,
        items: [{ type: "user-message", text: correctionQuestion(complaint, core.trace.recentOutput) }],
        firstRequestNumber: 1,
        metadata: { purpose: "correction" },
      },
      signal,
    );
  }
}

function ruleOf({ id, instruction, trigger }: CorrectionCandidate): ContextRule {
  return {
    id,
    when: { "output-contains": [trigger] },
    workspace: undefined,
    instruction,
    priority: correctionPriority,
    lifetime: "while-relevant",
  };
}
