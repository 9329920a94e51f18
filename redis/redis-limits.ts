/** Bounds of Redis. */
import { type Limit, topicLimits } from "../orchestrator/settings/limits/limit.ts";
import { socketPathLimit } from "./endpoint.ts";
import { waitingLetterLimit } from "./mail/redis-mail.ts";
import { startTimeoutMs } from "./private-server/server-process.ts";

export const redisLimits: readonly Limit[] = topicLimits("redis", [
  ["letters that wait for a session", waitingLetterLimit, "items"],
  ["path of the socket", socketPathLimit, "bytes"],
  ["start of the private server", startTimeoutMs, "milliseconds"],
]);
