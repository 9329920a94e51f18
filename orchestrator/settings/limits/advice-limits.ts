/** Bounds of initialization, and of what requests carry besides the conversation: notes, rules, skills. */
import { adviceSourceTimeoutMs, sourceContributionLimit } from "../../advice/advice-board.ts";
import { conditionCharacterLimit, conditionValueLimit } from "../../advice/context-rule.ts";
import {
  adviceCharacterBudget,
  identifierCharacterLimit,
  instructionCharacterLimit,
} from "../../advice/contribution.ts";
import { snapshotLimits } from "../../advice/request-snapshot.ts";
import { collectionRuleLimit } from "../../advice/rule-collections.ts";
import { complaintLimit } from "../../contract/session/corrections.ts";
import { directoryScopeLimits } from "../../initialization/directory-scopes.ts";
import { initFileByteLimit, initFileMs } from "../../initialization/init-files.ts";
import { extensionLimits } from "../../prompt/image-extensions.ts";
import { lispCallOutputCharacters } from "../../prompt/lisp-calls.ts";
import { committedDefinitionLimit, pendingMutationLimit } from "../../self/mutation-store.ts";
import {
  commitTitleCharacters,
  definitionCharacterLimit,
  exerciseTextCharacters,
} from "../../self/mutation.ts";
import { exercisesPerMutation } from "../../self/self-modification.ts";
import { skillCatalogCharacterLimit, skillSelectionLimits } from "../../skills/session-skills.ts";
import { complaintInputCharacters } from "../../sessions/commands/correction-commands.ts";
import { evidenceLimit } from "../../sessions/corrections/correction-question.ts";
import { manifestLimits } from "../../skills/executable-manifest.ts";
import { skillCodeLimits } from "../../skills/skill-limits.ts";
import { skillScanLimits } from "../../skills/skill-scan.ts";
import { skillLimits } from "../../skills/skill.ts";
import { type Limit, topicLimits } from "./limit.ts";

export const adviceLimits: readonly Limit[] = [
  ...topicLimits("advice", [
    ["notes of one request", adviceCharacterBudget, "characters"],
    ["one instruction, and its evidence", instructionCharacterLimit, "characters"],
    ["identifier", identifierCharacterLimit, "characters"],
    ["notes of one contributor for one request", sourceContributionLimit, "items"],
    ["registered contributors", extensionLimits.contributors, "items"],
    ["time of a contributor for one request", adviceSourceTimeoutMs, "milliseconds"],
    ["registered rules", extensionLimits.rules, "items"],
    ["rules of one file", collectionRuleLimit, "items"],
    ["values of a rule's condition", conditionValueLimit, "items"],
    ["one value of a condition", conditionCharacterLimit, "characters"],
    ["complaint", complaintLimit, "characters"],
    ["complaint with its options", complaintInputCharacters, "characters"],
    ["output that a correction is proposed from", evidenceLimit, "characters"],
    ["files of a turn that rules see", snapshotLimits.paths, "items"],
    ["output of a turn that rules see", snapshotLimits.outputCharacters, "characters"],
    ["message of the person that contributors see", snapshotLimits.userTextCharacters, "characters"],
  ]),
  ...topicLimits("initialization", [
    ["commands defined in Lisp", extensionLimits.commands, "items"],
    ["output of a command defined in Lisp", lispCallOutputCharacters, "characters"],
    ["init.lisp", initFileByteLimit, "bytes"],
    ["time of an init.lisp", initFileMs, "milliseconds"],
    ["directory-scopes.sexp", directoryScopeLimits.bytes, "bytes"],
    ["trusted directories", directoryScopeLimits.directories, "items"],
  ]),
  ...topicLimits("self-modification", [
    ["definition", definitionCharacterLimit, "characters"],
    ["mutations without a commit", pendingMutationLimit, "items"],
    ["definitions of a commit", committedDefinitionLimit, "items"],
    ["title of a commit", commitTitleCharacters, "characters"],
    ["observations of a mutation", exercisesPerMutation, "items"],
    ["one observation", exerciseTextCharacters, "characters"],
  ]),
  ...topicLimits("skills", [
    ["file", skillLimits.fileBytes, "bytes"],
    ["instructions", skillLimits.instructionCharacters, "characters"],
    ["description", skillLimits.descriptionCharacters, "characters"],
    ["name", skillLimits.nameCharacters, "characters"],
    ["list sent to the model", skillCatalogCharacterLimit, "characters"],
    ["skills of one turn", skillSelectionLimits.count, "items"],
    ["skills of one turn together", skillSelectionLimits.characters, "characters"],
    ["depth of the search", skillScanLimits.depth, "levels"],
    ["directories of the search", skillScanLimits.directories, "items"],
    ["directory entries of the search", skillScanLimits.entries, "items"],
    ["files of the search together", skillScanLimits.bytes, "bytes"],
    ["EXECUTABLE.sexp", manifestLimits.fileBytes, "bytes"],
    ["nesting of EXECUTABLE.sexp", manifestLimits.depth, "levels"],
    ["parts of EXECUTABLE.sexp", manifestLimits.nodes, "items"],
    ["one name in EXECUTABLE.sexp", manifestLimits.nameCharacters, "characters"],
    ["capabilities of EXECUTABLE.sexp", manifestLimits.capabilities, "items"],
    ["dependencies of EXECUTABLE.sexp", manifestLimits.dependencies, "items"],
    ["tools of EXECUTABLE.sexp", manifestLimits.tools, "items"],
    ["definition of the system", manifestLimits.systemBytes, "bytes"],
    ["skills of one host whose code runs", skillCodeLimits.perHost, "items"],
    ["heap of a skill", skillCodeLimits.heapMb * 1_048_576, "bytes"],
    ["time of a skill", skillCodeLimits.timeMs, "milliseconds"],
    ["input of a skill", skillCodeLimits.inputCharacters, "characters"],
    ["result of a skill", skillCodeLimits.resultBytes, "bytes"],
    ["nesting of a result", skillCodeLimits.resultDepth, "levels"],
    ["parts of a result", skillCodeLimits.resultNodes, "items"],
    ["shown result of a skill", skillCodeLimits.shownResultCharacters, "characters"],
    ["source files that a verification holds for", skillCodeLimits.sources, "items"],
    ["source files that a verification holds for together", skillCodeLimits.sourceBytes, "bytes"],
    ["kept verifications", skillCodeLimits.verifications, "items"],
  ]),
];
