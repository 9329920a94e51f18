/** Bounds of the management REPL; most have a variable, whose default is listed. */
import { type Limit, topicLimits } from "../../orchestrator/settings/limits/limit.ts";
import { managementConfiguration } from "./management-configuration.ts";
import { quiesceMs } from "./management-evaluator.ts";
import { tokenFileByteLimit } from "./management-proof.ts";

const prefix = "AUTOLITH_MANAGEMENT_REPL";
const usual = managementConfiguration({ [prefix]: "on" }, { state: "/", config: "/" });

export const managementLimits: readonly Limit[] = topicLimits("management REPL", [
  ["token file", tokenFileByteLimit, "bytes"],
  ["end of a form that is cancelled", quiesceMs, "milliseconds"],
  ...(usual === undefined
    ? []
    : ([
        ["frame", usual.maxFrameBytes, "bytes", `${prefix}_MAX_FRAME`],
        ["source", usual.maxSourceBytes, "bytes", `${prefix}_MAX_SOURCE`],
        ["output, and values together", usual.maxOutputCharacters, "characters", `${prefix}_MAX_OUTPUT`],
        ["evaluation", usual.evaluationMs, "milliseconds", `${prefix}_TIMEOUT, in seconds`],
        ["authentication", usual.authenticationMs, "milliseconds", `${prefix}_AUTH_TIMEOUT, in seconds`],
        ["waiting evaluations", usual.queueCapacity, "items", `${prefix}_QUEUE_CAPACITY`],
        ["clients", usual.maxClients, "items", `${prefix}_MAX_CLIENTS`],
      ] as const)),
]);
