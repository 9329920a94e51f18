/** Bounds of what is read and written: job files, results, events, roles, records, cassettes. */
import { maxJsonDepth, maxPrintedDepth, recordLimits } from "../../../lisp/data-forms/index.ts";
import { maxNumberCharacters } from "../../../lisp/data-forms/read-options.ts";
import { maxViolations } from "../../../roles/output-contract/validate-output.ts";
import { roleLimits } from "../../../roles/parse-role.ts";
import { maxProjectLevels } from "../../../roles/role-catalog.ts";
import { maxRoleFiles } from "../../../roles/role-files.ts";
import { maxRoleNameCharacters } from "../../../roles/role.ts";
import { cassetteByteLimit } from "../../cassette/cassette-format.ts";
import { reportedDifferenceLimit } from "../../cassette/cassette-player.ts";
import { failureMessageLimit } from "../../contract/failure.ts";
import { jsonDepthLimit } from "../../contract/json-nesting.ts";
import { usualBacklogLimit } from "../../record/group-commit.ts";
import { defaultCompactFromBytes } from "../../record/job-journal.ts";
import { maxReportedAnomalies } from "../../record/journal-reading.ts";
import { defaultMaxRecordBytes } from "../../record/journal.ts";
import { queueCapacity } from "../../run-job/events/event-queue.ts";
import { eventLimits } from "../../run-job/events/event-vocabulary.ts";
import { usualTimeoutMs } from "../../run-job/events/event-writer.ts";
import {
  jobInputLimits,
  maxIdCharacters,
  maxPromptCharacters,
  maxTimeoutSeconds,
} from "../../run-job/job-input.ts";
import { resultLimits } from "../../run-job/result-artifact.ts";
import { type Limit, type LimitRow, topicLimits } from "./limit.ts";

/** The four bounds of a data form. */
function formRows(limits: {
  readonly maxBytes: number;
  readonly maxDepth: number;
  readonly maxNodes: number;
  readonly maxStringCharacters: number;
}): readonly LimitRow[] {
  return [
    ["size", limits.maxBytes, "bytes"],
    ["nesting", limits.maxDepth, "levels"],
    ["atoms and lists", limits.maxNodes, "items"],
    ["one string", limits.maxStringCharacters, "characters"],
  ];
}

export const documentLimits: readonly Limit[] = [
  ...topicLimits("job files", [
    ...formRows(jobInputLimits),
    ["id", maxIdCharacters, "characters"],
    ["prompt", maxPromptCharacters, "characters"],
    ["timeout", maxTimeoutSeconds, "seconds", ":timeout-seconds of the job, up to this"],
  ]),
  ...topicLimits("results", [
    ...formRows(resultLimits),
    ["failure message", failureMessageLimit, "characters"],
    ["reported contract violations", maxViolations, "items"],
  ]),
  ...topicLimits("events", [
    ...formRows({ ...eventLimits, maxBytes: eventLimits.maxRecordBytes }),
    ["waiting events", queueCapacity.usual, "items"],
    ["wait for a slow reader", usualTimeoutMs, "milliseconds"],
  ]),
  ...topicLimits("role files", [
    ...formRows(roleLimits),
    ["name", maxRoleNameCharacters, "characters"],
    ["files of one directory", maxRoleFiles, "items"],
    ["project directories above the working directory", maxProjectLevels, "items"],
  ]),
  ...topicLimits("records", [
    ...formRows(recordLimits),
    ["one line of a journal", defaultMaxRecordBytes, "bytes"],
    ["records waiting to be written", usualBacklogLimit, "items"],
    ["job journal before it is compacted", defaultCompactFromBytes, "bytes"],
    ["anomalies reported one by one", maxReportedAnomalies, "items"],
    ["one number", maxNumberCharacters, "characters"],
    ["nesting that is printed", maxPrintedDepth, "levels"],
    ["nesting of JSON made from forms", maxJsonDepth, "levels"],
    ["nesting of JSON from outside", jsonDepthLimit, "levels"],
  ]),
  ...topicLimits("cassettes", [
    ["size", cassetteByteLimit, "bytes"],
    ["differences reported one by one", reportedDifferenceLimit, "items"],
  ]),
];
