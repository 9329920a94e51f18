/** What the drill and the processes it kills say to each other. */
import { z } from "zod";

/** The channel on which a drilled host tells its agent threads to end themselves. */
export const drillChannel = "autolith-drill";

export const threadFaultSchema = z.strictObject({ fault: z.enum(["exit", "out-of-memory"]) });

/** To a drilled host, over its IPC channel. */
export const hostOrderSchema = z.strictObject({ loseThread: z.enum(["exit", "out-of-memory", "terminate"]) });
export type HostOrder = z.infer<typeof hostOrderSchema>;

/** From a drilled host: a thread has ended after it was told to. */
export type HostReport = { readonly threadLost: true };

/** What a recovering host reports, as JSON on its standard output. */
export const recoveryReportSchema = z.strictObject({
  interrupted: z.array(z.string()),
  /** Never claimed by the dead host: they ran in this one. */
  queued: z.array(z.string()),
  unanswered: z.array(
    z.strictObject({
      conversationId: z.string(),
      callId: z.string(),
      outcome: z.enum(["settled", "unknown"]),
    }),
  ),
  /** Jobs that the recovering host brought to their end. */
  settled: z.array(z.strictObject({ executionId: z.string(), state: z.string() })),
});
export type RecoveryReport = z.infer<typeof recoveryReportSchema>;
