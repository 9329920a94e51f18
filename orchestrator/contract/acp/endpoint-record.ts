/** The file by which a host's private local endpoint is found: one for each host, mode 0600, under the state root. */
import { z } from "zod";
import { conversationIdSchema } from "../identifiers.ts";

/** What a host is launched with for good; terminals with other options get another host. */
const hostLaunchSchema = z.object({
  /** `immutable`: no self-modification. `pristine`: no initialization either. */
  mode: z.enum(["usual", "immutable", "pristine"]),
  /** Real path of the site configuration root; absent without one. */
  siteConfigRoot: z.string().min(1).optional(),
});
export type HostLaunch = z.infer<typeof hostLaunchSchema>;

export const endpointRecordSchema = z.object({
  version: z.literal(1),
  hostId: z.string().min(8).max(64),
  /** `shared`: the detached host that terminals join. `acp`: a process that serves an editor. */
  role: z.enum(["shared", "acp"]),
  /** The process, told apart from every other that ever had its number. */
  process: z.object({ pid: z.int().positive(), bootId: z.string(), startTicks: z.int().nonnegative() }),
  /** Absolute path of the Unix socket. */
  socket: z.string().min(1),
  /** What a client authenticates with. */
  token: z.string().min(32),
  /** Version of the program that serves it. */
  programVersion: z.string(),
  /** The build that serves it; terminals join those of their own. Absent: an older build that did not say. */
  build: z.string().optional(),
  /** Terminals join those that were launched as they were. Absent: an older program that did not say. */
  launch: hostLaunchSchema.optional(),
  startedAt: z.number(),
  /** Sessions that are open. */
  conversations: z.array(conversationIdSchema),
});
export type EndpointRecord = z.infer<typeof endpointRecordSchema>;
