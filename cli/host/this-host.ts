/** This process as a host of sessions. */
import type { HostInfo } from "../acp/acp-host.ts";
import { programVersion } from "../installation.ts";
import { newHostId } from "./endpoint-files.ts";

export function thisHost(): HostInfo {
  return {
    hostId: newHostId(),
    version: programVersion(),
    processId: process.pid,
    startedAt: Date.now(),
  };
}
