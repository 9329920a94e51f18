/** Bounds of Lisp: evaluations, named REPLs, forms of a person. */
import { imageLimits } from "../../../lisp/saved-images/image-limits.ts";
import { lispSourceLimits } from "../../contract/job-catalog.ts";
import {
  formOutputCharacters,
  formReportCharacters,
  formValueCharacters,
  formValueLimit,
} from "../../contract/session/forms.ts";
import { recoveryLimit, restartSourceLimit } from "../../contract/session/restarts.ts";
import { liveJobLimit } from "../../jobs/job-table.ts";
import { toldCharacters } from "../../prompt/form-records.ts";
import { readFileCharacters } from "../../prompt/read-file.ts";
import { recoveryActionCharacters } from "../../prompt/recovery-text.ts";
import { promptCharacters } from "../../prompt/prompt-operator.ts";
import { slotLimit } from "../../repls/evaluation-report.ts";
import { replLimits } from "../../repls/repl-limits.ts";
import { savedImageLimit } from "../../repls/saved-images.ts";
import { auditTextLimit } from "../../tools/nested-calls.ts";
import { type Limit, topicLimits } from "./limit.ts";

export const evaluationLimits: readonly Limit[] = topicLimits("evaluations", [
  ["live evaluations and forms", liveJobLimit, "items"],
  ["REPLs of one agent", replLimits.perAgent, "items"],
  ["REPLs of one host", replLimits.perHost, "items"],
  ["heap of a REPL", replLimits.heapMb * 1_048_576, "bytes"],
  ["saved images", savedImageLimit, "items"],
  ["forms of one evaluation", lispSourceLimits.forms, "items"],
  ["one form", lispSourceLimits.formCharacters, "characters"],
  ["forms of one evaluation together", lispSourceLimits.characters, "characters"],
  ["kept output of an evaluation", replLimits.outputCharacters, "characters"],
  ["shown output of an evaluation", replLimits.shownOutputCharacters, "characters"],
  ["shown value of an evaluation", replLimits.valueCharacters, "characters"],
  ["shown values of an evaluation", replLimits.values, "items"],
  ["shown slots of a condition", slotLimit, "items"],
  ["cleanup of a cancelled evaluation", replLimits.cancelGraceMs, "milliseconds"],
  ["a look-up", replLimits.lookupMs, "milliseconds"],
  ["arguments or outcome of a host tool in the record", auditTextLimit, "characters"],
  ["values of a form", formValueLimit, "items"],
  ["shown value of a form", formValueCharacters, "characters"],
  ["shown report of a form", formReportCharacters, "characters"],
  ["kept output of a form", formOutputCharacters, "characters"],
  ["what the model is told of a form, each of form, output and end", toldCharacters, "characters"],
  ["message of PROMPT", promptCharacters, "characters"],
  ["file of READ-FILE", readFileCharacters, "characters"],
  ["recoveries of a diagnosis", recoveryLimit, "items"],
  ["action of a chosen recovery in the record", recoveryActionCharacters, "characters"],
  ["Lisp given to a restart", restartSourceLimit, "characters"],
  ["file of a saved image", imageLimits.bytes, "bytes"],
  ["objects of a saved image", imageLimits.objects, "items"],
]);
