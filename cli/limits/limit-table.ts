/** Every bound of the program in one table, put together from the rooms' own. */
import { adviceLimits } from "../../orchestrator/settings/limits/advice-limits.ts";
import { documentLimits } from "../../orchestrator/settings/limits/document-limits.ts";
import type { Limit } from "../../orchestrator/settings/limits/limit.ts";
import { topicLimits } from "../../orchestrator/settings/limits/limit.ts";
import { workLimits } from "../../orchestrator/settings/limits/work-limits.ts";
import { sessionLimits } from "../../orchestrator/sessions/session-limits.ts";
import { redisLimits } from "../../redis/redis-limits.ts";
import { machineLimits } from "../../workers/machine-limits.ts";
import { acpLimits } from "../acp/acp-limits.ts";
import { managementLimits } from "../management/management-limits.ts";
import { cancelGraceMs } from "../run-job/run-job.ts";
import { terminalLimits } from "../terminal/terminal-limits.ts";

/** The bounds in force under `environment`, topic by topic. */
export function limitTable(environment: Readonly<Record<string, string | undefined>>): readonly Limit[] {
  return [
    ...workLimits(environment),
    ...machineLimits,
    ...documentLimits,
    ...topicLimits("run-job", [["grace after a cancel or timeout", cancelGraceMs, "milliseconds"]]),
    ...sessionLimits,
    ...adviceLimits,
    ...acpLimits,
    ...managementLimits,
    ...terminalLimits,
    ...redisLimits,
  ];
}
